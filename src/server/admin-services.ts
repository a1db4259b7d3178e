/** Puts the admin together from an open project. Loaded with the first request to it. */
import type { AdminRoute } from "../admin/call.ts";
import { checkHost, hostOfAddress } from "../admin/hosts.ts";
import { adminRoutes } from "../admin/routes.ts";
import { adminRoleRoutes, adminUploadRoutes } from "./admin-forwarded.ts";
import type { Project } from "./project.ts";

interface Admin {
  readonly routes: readonly AdminRoute[];
  /** Throws a ForbiddenError for a request to a host that is not allowed. */
  readonly checkHost: (request: Request) => void;
}

export function createAdminRoutes(project: Project): Admin {
  const { root, context, schema, settings, media, access, reloader } = project;
  const address = hostOfAddress(settings.server.url ?? "");
  const names = [...(settings.galley.admin?.hosts ?? []), ...(address ? [address] : [])];
  const { tokens } = access;
  return {
    routes: [
      ...adminRoutes({ root, context, schema, settings, media, tokens, reload: reloader.reload }),
      ...adminUploadRoutes(project),
      ...adminRoleRoutes(project),
    ],
    checkHost: (request) =>
      checkHost(
        request,
        names.map((name) => name.toLowerCase()),
      ),
  };
}
