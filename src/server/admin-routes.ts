/**
 * The admin over HTTP, at the reference's own paths. Its routes are an Elysia application of their own, which is made
 * with the first request to one of them, so that a server whose admin is not used does not pay for it.
 */
import type { AnyElysia } from "elysia";
import { Access } from "../access/access.ts";
import type { AdminRoute } from "../admin/call.ts";
import { distinctRoutes, type HttpContext, type HttpRoute, splitUrl } from "../api/http-route.ts";
import { hasBody, readBody } from "../api/rest/body.ts";
import type { CommonHeaders } from "../api/rest/headers.ts";
import { checkPath } from "../api/rest/path.ts";
import { parseQueryString } from "../api/rest/query-string.ts";
import { respond, respondToError } from "../api/rest/respond.ts";
import { ApiError, notFound } from "../errors.ts";
import { area, createElysia } from "./elysia-app.ts";
import type { Project } from "./project.ts";

const AREAS = ["content-manager", "content-type-builder", "upload", "i18n", "users-permissions", "admin"];

export interface AdminServer {
  readonly project: Project;
  readonly headers: CommonHeaders;
}

/** The admin's paths; nothing where it is off. */
export function adminRoutes(server: AdminServer): HttpRoute[] {
  if (!server.project.hasAdmin) return [];
  let app: AnyElysia | undefined;
  const handle = ({ request }: HttpContext): Promise<Response> => {
    app ??= createAdmin(server);
    return app.fetch(request) as Promise<Response>;
  };
  return AREAS.flatMap((name) => [
    { method: "ALL" as const, path: `/${name}`, handle },
    { method: "ALL" as const, path: `/${name}/*`, handle },
  ]);
}

/** Without those that let other origins read an answer. */
function ownHeaders({ headers }: AdminServer, request: Request): Headers {
  const own = headers.of(request);
  for (const name of [...own.keys()]) if (name.startsWith("access-control-")) own.delete(name);
  return own;
}

function createAdmin(server: AdminServer): AnyElysia {
  const { createAdminRoutes } = require("./admin-services.ts") as typeof import("./admin-services.ts");
  const { routes, checkHost } = createAdminRoutes(server.project);
  const guarded = (handle: HttpRoute["handle"]): HttpRoute["handle"] => {
    return async (context) => {
      checkHost(context.request);
      checkPath(splitUrl(context.request.url).path);
      return handle(context);
    };
  };
  const http = routes.map(
    (route): HttpRoute => ({
      method: route.method,
      path: route.path,
      handle: guarded((context) => answer(server, route, context)),
    }),
  );
  const missing: HttpRoute = {
    method: "ALL",
    path: "/*",
    handle: guarded(() => {
      throw notFound();
    }),
  };
  return createElysia((error, request) => respondToError(error, ownHeaders(server, request)))
    .use(area(distinctRoutes([http]).flat()))
    .use(area([missing]));
}

async function answer(server: AdminServer, route: AdminRoute, { request, params }: HttpContext): Promise<Response> {
  const { access, settings } = server.project;
  const key = Access.bearer(request.headers.get("authorization"));
  const isAdmin = key !== undefined && access.tokens.isAdmin(key);
  if (!isAdmin && !route.isPublic) throw new ApiError("UnauthorizedError", "Missing or invalid credentials");
  const parsed = hasBody(request) ? await readBody(request, settings.http.limits) : undefined;
  const { search } = splitUrl(request.url);
  const result = await route.handle({
    request,
    params,
    query: () => parseQueryString(search),
    body: async () => (parsed ?? {}) as Readonly<Record<string, unknown>>,
  });
  return respond(result, ownHeaders(server, request));
}
