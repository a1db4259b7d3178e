/**
 * Serves the admin: at Strapi's paths for admin tokens, below `/admin/api` for sessions of the admin page, and the page
 * itself. They form a separate Elysia application.
 */

import type { AnyElysia } from "elysia";
import { refusalAsResponse } from "../../admin/builder/builder-error.ts";
import type { AdminCall, AdminRoute, JsonObject } from "../../admin/call.ts";
import { createPageAccess } from "../../admin/session/page-access.ts";
import { API_PATH, readSession, type SessionServices } from "../../admin/session/session.ts";
import { distinctRoutes, type HttpContext, type HttpRoute, setHeaders, splitUrl } from "../../api/http-route.ts";
import { readBody } from "../../api/rest/body.ts";
import { refuseMethod } from "../../api/rest/fallback.ts";
import { looseMatcher } from "../../api/rest/loose-match.ts";
import { checkPath, isDecodable } from "../../api/rest/path.ts";
import { parseQueryString } from "../../api/rest/query-string.ts";
import { type CommonHeaders, respond, respondToError } from "../../api/rest/respond.ts";
import { Access } from "../../engine/access/access.ts";
import { withLimitsOnly } from "../../engine/config/body-settings.ts";
import { defaultCompression } from "../../engine/config/compression-settings.ts";
import { invalidCredentials, notFound } from "../../lib/errors.ts";
import { compress } from "../compress.ts";
import { area, createElysia } from "../elysia-app.ts";
import type { Project } from "../project/project.ts";
import { createPage, opensPage } from "./page.ts";
import { createAdminRoutes } from "./services.ts";

export interface AdminServer {
  readonly project: Project;
  readonly headers: CommonHeaders;
}

/** Other origins must not read responses of sessions. */
function withoutCors(headers: Headers): Headers {
  for (const name of [...headers.keys()]) if (name.startsWith("access-control-")) headers.delete(name);
  return headers;
}

const isForPage = (path: string): boolean => path.startsWith(`${API_PATH}/`);

/** With CORS only at Strapi's paths, which take admin tokens and no cookies. */
function commonHeaders({ headers }: AdminServer, request: Request): Headers {
  const common = headers.of(request);
  return isForPage(splitUrl(request.url).path) ? withoutCors(common) : common;
}

/** Authenticates a request. Throws an ApiError if it is refused, unless the route is public. Returns headers to add to the response. */
type Authenticate = (request: Request, isPublic: boolean) => Readonly<Record<string, string>>;

/** A list or a schema is five to ten times smaller: the page may be used from far away. */
const compressed = (route: HttpRoute): HttpRoute => ({
  ...route,
  handle: async (context) => compress(context.request, await route.handle(context), defaultCompression),
});

export function createAdmin(server: AdminServer): AnyElysia {
  const { routes, pageRoutes, session, checkHost, frameOrigins } = createAdminRoutes(server.project);
  const { pageFiles, missingDocument } = createPage(frameOrigins);
  const { tokens } = server.project.access;
  const withToken: Authenticate = (request, isPublic) => {
    const key = Access.bearer(request.headers.get("authorization"));
    if (!(key !== undefined && tokens.isAdmin(key)) && !isPublic) throw invalidCredentials();
    return {};
  };
  const withChecks = ({ method, path, handle }: HttpRoute): HttpRoute => ({
    method,
    path,
    handle: async (context) => {
      checkHost(context.request);
      checkPath(splitUrl(context.request.url).path);
      return handle(context);
    },
  });
  const toHttpRoutes = (authenticate: Authenticate, prefix: string, rows: readonly AdminRoute[]): HttpRoute[] =>
    rows.map((row) => ({
      method: row.method,
      path: prefix + row.path,
      handle: (context) =>
        server.project.code?.front?.handleForAdmin(context.request) ?? respondTo(server, row, authenticate, context),
    }));
  const withSession = createPageAccess(session);
  // below `/admin` Strapi has routes that browsers take for pages
  const referenceRoutes = toHttpRoutes(withToken, "", routes).map(
    (route): HttpRoute => ({
      ...route,
      handle: (context) =>
        opensPage(context.request, splitUrl(context.request.url).path)
          ? missingDocument(context.request)
          : route.handle(context),
    }),
  );
  const ownRoutes = [...toHttpRoutes(withSession, "", pageRoutes), ...toHttpRoutes(withSession, API_PATH, routes)].map(
    compressed,
  );
  const allRoutes = [...ownRoutes, ...pageFiles, ...referenceRoutes];
  let matchLoosely: ReturnType<typeof looseMatcher> | undefined;
  const catchAll: HttpRoute = {
    method: "ALL",
    path: "/*",
    handle: (context) => {
      const { path } = splitUrl(context.request.url);
      matchLoosely ??= looseMatcher(referenceRoutes);
      const matches = isDecodable(path) ? matchLoosely(path) : [];
      const match = matches.find(({ route }) => route.method === context.request.method);
      if (match) return match.route.handle({ ...context, params: match.params });
      const ofCode = isForPage(path) ? respondFromCode(server, session, context.request, path) : undefined;
      if (ofCode) return ofCode;
      const preflight = isForPage(path) ? undefined : server.headers.preflight(context.request);
      if (preflight) return preflight;
      const { method } = context.request;
      if (opensPage(context.request, path)) return missingDocument(context.request);
      if (method === "GET" || method === "HEAD") throw notFound();
      return refuseMethod(method, matches, commonHeaders(server, context.request));
    },
  };
  return createElysia((error, request) => respondToError(error, commonHeaders(server, request)))
    .use(area(distinctRoutes([allRoutes.map(withChecks)]).flat()))
    .use(area([withChecks(catchAll)]));
}

/** The response of the project's own code, in a session of the page; undefined if it has no such route. */
function respondFromCode(
  { project }: AdminServer,
  session: SessionServices,
  request: Request,
  path: string,
): Promise<Response> | undefined {
  let sessionHeaders = {};
  const authenticate = (): string => {
    sessionHeaders = createPageAccess(session)(request, false);
    return readSession(request, session)!.id;
  };
  const found = project.code?.front?.handleFromPage(request, path.slice(API_PATH.length), authenticate);
  return found?.then((response) => {
    setHeaders(withoutCors(response.headers), sessionHeaders);
    return response;
  });
}

async function respondTo(
  server: AdminServer,
  route: AdminRoute,
  authenticate: Authenticate,
  { request, params }: HttpContext,
): Promise<Response> {
  const sessionHeaders = authenticate(request, route.isPublic === true);
  const { settings } = server.project;
  const bodySettings = withLimitsOnly(settings.http.body);
  const requestBody = bodySettings.methods.includes(request.method) ? await readBody(request, bodySettings) : undefined;
  const { search } = splitUrl(request.url);
  const call: AdminCall = {
    request,
    params,
    query: () => parseQueryString(search, { options: settings.http.query }),
    rawBody: async () => requestBody,
    // a plain-text body is treated as an empty object
    body: async () => (typeof requestBody === "object" && requestBody !== null ? requestBody : {}) as JsonObject,
  };
  const { headers, stream, ...result } = await refusalAsResponse(async () => route.handle(call));
  const extraHeaders = { ...sessionHeaders, ...headers };
  const responseHeaders = commonHeaders(server, request);
  if (!stream) return respond({ ...result, headers: extraHeaders }, responseHeaders);
  setHeaders(responseHeaders, extraHeaders);
  return new Response(stream, { status: result.status, headers: responseHeaders });
}
