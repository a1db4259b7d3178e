/** The parts of an open project that the admin uses. */
import { existsSync } from "node:fs";
import { readPreviewSettings } from "../../admin/preview-settings.ts";
import type { AdminServices } from "../../admin/services.ts";
import { once } from "../../lib/once.ts";
import type { Project } from "./project.ts";
import { agentsFolder } from "./project-source.ts";

/** Whether the tools of development may be served. */
export const isDeveloped = ({ settings }: Pick<Project, "settings">): boolean =>
  settings.environment.NODE_ENV !== "production";

export function adminServices(project: Project): AdminServices {
  const { root, context, schema, settings, access, reloader } = project;
  return {
    root,
    context,
    schema,
    settings,
    media: project.media(),
    tokens: access.tokens,
    registeredActions: () => project.code?.administratorActions() ?? [],
    extraActions: () => access.extraActions,
    permissions: () => access.roles.permissionMap(new Set()),
    webhooks: () => project.webhooks.current,
    mailer: () => access.mailer,
    reload: reloader.reload,
    hasCode: () => project.code !== undefined,
    listRoles: () => access.roles.list(),
    syncsContent: reloader.contentSync !== undefined,
    hasAgentSessions: () => isDeveloped(project) && existsSync(agentsFolder(root)),
    preview: once(() => readPreviewSettings(root, settings)),
  };
}
