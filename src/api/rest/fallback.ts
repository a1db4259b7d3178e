/**
 * Handles requests that match no route: other spellings of routes that Strapi accepts, preflights, and files of the
 * public folder. Others are refused with 404, 405 or 501.
 */
import type { HttpSettings } from "../../engine/config/middlewares.ts";
import type { PublicUrls } from "../../engine/config/public-urls.ts";
import type { PublicFiles } from "../../engine/media/public-files.ts";
import { relativePath } from "../../lib/relative-path.ts";
import { type HttpContext, type HttpRoute, splitUrl } from "../http-route.ts";
import { readBody } from "./body.ts";
import { redirect } from "./call.ts";
import { serveFile } from "./files.ts";
import { type LooseMatch, looseMatcher } from "./loose-match.ts";
import { type CommonHeaders, respond, respondToError } from "./respond.ts";

export interface FallbackServices {
  readonly settings: HttpSettings;
  readonly headers: CommonHeaders;
  readonly urls: PublicUrls;
  /** Files for paths without a route. */
  readonly files: PublicFiles;
  readonly routes: readonly HttpRoute[];
}

const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** `path`: below the prefix under which the server is mounted. */
export type Fallback = (context: HttpContext, path: string) => Promise<Response>;

export function createFallback({ settings, headers, urls, files, routes }: FallbackServices): Fallback {
  const findMatches = looseMatcher(routes);
  return async (context, path) => {
    const { request } = context;
    const { method } = request;
    const matches = findMatches(path);
    const match = matches.find(({ route }) => accepts(route, method));
    if (match) return match.route.handle({ ...context, params: match.params });
    const preflight = headers.preflight(request);
    if (preflight) return preflight;
    // errors of the body come before those of the path
    if (settings.body.methods.includes(method)) await readBody(request, settings.body);
    const responseHeaders = headers.of(request);
    if (method !== "GET" && method !== "HEAD") return refuseMethod(method, matches, responseHeaders);
    const ownPage = relativePath(path, "/admin");
    const adminUrl = urls.server === "" ? `${mountPrefix(request, path)}/admin` : urls.admin;
    // Strapi's redirect to a page at the root leads to itself
    if (path === "/") return respond(redirect(urls.adminPath === "/" ? ownPage : adminUrl), responseHeaders);
    if (isAdminPath(path, urls)) return respond(redirect(ownPage), responseHeaders);
    try {
      return await serveFile(request, path, files, responseHeaders);
    } catch (error) {
      // includes headers that were set for missing files
      return respondToError(error, responseHeaders);
    }
  };
}

/** Where the project says that the admin page is, if that is not `/admin`. */
const isAdminPath = (path: string, { adminPath }: PublicUrls): boolean =>
  adminPath !== "/" && adminPath !== "/admin" && `${path}/`.startsWith(`${adminPath}/`);

const mountPrefix = ({ url }: Request, path: string): string => splitUrl(url).path.slice(0, -path.length);

const accepts = ({ method }: HttpRoute, requested: string): boolean =>
  method === "ALL" || method === (requested === "HEAD" ? "GET" : requested);

/** What answers a method that a path does not take: the methods of its routes, or that it is not known at all. */
export function refuseMethod(method: string, matches: readonly LooseMatch[], headers: Headers): Response {
  const otherMethods = ["POST", "PUT", "DELETE"].filter((name) => matches.some(({ route }) => route.method === name));
  headers.set("Content-Type", "text/plain; charset=utf-8");
  headers.set("Allow", ["HEAD", "GET", ...otherMethods].join(", "));
  if (method === "OPTIONS") return new Response("", { status: 200, headers });
  return KNOWN_METHODS.has(method)
    ? new Response("Method Not Allowed", { status: 405, headers })
    : new Response("Not Implemented", { status: 501, headers });
}
