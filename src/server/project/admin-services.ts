/** The parts of an open project that the admin uses. */
import { readPreviewSettings } from "../../admin/preview-settings.ts";
import type { AdminServices } from "../../admin/services.ts";
import { once } from "../../lib/once.ts";
import type { Project } from "./project.ts";

export function adminServices(project: Project): AdminServices {
  const { root, context, schema, settings, access, reloader } = project;
  return {
    root,
    context,
    schema,
    settings,
    media: project.media(),
    tokens: access.tokens,
    extraActions: () => access.extraActions,
    permissions: () => access.roles.permissionMap(new Set()),
    mailer: () => access.mailer,
    reload: reloader.reload,
    hasCode: () => project.code !== undefined,
    listRoles: () => access.roles.list(),
    syncsContent: reloader.contentSync !== undefined,
    preview: once(() => readPreviewSettings(root, settings)),
  };
}
