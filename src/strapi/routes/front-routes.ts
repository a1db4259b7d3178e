/** Builds declared routes: finds their handlers, policies and middlewares by name. */
import { isBuiltinMiddleware } from "../../engine/config/middlewares.ts";
import { isRecord } from "../../lib/is-record.ts";
import { once } from "../../lib/once.ts";
import type { Middleware, RouteState } from "../koa/koa.ts";
import type { CodeProblem } from "../loader/load.ts";
import { findHandler, type Registries } from "../loader/registry.ts";
import { hasSchemas } from "../loader/route-schemas.ts";
import { configWithScope, type DeclaredRoute, ownerOfRoute, readScope } from "../loader/routes.ts";
import type { Runtime } from "../runtime.ts";
import type { ComposedActions } from "./composed-actions.ts";
import { cachedAction } from "./direct-actions.ts";
import { createEndpoint, type EndpointParts, type Policy } from "./endpoint.ts";
import type { FrontRoute } from "./exchange.ts";
import { isNative } from "./native-actions.ts";
import { routeFilter } from "./request-filters.ts";
import { type RoutePattern, Router } from "./router.ts";
import type { Strategies } from "./strategies.ts";

export interface RouteServices {
  readonly runtime: Runtime;
  readonly registries: Registries;
  readonly composedActions: ComposedActions;
  /** Registered with `strapi.get("auth")`. */
  readonly strategies: Strategies;
  /** Whether an action of a content-type is the core one. */
  readonly isCoreAction: (uid: string, action: string) => boolean;
  /** The keys of the routes that the server has for plugins. */
  readonly nativeKeys: ReadonlySet<string>;
  /** Routes of the server that an extension has removed. */
  readonly removed: readonly RoutePattern[];
  /** Problems with files: the name that a route refers to may be in one of them. */
  readonly problems: CodeProblem[];
  /** Respond to an invalid route with its error, instead of failing the start. */
  readonly skipsFailures: boolean;
}

interface RouteSource {
  readonly services: RouteServices;
  readonly declared: DeclaredRoute;
}

export const routeKey = ({ method, path, handler }: DeclaredRoute): string => `${method} ${path} ${String(handler)}`;

/** The uids that `name` may stand for in a route. */
const listNames = (route: DeclaredRoute, name: string): readonly string[] =>
  name.includes("::") ? [name] : [`${ownerOfRoute(route.info)}.${name}`, name, `global::${name}`];

function find(registry: Registries[keyof Registries], names: readonly string[]): unknown {
  for (const name of names) if (registry.has(name)) return registry.get(name);
  return undefined;
}

function makeEndpoint(
  source: RouteSource,
  route: RouteState,
  scope: EndpointParts["scope"],
): ReturnType<typeof createEndpoint> {
  const { declared, services } = source;
  const { config, handler, info } = declared;
  const listed = isRecord(config.auth) ? config.auth.strategies : undefined;
  const strategies = services.strategies.select(info.type, listed);
  const parts: EndpointParts = {
    route,
    isOpen: config.auth === false,
    isUnreachable: strategies?.length === 0,
    strategies,
    scope,
    policies: listEntries(source, "policies").map((entry) => findPolicy(source, entry)),
    middlewares: listEntries(source, "middlewares").map((entry) => findMiddleware(source, entry)),
    actions: [handler].flat().map((entry) => findAction(source, entry)),
  };
  return createEndpoint(services.runtime, parts);
}

/** Whether the server can handle the route with the same result. */
function isServed(source: RouteSource): boolean {
  const { declared, services } = source;
  const { core, config, path, ownPath, info, handler } = declared;
  const isPlain =
    config.auth === undefined &&
    listEntries(source, "policies").length === 0 &&
    listEntries(source, "middlewares").every((entry) => !core && isNativeMiddleware(source, entry));
  const needsCode = () => hasSchemas(declared) || services.strategies.ofType(info.type).length > 0;
  if (!isPlain || services.strategies.replacesServer || (core && needsCode())) return false;
  if (core) return core.path === path && services.isCoreAction(core.uid, core.action);
  if (info.pluginName === undefined || typeof handler !== "string") return false;
  // the server knows its actions at their own paths only
  if (!services.nativeKeys.has(routeKey(declared))) return false;
  // `/users/:id` of `/users/count`, which the server would find first
  if (services.removed.some((other) => new Router([declared]).find(other.method, other.path))) return false;
  return isNative(findMember(source, handler)?.action, ownPath);
}

/** Whether the server does by itself what a middleware of the route does. */
function isNativeMiddleware({ services, declared }: RouteSource, entry: unknown): boolean {
  return typeof entry === "string" && isNative(find(services.registries.middlewares, listNames(declared, entry)), "");
}

