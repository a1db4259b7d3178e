/** Builds declared routes: finds their handlers, policies and middlewares by name. */
import { isRecord } from "../../lib/is-record.ts";
import type { Middleware, RouteState } from "../koa/koa.ts";
import type { CodeProblem } from "../loader/load.ts";
import { findHandler, type Registries } from "../loader/registry.ts";
import { hasSchemas } from "../loader/route-schemas.ts";
import { configWithScope, type DeclaredRoute, readScope } from "../loader/routes.ts";
import type { Runtime } from "../runtime.ts";
import type { ComposedActions } from "./composed-actions.ts";
import { cachedAction } from "./direct-actions.ts";
import { createEndpoint, type EndpointParts, type Policy } from "./endpoint.ts";
import type { FrontRoute } from "./exchange.ts";
import { isNative } from "./native-actions.ts";
import type { Strategies } from "./strategies.ts";

export interface RouteServices {
  readonly runtime: Runtime;
  readonly registries: Registries;
  readonly composedActions: ComposedActions;
  readonly strategies: Strategies;
  /** Whether an action of a content-type is the core one. */
  readonly isCoreAction: (uid: string, action: string) => boolean;
  /** Problems with files: the name that a route refers to may be in one of them. */
  readonly problems: CodeProblem[];
  /** Respond to an invalid route with its error, instead of failing the start. */
  readonly skipsFailures: boolean;
}

const formatOwner = ({ info }: DeclaredRoute): string =>
  info.pluginName === undefined ? `api::${info.apiName}` : `plugin::${info.pluginName}`;

/** The uids that `name` may stand for in a route. */
const listNames = (route: DeclaredRoute, name: string): readonly string[] =>
  name.includes("::") ? [name] : [`${formatOwner(route)}.${name}`, name, `global::${name}`];

function find(registry: Registries[keyof Registries], names: readonly string[]): unknown {
  for (const name of names) if (registry.has(name)) return registry.get(name);
  return undefined;
}

class RouteBuilder {
  readonly #services: RouteServices;
  readonly #route: DeclaredRoute;

  constructor(services: RouteServices, route: DeclaredRoute) {
    this.#services = services;
    this.#route = route;
  }

