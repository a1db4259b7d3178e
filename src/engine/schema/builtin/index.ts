/** The types of Strapi's own plugins, as schema files. */
import type { RawContentType } from "../definition.ts";
import locale from "./i18n-locale.json" with { type: "json" };
import workflow from "./review-workflows-workflow.json" with { type: "json" };
import stage from "./review-workflows-workflow-stage.json" with { type: "json" };
import file from "./upload-file.json" with { type: "json" };
import folder from "./upload-folder.json" with { type: "json" };
import permission from "./users-permissions-permission.json" with { type: "json" };
import role from "./users-permissions-role.json" with { type: "json" };
import user from "./users-permissions-user.json" with { type: "json" };

export const FILE = "plugin::upload.file";
export const FOLDER = "plugin::upload.folder";
export const LOCALE = "plugin::i18n.locale";
export const USER = "plugin::users-permissions.user";
export const ROLE = "plugin::users-permissions.role";
export const PERMISSION = "plugin::users-permissions.permission";

/** The order is that of Strapi's GraphQL schema. */
export const builtinTypes: Readonly<Record<string, RawContentType["definition"]>> = {
  [FILE]: file,
  [FOLDER]: folder,
  [LOCALE]: locale,
  "plugin::review-workflows.workflow": workflow,
  "plugin::review-workflows.workflow-stage": stage,
  [PERMISSION]: permission,
  [ROLE]: role,
  [USER]: user,
};