function listEntries(source: RouteSource, key: "policies" | "middlewares"): readonly unknown[] {
  const list = source.declared.config[key];
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw invalid(source, `config.${key} must be a list`);
  return list;
}

function invalid({ declared }: RouteSource, message: string): Error {
  const { method, path } = declared;
  return new Error(`${method} ${path}: ${message}`);
}

function findPolicy(source: RouteSource, entry: unknown): EndpointParts["policies"][number] {
  const { services, declared } = source;
  if (typeof entry === "function") return { policy: entry as Policy, config: {} };
  const name = isRecord(entry) ? entry.name : entry;
  if (typeof name !== "string") throw invalid(source, "a policy must be a name, or an object with one");
  const policy = find(services.registries.policies, listNames(declared, name));
  const handler = findHandler(policy);
  if (!handler) throw invalid(source, `Policy ${name} not found`);
  // throws for a configuration that it does not accept
  if (isRecord(policy) && typeof policy.validator === "function") policy.validator(isRecord(entry) ? entry.config : {});
  return { policy: handler, config: isRecord(entry) ? (entry.config ?? entry.options ?? {}) : {} };
}

function findMiddleware(source: RouteSource, entry: unknown): Middleware {
  const { services, declared } = source;
  if (typeof entry === "function") return entry as Middleware;
  const name = isRecord(entry) ? (entry.name ?? entry.resolve) : entry;
  if (typeof name !== "string")
    throw invalid(source, "a middleware must be a name, a function, or an object with a name");
  const config = isRecord(entry) ? (entry.config ?? entry.options ?? {}) : {};
  if (isBuiltinMiddleware(name)) return routeFilter(name, config);
  const factory = find(services.registries.middlewares, listNames(declared, name));
  if (typeof factory !== "function") throw invalid(source, `Middleware ${name} not found`);
  const { strapi } = services.runtime;
  const middleware = (factory as (config: unknown, options: object) => unknown)(config, { strapi });
  return typeof middleware === "function" ? (middleware as Middleware) : (_ctx, next) => next();
}

/** The controller that a handler names, and its action. */
function findMember(
  { declared, services }: RouteSource,
  handler: string,
): { controller: object; action: unknown } | undefined {
  const dot = handler.trim().lastIndexOf(".");
  const name = handler.trim().slice(0, dot);
  const uids = [`${ownerOfRoute(declared.info)}.${name}`, name];
  return services.composedActions(uids, handler.trim().slice(dot + 1));
}

function findAction(source: RouteSource, entry: unknown): Middleware {
  const { declared, services } = source;
  if (typeof entry === "function") return entry as Middleware;
  const found = findMember(source, String(entry));
  if (typeof found?.action !== "function") throw invalid(source, `Handler not found "${String(entry)}"`);
  const { controller, action } = found;
  const handle: Middleware = (ctx, next) => (action as Middleware).call(controller, ctx, next);
  const { core } = declared;
  const isCacheable = core && !hasSchemas(declared) && services.isCoreAction(core.uid, core.action);
  return isCacheable ? cachedAction(services.runtime, core.uid, core.action, handle) : handle;
}

function buildRoute(source: RouteSource): FrontRoute {
  const { declared } = source;
  const { method, path, ownPath, handler, info, request } = declared;
  const scope = readScope(declared);
  const route: RouteState = {
    method,
    path: ownPath,
    handler,
    config: configWithScope(declared),
    info,
    ...(request ? { request } : {}),
  };
  const shared = { method, path, isContentApi: info.type === "content-api" };
  if (!isServed(source))
    return { ...shared, isForAdministrators: info.type === "admin", endpoint: makeEndpoint(source, route, scope) };
  const own = declared.core ? { codeEndpoint: once(() => makeEndpoint(source, route, scope)) } : { action: scope?.[0] };
  return { ...shared, endpoint: undefined, route, ...own };
}

/** Throws for a route whose handler, policy or middleware does not exist, unless `skipsFailures` or files could not be loaded. */
export function buildRoutes(routes: readonly DeclaredRoute[], services: RouteServices): FrontRoute[] {
  return routes.map((route) => {
    try {
      return buildRoute({ services, declared: route });
    } catch (error) {
      const { problems, skipsFailures } = services;
      if (problems.length === 0 && !skipsFailures) throw error;
      // its policy may be missing, so that the route must fail
      const { method, path } = route;
      const { message } = error as Error;
      if (!problems.some(({ file }) => message.startsWith(file)))
        problems.push({ file: `${method} ${path}`, message: `fails: ${message}` });
      return {
        method,
        path,
        endpoint: async () => {
          throw error;
        },
      };
    }
  });
}
