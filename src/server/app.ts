/** One application: a project behind HTTP, as a function from request to response. */
import { contentTypeBuilderRoutes } from "../api/rest/content-type-builder.ts";
import { emailRoutes } from "../api/rest/email.ts";
import { Rest } from "../api/rest/handle.ts";
import { i18nRoutes } from "../api/rest/i18n.ts";
import { usersPermissionsRoutes } from "../api/rest/users-permissions.ts";
import type { Project } from "./project.ts";

export interface App {
  /** `address` is the client's. Never throws. */
  readonly handle: (request: Request, address?: string) => Promise<Response>;
}

export function createApp({ context, access, settings, schema }: Project): App {
  const routes = [
    ...i18nRoutes(context),
    ...usersPermissionsRoutes(access, settings),
    ...contentTypeBuilderRoutes(schema),
    ...emailRoutes(access.mailer),
  ];
  const rest = new Rest({ context, access: access.access, settings }, routes);
  if (!settings.http.compress) return { handle: (request, address) => rest.handle(request, address) };
  const { compress } = require("./compress.ts") as typeof import("./compress.ts");
  return { handle: async (request, address) => compress(request, await rest.handle(request, address)) };
}
