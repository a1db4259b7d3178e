/** Assembles the admin's routes for an open project. Loaded on the first admin request. */
import { accessRoutes } from "../../admin/access/routes.ts";
import { webhookPageRoutes } from "../../admin/account/webhook-deliveries.ts";
import { schemaChangeRoutes } from "../../admin/builder/change-routes.ts";
import { bulkEditRoutes } from "../../admin/bulk-edit/bulk-edit.ts";
import { type AdminRoute, ok, route } from "../../admin/call.ts";
import { pagePreviewRoutes } from "../../admin/content-manager/preview.ts";
import { scheduleRoutes } from "../../admin/content-manager/schedule/routes.ts";
import { trashRoutes } from "../../admin/content-manager/trash/routes.ts";
import { ChangeFeed, eventRoutes } from "../../admin/events/change-feed.ts";
import { allowedHosts, checkHost } from "../../admin/hosts.ts";
import { homeRoutes } from "../../admin/page/home.ts";
import { startRoutes } from "../../admin/page/start.ts";
import { adminRoutes } from "../../admin/routes.ts";
import { rowsRoutes } from "../../admin/rows/routes.ts";
import { sampleRoutes } from "../../admin/sample/routes.ts";
import { administratorSessionRoutes, sessionRoutes } from "../../admin/session/routes.ts";
import type { SessionServices } from "../../admin/session/session.ts";
import { fileUseRoutes } from "../../admin/upload/uses.ts";
import { pageUserSettingsRoutes } from "../../admin/users-permissions/settings.ts";
import { absoluteUrls } from "../../engine/config/public-urls.ts";
import { createSchemas } from "../../strapi/data/schemas.ts";
import { backupRoutes } from "../backup/routes.ts";
import { ContentChanges } from "../content-changes/content-changes.ts";
import { contentChangeRoutes } from "../content-changes/routes.ts";
import { explainRoutes } from "../explain/routes.ts";
import { agentSessionRoutes } from "../mcp/development/session-routes.ts";
import { adminServices } from "../project/admin-services.ts";
import type { Project } from "../project/project.ts";
import { projectUrls } from "../project/public-urls.ts";
import { adminRoleRoutes, adminUploadRoutes, pageUserRoutes } from "./forwarded.ts";
import { listRowsRoutes } from "./list-rows.ts";
import { routeListRoutes } from "./route-lists.ts";

interface Admin {
  /** Served at Strapi's paths, and below the page's prefix. */
  readonly routes: readonly AdminRoute[];
  /** Used by the admin page only. */
  readonly pageRoutes: readonly AdminRoute[];
  readonly session: SessionServices;
  /** The origins that the page may show in a frame. */
  readonly frameOrigins: () => readonly string[];
  /** Throws a ForbiddenError for a `Host` that is not allowed. */
  readonly checkHost: (request: Request) => void;
}

export function createAdminRoutes(project: Project): Admin {
  const { context, settings, access, secrets, announce } = project;
  const publicUrls = projectUrls(project);
  const urls = absoluteUrls(publicUrls);
  const hosts = allowedHosts(settings, urls);
  const { tokens } = access;
  const session: SessionServices = {
    key: secrets.admin,
    storage: context.storage,
    clock: context.clock,
    tokens,
    isSecure: publicUrls.server.startsWith("https:"),
    origins: urls.map((url) => url.origin),
  };
  const services = adminServices(project);
  const changes = new ContentChanges(project);
  const feed = new ChangeFeed({
    version: () => context.storage.version(),
    files: () => changes.version,
    problem: () => project.reloader.problem?.(),
    ended: project.ended.signal,
  });
  return {
    session,
    frameOrigins: () => services.preview().origins,
    pageRoutes: [
      ...sessionRoutes({ ...session, announce, hosts, serverUrl: URL.parse(publicUrls.server) }),
      ...startRoutes(services, () => feed.state()),
      ...homeRoutes(services),
      ...listRowsRoutes(services),
      ...eventRoutes(feed),
      ...schemaChangeRoutes(services),
      ...fileUseRoutes(services),
      ...sampleRoutes(context),
      ...rowsRoutes(context),
      ...bulkEditRoutes(context),
      ...accessRoutes(services),
      ...pageUserRoutes(project),
      ...explainRoutes(project),
      ...contentChangeRoutes(changes),
      ...pagePreviewRoutes(services),
      ...trashRoutes(context),
      ...scheduleRoutes(context),
      ...webhookPageRoutes(services),
      ...pageUserSettingsRoutes(services),
      ...backupRoutes(project),
      ...agentSessionRoutes(project),
    ],
    routes: [
      ...adminRoutes(services),
      ...administratorSessionRoutes(session),
      // for the guided tour of Strapi's panel; there is one administrator
      route("GET", "/admin/guided-tour-meta", () =>
        ok({ data: { isFirstSuperAdminUser: true, schemas: createSchemas(context.model).contentTypes } }),
      ),
      ...adminUploadRoutes(project),
      ...adminRoleRoutes(project),
      ...routeListRoutes(project),
    ],
    checkHost: (request) => checkHost(request, hosts),
  };
}
