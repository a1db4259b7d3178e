/** Collects the routes and middlewares of a project's code, and decides which core routes exist. */
import type Koa from "koa";
import { contentActions } from "../../engine/access/action-names.ts";
import { apiTypes, type Model } from "../../engine/schema/model.ts";
import { once } from "../../lib/once.ts";
import type { Middleware } from "../koa/koa.ts";
import type { LoadedCode } from "../loader/load.ts";
import type { Members, PluginModule } from "../loader/plugin.ts";
import { type DeclaredRoute, declaredRoutes, readScope, routesOfApi } from "../loader/routes.ts";
import { withTypes } from "../packages/core-router.ts";
import { isPlainCore } from "../packages/strapi.ts";
import { helperNames } from "./controller-helpers.ts";
import type { FrontRoute } from "./exchange.ts";
import { Front, type FrontParts } from "./front.ts";
import { buildRoutes, type RouteServices, routeKey } from "./front-routes.ts";
import { globalMiddlewares } from "./global-middlewares.ts";
import { routesOfPlugin } from "./plugin-routes.ts";
import { Router } from "./router.ts";

/**
 * Core actions without a route, and scopes of routes that name no action. In Strapi, only actions with a route exist.
 */
function actionsWithoutRoute(model: Model, routes: readonly DeclaredRoute[]): Set<string> {
  const listActions = ({ handler, info }: DeclaredRoute) =>
    typeof handler === "string" && handler.includes("::")
      ? [handler.trim()]
      : (readScope({ handler, info, config: {} }) ?? []);
  const routed = new Set(routes.flatMap(listActions));
  const actions = apiTypes(model).flatMap((type) => contentActions(type).map((action) => `${type.uid}.${action}`));
  return new Set(
    [...actions, ...routes.flatMap((route) => readScope(route) ?? [])].filter((action) => !routed.has(action)),
  );
}

/** The routes that the server has for a plugin, before an extension changes them. */
const builtinRoutes = (prefix: string, pluginName: string, rows: readonly Members[] = []): DeclaredRoute[] =>
  declaredRoutes(rows, { base: prefix, router: `/${pluginName}` }, { pluginName, type: "content-api" });

/** Native routes that an extension has removed from its plugin, which the server must not answer. */
function removedRoutes(native: readonly DeclaredRoute[], declared: readonly DeclaredRoute[]): DeclaredRoute[] {
  const declaredKeys = new Set(declared.map(({ method, path }) => `${method} ${path}`));
  return native.filter(({ method, path }) => !declaredKeys.has(`${method} ${path}`));
}

/** `skipsFailures`: invalid middlewares are reported, too. */
export interface ServingParts
  extends Omit<RouteServices, "isCoreAction" | "nativeKeys" | "removed">,
    Pick<FrontParts, "attached" | "limitMs"> {
  readonly code: LoadedCode;
  readonly modules: ReadonlyMap<string, PluginModule>;
  /** The routes that the server handles without code, by plugin. */
  readonly nativeRoutesByPlugin: ReadonlyMap<string, readonly Members[]>;
  /** Added with `strapi.server`. */
  readonly addedRoutes: () => readonly DeclaredRoute[];
  /** Added with `strapi.server.use` before those of `config/middlewares`, until the end of `register`. */
  readonly firstMiddlewares: readonly Middleware[];
  /** Added after those, in `bootstrap`. */
  readonly lastMiddlewares: readonly Middleware[];
  /** Parameters that code adds to the routes of apis and plugins. */
  readonly extraParams: { readonly applyTo: (route: DeclaredRoute) => DeclaredRoute };
  /** `strapi.server.app`. */
  readonly app: Koa;
  /** `config/middlewares`. */
  readonly configured: unknown;
}

/** Whether a controller or service has the core member for an action, without an override. */
export function isCore(exported: unknown, make: () => unknown, action: string): boolean {
  if (isPlainCore(exported)) return true;
  const created = make();
  if (typeof created !== "object" || created === null) return false;
  const core: unknown = Object.getPrototypeOf(created);
  if (core === Object.prototype || core === null) return false;
  const member = (created as Members)[action];
  return member !== undefined && member === (core as Members)[action];
}

/** Of content-types; their folders need not have code. */
export const apiNames = ({ types }: Model): string[] =>
  [...types.keys()].filter((uid) => uid.startsWith("api::")).map((uid) => uid.slice("api::".length).split(".")[0]!);

/** Has code run the core actions, for the sanitizers that it has added. */
const withCode = (routes: readonly FrontRoute[]): FrontRoute[] =>
  routes.map((route) => (route.codeEndpoint ? { ...route, endpoint: route.codeEndpoint() } : route));

const createAttempt =
  ({ problems, skipsFailures }: ServingParts) =>
  (file: string, work: () => DeclaredRoute[], otherwise: () => DeclaredRoute[] = () => []): DeclaredRoute[] => {
    try {
      return work();
    } catch (error) {
      const { message } = error as Error;
      if (!skipsFailures) throw new Error(`${file}: ${message}`, { cause: error });
      problems.push({ file, message: `is left out: ${message}` });
      return otherwise();
    }
  };

