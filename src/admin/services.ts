/** What the admin works with: the parts of the open project. */
import type { Tokens } from "../access/tokens.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import type { MediaService } from "../media/media-service.ts";
import type { RawSchema } from "../schema/definition.ts";

export interface AdminServices {
  readonly context: DocumentsContext;
  readonly schema: RawSchema;
  readonly settings: Settings;
  readonly media: MediaService;
  readonly tokens: Tokens;
}
