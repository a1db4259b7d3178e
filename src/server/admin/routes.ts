/** The paths of the admin. What serves them is loaded with the first request, so that an unused admin costs nothing. */
import type { HttpContext, HttpRoute } from "../../api/http-route.ts";
import { once } from "../../lib/once.ts";
import type { AdminServer } from "./app.ts";

const AREAS = ["content-manager", "content-type-builder", "upload", "i18n", "users-permissions", "admin"];
/** Only these, since projects may have static files for mails in a folder of this name. */
const EMAIL_PATHS = ["/email", "/email/settings", "/email/test", "/email/verify"];
const AGENT_PATH = "/admin/mcp";
const PATHS = [...AREAS.flatMap((name) => [`/${name}`, `/${name}/*`]), ...EMAIL_PATHS];

/** The tools of development, which no other route of the admin reaches. */
function agentRoute({ project, headers }: AdminServer): HttpRoute {
  const endpoint = once(() => {
    const { createDevelopmentEndpoint } =
      require("../mcp/development/endpoint.ts") as typeof import("../mcp/development/endpoint.ts");
    return createDevelopmentEndpoint(project, headers);
  });
  return { method: "ALL", path: AGENT_PATH, handle: (context) => endpoint()(context) };
}

/** Routes for all admin paths; empty when the admin is disabled. */
export function adminRoutes(server: AdminServer): HttpRoute[] {
  if (!server.project.hasAdmin) return [];
  const app = once(() => {
    const { createAdmin } = require("./app.ts") as typeof import("./app.ts");
    return createAdmin(server);
  });
  const handle = ({ request }: HttpContext) => app().fetch(request) as Promise<Response>;
  return [agentRoute(server), ...PATHS.map((path): HttpRoute => ({ method: "ALL", path, handle }))];
}
