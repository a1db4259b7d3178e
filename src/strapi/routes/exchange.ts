/** A request on its way through the global middlewares, and the route that handles it. */

import type { Context, Middleware, RouteState } from "../koa/koa.ts";
import type { Runtime } from "../runtime.ts";
import { readRequestBody } from "./request-body.ts";
import { decode, type RouteMatch, type Router } from "./router.ts";

/** A route of the code. `endpoint` undefined: the server handles it, as without code. */
export interface FrontRoute {
  readonly method: string;
  readonly path: string;
  readonly endpoint: ((ctx: Context) => Promise<void>) | undefined;
  /** The endpoint for requests whose query was changed by middlewares to something that a query string cannot express, such as an empty object. */
  readonly codeEndpoint?: () => (ctx: Context) => Promise<void>;
  /** The action of a plugin that the server runs. */
  readonly action?: string | undefined;
  /** `ctx.state.route` while the server handles the request. */
  readonly route?: RouteState;
  /** Whether the path is below the API prefix. */
  readonly isContentApi?: boolean;
  /** For administrators: the admin page reaches it, too. */
  readonly isForAdministrators?: boolean;
  /** The server has the route, but code has removed it. */
  readonly isRemoved?: boolean;
}

/** An entry of `config/middlewares`: a built-in middleware, or one of the project. */
export type GlobalMiddleware =
  | { readonly builtin: string }
  /** A built-in one that functions of the project configure. */
  | { readonly builtin: string; readonly run: Middleware }
  | { readonly name: string; readonly run: Middleware };

/** The state of a request in the middleware chain. */
export interface Exchange {
  readonly ctx: Context;
  /** Undefined: the server handles the request. */
  endpoint: FrontRoute["endpoint"];
  /** Undefined for routes that are not in the code. */
  route: FrontRoute | undefined;
  /** All middlewares have returned, without an error: those that set headers last have done so. */
  hasPassed?: boolean;
  hasBody: boolean;
}

/** Sets what code sees of the route. */
export function enterRoute(ctx: Context, { route, params, captures }: RouteMatch<FrontRoute>): void {
  // as in Strapi, whose route of static files matches these requests as well
  const { method, path } = ctx.request;
  const isRead = method === "GET" || method === "HEAD";
  ctx.params = isRead && route.isContentApi ? { 0: decode(path.slice(1)), ...params } : { ...params };
  ctx.request.params = ctx.params;
  ctx._matchedRoute = route.path;
  ctx.routerPath = route.path;
  ctx.captures = captures;
}

/** Again, if a middleware has changed the method or path. */
export function findRouteAgain(exchange: Exchange, router: Router<FrontRoute>): void {
  const { ctx } = exchange;
  if (!ctx.req.isRetargeted) return;
  const found = router.find(ctx.method, ctx.path);
  exchange.route = found?.route;
  exchange.endpoint = found?.route.endpoint;
  if (found) enterRoute(ctx, found);
}

/** Reads the body once; undefined if that has been done. */
export function readBodyOnce(exchange: Exchange, runtime: Runtime): Promise<void> | undefined {
  if (exchange.hasBody) return undefined;
  exchange.hasBody = true;
  return readRequestBody(exchange.ctx, runtime);
}

export const isGraphql = (ctx: Context, { settings }: Runtime): boolean => ctx.path === settings.graphql.endpoint;
