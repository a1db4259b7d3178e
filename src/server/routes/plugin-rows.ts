/** Content API routes of the built-in plugins. */
import type { RestRoute } from "../../api/rest/call.ts";
import { contentTypeBuilderRoutes } from "../../api/rest/content-type-builder.ts";
import { emailRoutes } from "../../api/rest/email.ts";
import { i18nRoutes } from "../../api/rest/i18n.ts";
import { uploadRoutes } from "../../api/rest/upload.ts";
import { usersPermissionsRoutes } from "../../api/rest/users-permissions/index.ts";
import type { Project } from "../project/project.ts";

export const pluginRows = ({
  context,
  access,
  settings,
  schema,
  media,
  interception,
}: Project): readonly (readonly RestRoute[])[] => [
  i18nRoutes(context),
  usersPermissionsRoutes(access, settings),
  contentTypeBuilderRoutes(schema, settings.galley.customFields),
  emailRoutes(access),
  uploadRoutes({
    context,
    media,
    fileServices: () => interception.files?.(),
    pagination: settings.rest,
    bodySettings: settings.http.body,
  }),
];