  build(): FrontRoute {
    const { method, path, ownPath, handler, info, request } = this.#route;
    const scope = readScope(this.#route);
    const route: RouteState = {
      method,
      path: ownPath,
      handler,
      config: configWithScope(this.#route),
      info,
      ...(request ? { request } : {}),
    };
    const isContentApi = info.type === "content-api";
    if (this.#isServed()) {
      let endpoint: ReturnType<typeof createEndpoint> | undefined;
      const codeEndpoint = () => {
        endpoint ??= this.#endpoint(route, scope);
        return endpoint;
      };
      const [action] = scope ?? [];
      const own = this.#route.core ? { codeEndpoint } : { action };
      return { method, path, isContentApi, endpoint: undefined, route, ...own };
    }
    return {
      method,
      path,
      isContentApi,
      isForAdministrators: info.type === "admin",
      endpoint: this.#endpoint(route, scope),
    };
  }

  #endpoint(route: RouteState, scope: EndpointParts["scope"]): ReturnType<typeof createEndpoint> {
    const { config, handler, info } = this.#route;
    const listed = isRecord(config.auth) ? config.auth.strategies : undefined;
    const strategies = this.#services.strategies.select(info.type, listed);
    const parts: EndpointParts = {
      route,
      isOpen: config.auth === false,
      isUnreachable: strategies?.length === 0,
      strategies,
      scope,
      policies: this.#list("policies").map((entry) => this.#policy(entry)),
      middlewares: this.#list("middlewares").map((entry) => this.#middleware(entry)),
      actions: [handler].flat().map((entry) => this.#action(entry)),
    };
    return createEndpoint(this.#services.runtime, parts);
  }

  /** Whether the server can handle the route with the same result. */
  #isServed(): boolean {
    const { core, config, path, ownPath, info, handler } = this.#route;
    const isPlain =
      config.auth === undefined &&
      this.#list("policies").length === 0 &&
      this.#list("middlewares").every((entry) => !core && this.#isNativeMiddleware(entry));
    const needsCode = () => hasSchemas(this.#route) || this.#services.strategies.ofType(info.type).length > 0;
    if (!isPlain || (core && needsCode())) return false;
    if (core) return core.path === path && this.#services.isCoreAction(core.uid, core.action);
    if (info.pluginName === undefined || typeof handler !== "string") return false;
    return isNative(this.#member(handler)?.action, ownPath);
  }

  /** Whether the server does by itself what a middleware of the route does. */
  #isNativeMiddleware(entry: unknown): boolean {
    const { registries } = this.#services;
    return typeof entry === "string" && isNative(find(registries.middlewares, listNames(this.#route, entry)), "");
  }

  #list(key: "policies" | "middlewares"): readonly unknown[] {
    const list = this.#route.config[key];
    if (list === undefined || list === null) return [];
    if (!Array.isArray(list)) throw this.#error(`config.${key} must be a list`);
    return list;
  }

  #error(message: string): Error {
    const { method, path } = this.#route;
    return new Error(`${method} ${path}: ${message}`);
  }

  #policy(entry: unknown): EndpointParts["policies"][number] {
    if (typeof entry === "function") return { policy: entry as Policy, config: {} };
    const name = isRecord(entry) ? entry.name : entry;
    if (typeof name !== "string") throw this.#error("a policy must be a name, or an object with one");
    const handler = findHandler(find(this.#services.registries.policies, listNames(this.#route, name)));
    if (!handler) throw this.#error(`Policy ${name} not found`);
    return { policy: handler as Policy, config: isRecord(entry) ? (entry.config ?? entry.options ?? {}) : {} };
  }

  #middleware(entry: unknown): Middleware {
    if (typeof entry === "function") return entry as Middleware;
    const name = isRecord(entry) ? (entry.name ?? entry.resolve) : entry;
    if (typeof name !== "string")
      throw this.#error("a middleware must be a name, a function, or an object with a name");
    const factory = find(this.#services.registries.middlewares, listNames(this.#route, name));
    if (typeof factory !== "function") throw this.#error(`Middleware ${name} not found`);
    const config = isRecord(entry) ? (entry.config ?? entry.options ?? {}) : {};
    const { strapi } = this.#services.runtime;
    const middleware = (factory as (config: unknown, options: object) => unknown)(config, { strapi });
    return typeof middleware === "function" ? (middleware as Middleware) : (_ctx, next) => next();
  }

  /** The controller that a handler names, and its action. */
  #member(handler: string): { controller: object; action: unknown } | undefined {
    const dot = handler.trim().lastIndexOf(".");
    const name = handler.trim().slice(0, dot);
    const uids = [`${formatOwner(this.#route)}.${name}`, name];
    return this.#services.composedActions.find(uids, handler.trim().slice(dot + 1));
  }

  #action(entry: unknown): Middleware {
    if (typeof entry === "function") return entry as Middleware;
    const found = this.#member(String(entry));
    if (typeof found?.action !== "function") throw this.#error(`Handler not found "${String(entry)}"`);
    const { controller, action } = found;
    const handle: Middleware = (ctx, next) => (action as Middleware).call(controller, ctx, next);
    const { core } = this.#route;
    const isCacheable = core && !hasSchemas(this.#route) && this.#services.isCoreAction(core.uid, core.action);
    return isCacheable ? cachedAction(this.#services.runtime, core.uid, core.action, handle) : handle;
  }
}

/** Throws for a route whose handler, policy or middleware does not exist, unless `skipsFailures` or files could not be loaded. */
export function buildRoutes(routes: readonly DeclaredRoute[], services: RouteServices): FrontRoute[] {
  return routes.map((route) => {
    try {
      return new RouteBuilder(services, route).build();
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
