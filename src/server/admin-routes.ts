/** The paths of the admin. What serves them is loaded with the first request, so that an unused admin costs nothing. */
import type { AnyElysia } from "elysia";
import type { HttpContext, HttpRoute } from "../api/http-route.ts";
import type { AdminServer } from "./admin-app.ts";

const AREAS = ["content-manager", "content-type-builder", "upload", "i18n", "users-permissions", "admin"];
/** Only these, since projects may have static files for mails in a folder of this name. */
const EMAIL_PATHS = ["/email", "/email/settings", "/email/test", "/email/verify"];
const PATHS = [...AREAS.flatMap((name) => [`/${name}`, `/${name}/*`]), ...EMAIL_PATHS];

/** Routes for all admin paths; empty when the admin is disabled. */
export function adminRoutes(server: AdminServer): HttpRoute[] {
  if (!server.project.hasAdmin) return [];
  let app: AnyElysia | undefined;
  const handle = ({ request }: HttpContext): Promise<Response> => {
    if (!app) {
      const { createAdmin } = require("./admin-app.ts") as typeof import("./admin-app.ts");
      app = createAdmin(server);
    }
    return app.fetch(request) as Promise<Response>;
  };
  return PATHS.map((path) => ({ method: "ALL", path, handle }));
}