const hasCoreAction = ({ registries, runtime }: ServingParts, uid: string, action: string): boolean =>
  [action, ...helperNames].every((name) =>
    isCore(registries.controllers.exported(uid), () => registries.controllers.get(uid), name),
  ) &&
  runtime.hasCoreService(uid, action) &&
  runtime.hasCoreService(uid, "getFetchParams");

export type Serving = ReturnType<typeof createServing>;

/** Throws for invalid routers and routes, unless `skipsFailures`. */
export function createServing(parts: ServingParts) {
  const { code, runtime, registries, strategies, modules, problems, skipsFailures } = parts;
  const { context, settings, strapi } = runtime;
  const { model } = context;
  const { prefix } = settings.rest;
  // without any declared routes, all content-types are served
  const declaresRoutes = code.files.some(({ kind }) => kind === "route");
  const attempt = createAttempt(parts);
  /** A built-in plugin whose extension has broken its routes keeps those of the server. */
  const listRoutes = (name: string, module: PluginModule): DeclaredRoute[] =>
    attempt(
      `routes of plugin ${name}`,
      () => routesOfPlugin(name, module, prefix, strapi),
      () => builtinRoutes(prefix, name, parts.nativeRoutesByPlugin.get(name)),
    );
  const table = {
    apiPrefix: prefix,
    attempt,
    listServedTypes: (api: string) =>
      declaresRoutes ? [] : [...model.types.keys()].filter((uid) => uid.startsWith(`api::${api}.`)),
  };
  // before the routes are collected, since middlewares may add some when they are created
  const configured = [...globalMiddlewares(parts.configured, parts)];
  const withParams = (route: DeclaredRoute): DeclaredRoute => {
    const [applied = route] = attempt(`${route.method} ${route.path}`, () => [parts.extraParams.applyTo(route)]);
    return applied;
  };
  const [apiRoutes, pluginRoutes] = withTypes(
    (uid) => model.types.get(uid),
    () => [
      [...code.apis].flatMap(([api, owner]) => routesOfApi(api, owner, table, strapi)).map(withParams),
      [...modules].flatMap(([name, module]) => listRoutes(name, module)).map(withParams),
    ],
  );
  /** Those of apis without code. */
  const undeclared = (): readonly DeclaredRoute[] =>
    withTypes(
      (uid) => model.types.get(uid),
      () =>
        apiNames(model)
          .filter((api, index, names) => !code.apis.has(api) && names.indexOf(api) === index)
          .flatMap((api) => routesOfApi(api, { routes: new Map() }, table, strapi)),
    );
  const declared = [...parts.addedRoutes(), ...apiRoutes, ...pluginRoutes];
  const native = [...parts.nativeRoutesByPlugin].flatMap(([name, rows]) => builtinRoutes(prefix, name, rows));
  const nativeKeys = new Set(native.map(routeKey));
  const removed = removedRoutes(native, pluginRoutes);
  const coreRoutes = new Set(
    apiRoutes.flatMap(({ core, path }) => (core && core.path === path ? [`${core.uid}.${core.action}`] : [])),
  );
  if (declaresRoutes) runtime.access.access.setAbsentActions(actionsWithoutRoute(model, declared));
  const isCoreAction = (uid: string, action: string): boolean => hasCoreAction(parts, uid, action);
  let leavesPath = (_path: string): boolean => false;
  return {
    declared: declared as readonly DeclaredRoute[],
    /** Whether no code takes part in reads of a type, nor in a GET of `path`, once the front exists. Global middlewares do not count. */
    leavesReads: (uid: string, path: string): boolean =>
      !runtime.documents.watchesReads(uid) && !runtime.sanitizers.changeOutput && leavesPath(path),
    /**
     * Whether the route of a core action exists: once a project declares routes, others do not. Undefined: a route without an action.
     */
    servesCore: (action: string | undefined = ""): boolean => {
      const api = action.slice("api::".length).split(".")[0] ?? "";
      return (!declaresRoutes && !code.apis.has(api)) || coreRoutes.has(action);
    },
    /** Called when the HTTP server exists. */
    createFront: (): Front => {
      const { composedActions } = parts;
      const shared = { runtime, registries, composedActions, strategies, isCoreAction, problems, skipsFailures };
      const services = { ...shared, nativeKeys, removed };
      const refused = removed.map(({ method, path }) => ({ method, path, endpoint: undefined, isRemoved: true }));
      const routes = [...buildRoutes(declared, services), ...refused];
      const plain = new Router(routes);
      const sanitized = once(() => new Router(withCode([...routes, ...buildRoutes(undeclared(), services)])));
      const added = (list: readonly Middleware[]) => list.map((run) => ({ name: "strapi.server.use", run }));
      const middlewares = [...added(parts.firstMiddlewares), ...configured, ...added(parts.lastMiddlewares)];
      const { attached, limitMs } = parts;
      const router = () => (runtime.sanitizers.areUsed ? sanitized() : plain);
      leavesPath = (path) => plain.find("GET", path)?.route.endpoint === undefined;
      return new Front({ runtime, router, middlewares, attached, limitMs });
    },
  };
}
