/** The parts of the open project that the admin uses. */
import type { Mailer } from "../engine/access/mail.ts";
import type { PermissionMap } from "../engine/access/roles.ts";
import type { Tokens } from "../engine/access/tokens.ts";
import type { Settings } from "../engine/config/settings.ts";
import type { DocumentsContext } from "../engine/documents/context.ts";
import type { MediaService } from "../engine/media/media-service.ts";
import type { Document } from "../engine/query/select.ts";
import type { RawSchema } from "../engine/schema/definition.ts";
import type { Webhooks } from "../engine/webhooks/webhooks.ts";
import type { PreviewSettings } from "./preview-settings.ts";

export interface AdminServices {
  /** The project's folder. */
  readonly root: string;
  /**
   * Serves the project's current files; resolves with the error that prevents it. Absent where files are not what is
   * served: in archives, in memory, and in one of several processes.
   */
  readonly reload: ((written?: readonly string[]) => Promise<Error | undefined>) | undefined;
  /** Whether the project runs code of its own: types without a router are not served then. */
  readonly hasCode: () => boolean;
  readonly context: DocumentsContext;
  readonly schema: RawSchema;
  readonly settings: Settings;
  readonly media: MediaService;
  readonly tokens: Tokens;
  /** What administrators may do by own code, as it has registered it. */
  readonly registeredActions: () => readonly Readonly<Record<string, unknown>>[];
  /** The actions of the project's own routes. */
  readonly extraActions: () => readonly string[];
  /** All actions of the Content API, as in the listing of a role without any. */
  readonly permissions: () => PermissionMap;
  /** Loaded when they are first used. */
  readonly webhooks: () => Webhooks;
  /** Created when it is first used. */
  readonly mailer: () => Mailer;
  /** Roles of users, with the number of their users. */
  readonly listRoles: () => readonly Document[];
  /** Whether the files of `content/` and the database are kept equal. */
  readonly syncsContent: boolean;
  /** Whether agents have changed something in development. */
  readonly hasAgentSessions: () => boolean;
  /** Read when it is first needed. */
  readonly preview: () => PreviewSettings;
}
