/**
 * The admin over HTTP: at the reference's own paths for admin tokens, below `/admin/api` for sessions of the admin page,
 * and the page itself. They are an Elysia application of their own, which is made with the first request to one of them,
 * so that a server whose admin is not used does not pay for it.
 */
import type { AnyElysia } from "elysia";
import { Access } from "../access/access.ts";
import type { AdminRoute } from "../admin/call.ts";
import { distinctRoutes, type HttpContext, type HttpRoute, splitUrl } from "../api/http-route.ts";
import { hasBody, readBody } from "../api/rest/body.ts";
import { type CommonHeaders, setHeaders } from "../api/rest/headers.ts";
import { looseMatcher } from "../api/rest/loose-match.ts";
import { checkPath, isDecodable } from "../api/rest/path.ts";
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

/** Finds out who asks: throws for somebody who may not, unless the route is public. Returns headers to add to the answer. */
type Authenticate = (request: Request, isPublic: boolean) => Readonly<Record<string, string>>;

const unauthorized = (): ApiError => new ApiError("UnauthorizedError", "Missing or invalid credentials");

function createAdmin(server: AdminServer): AnyElysia {
  const { createAdminRoutes } = require("./admin-services.ts") as typeof import("./admin-services.ts");
  const { pageFiles } = require("./admin-page.ts") as typeof import("./admin-page.ts");
  const { createPageAccess, API_PATH } =
    require("../admin/session/page-access.ts") as typeof import("../admin/session/page-access.ts");
  const { routes, pageRoutes, session, checkHost } = createAdminRoutes(server.project);
  const { tokens } = server.project.access;
  const withToken: Authenticate = (request, isPublic) => {
    const key = Access.bearer(request.headers.get("authorization"));
    if (!(key !== undefined && tokens.isAdmin(key)) && !isPublic) throw unauthorized();
    return {};
  };
  const guarded = ({ method, path, handle }: HttpRoute): HttpRoute => ({
    method,
    path,
    handle: async (context) => {
      checkHost(context.request);
      checkPath(splitUrl(context.request.url).path);
      return handle(context);
    },
  });
  const served = (authenticate: Authenticate, prefix: string, rows: readonly AdminRoute[]): HttpRoute[] =>
    rows.map((row) => ({
      method: row.method,
      path: prefix + row.path,
      handle: (context) => answer(server, row, authenticate, context),
    }));
  const withSession = createPageAccess(session);
  const ofReference = served(withToken, "", routes);
  const http = [
    ...served(withSession, "", pageRoutes),
    ...served(withSession, API_PATH, routes),
    ...pageFiles(),
    ...ofReference,
  ];
  let loosely: ReturnType<typeof looseMatcher> | undefined;
  const missing: HttpRoute = {
    method: "ALL",
    path: "/*",
    handle: (context) => {
      const { path } = splitUrl(context.request.url);
      loosely ??= looseMatcher(ofReference);
      const matches = isDecodable(path) ? loosely(path) : [];
      const match = matches.find(({ route }) => route.method === context.request.method);
      if (!match) throw notFound();
      return match.route.handle({ ...context, params: match.params });
    },
  };
  return createElysia((error, request) => respondToError(error, ownHeaders(server, request)))
    .use(area(distinctRoutes([http.map(guarded)]).flat()))
    .use(area([guarded(missing)]));
}

async function answer(
  server: AdminServer,
  route: AdminRoute,
  authenticate: Authenticate,
  { request, params }: HttpContext,
): Promise<Response> {
  const added = authenticate(request, route.isPublic === true);
  const { settings } = server.project;
  const parsed = hasBody(request) ? await readBody(request, settings.http.limits) : undefined;
  const { search } = splitUrl(request.url);
  const { headers, stream, ...result } = await route.handle({
    request,
    params,
    query: () => parseQueryString(search),
    // a body of plain text has no keys
    body: async () =>
      (typeof parsed === "object" && parsed !== null ? parsed : {}) as Readonly<Record<string, unknown>>,
  });
  const sent = { ...added, ...headers };
  const own = ownHeaders(server, request);
  if (!stream) return respond({ ...result, headers: sent }, own);
  setHeaders(own, sent);
  return new Response(stream, { status: result.status, headers: own });
}
