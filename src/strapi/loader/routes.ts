/** Reads the routes that apis and plugins declare. */
import { stringOrEmpty } from "../../lib/coerce.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { coreRouter, findCoreAction } from "../packages/core-router.ts";
import type { CodeOwner } from "./load.ts";
import type { RouteRequest } from "./route-schemas.ts";

/** A declared route, with its origin. */
export interface DeclaredRoute {
  readonly method: string;
  /** The full path, with prefixes. */
  readonly path: string;
  /** The path as declared, without prefixes. */
  readonly ownPath: string;
  readonly handler: unknown;
  readonly config: Readonly<Record<string, unknown>>;
  readonly info: { readonly apiName?: string; readonly pluginName?: string; readonly type: string };
  /** Schemas of parameters and bodies. */
  readonly request?: RouteRequest;
  /** Where it is declared, since routes are matched in another order. */
  readonly place: { readonly router: object; readonly position: number };
  /** Its core action, if a core router created it. */
  readonly core?: { readonly uid: string; readonly action: string; readonly path: string };
}

interface RouteTable {
  readonly apiPrefix: string;
  /** The content-types of an api that are served although it declares no routes. */
  readonly listServedTypes: (apiName: string) => readonly string[];
  /** Throws or reports an error in the routes of a file. */
  readonly attempt: (file: string, work: () => DeclaredRoute[]) => DeclaredRoute[];
}

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "ALL", "HEAD", "OPTIONS"]);

const joinPath = (...parts: readonly string[]): string => {
  const path = parts.join("/").replace(/\/{2,}/g, "/");
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path || "/";
};

const made = new WeakMap<object, unknown>();

/** A router. A function that makes one is called once: it may add routes. */
export function madeRouter(exported: unknown, strapi: object): unknown {
  if (typeof exported !== "function") return exported;
  if (!made.has(exported)) made.set(exported, exported({ strapi }));
  return made.get(exported);
}

/** The `config` of a route; empty if it is missing or invalid. */
export const readConfig = (route: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  toRecord(route.config);

/** The schemas of the server's own routes are made when they are read, and the server checks requests by itself. */
function readRequest(row: Readonly<Record<string, unknown>>): Pick<DeclaredRoute, "request"> {
  const request: unknown = Object.getOwnPropertyDescriptor(row, "request")?.value;
  return isRecord(request) ? { request } : {};
}

interface Prefixes {
  readonly base: string;
  readonly router: string;
}

/** The routes of a list, in its order. Throws for an invalid one. */
export function declaredRoutes(rows: unknown, prefixes: Prefixes, info: DeclaredRoute["info"]): DeclaredRoute[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown, position): DeclaredRoute[] => {
    if (!isRecord(row) || typeof row.path !== "string") throw new Error(`Invalid route config ${Bun.inspect(row)}`);
    const method = String(row.method ?? "")
      .trim()
      .toUpperCase();
    if (!METHODS.has(method)) throw new Error(`Invalid route config: ${row.path} has the method ${String(row.method)}`);
    if (row.handler === undefined) throw new Error(`Invalid route config: ${row.path} has no handler`);
    const config = readConfig(row);
    // as in Strapi, `config.prefix` only removes the prefix of the router; its value is ignored
    const prefix = "prefix" in config ? "" : prefixes.router;
    const core = findCoreAction(row);
    return [
      {
        method,
        path: joinPath(prefixes.base, prefix, row.path.trim()),
        ownPath: row.path,
        handler: row.handler,
        config,
        info,
        place: { router: rows, position },
        ...readRequest(row),
        ...(core ? { core: { ...core, path: joinPath(prefixes.base, row.path) } } : {}),
      },
    ];
  });
}

const hasOwnPrefix = ({ config }: DeclaredRoute): boolean => "prefix" in config;

/** The routes of a router: as in Strapi, those with a prefix of their own come first. */
export function routesOfRouter(rows: unknown, prefixes: Prefixes, info: DeclaredRoute["info"]): DeclaredRoute[] {
  const routes = declaredRoutes(rows, prefixes, info);
  return [...routes.filter(hasOwnPrefix), ...routes.filter((route) => !hasOwnPrefix(route))];
}

/** The routes of an api's files, sorted by file name. */
export function routesOfApi(
  apiName: string,
  owner: Pick<CodeOwner, "routes">,
  table: RouteTable,
  strapi: object,
): DeclaredRoute[] {
  const info = { apiName, type: "content-api" };
  if (owner.routes.size === 0) {
    const routers = table.listServedTypes(apiName).map((uid) => coreRouter(uid));
    return routers.flatMap(({ routes }) => declaredRoutes(routes, { base: table.apiPrefix, router: "" }, info));
  }
  const readRoutes = (exported: unknown): DeclaredRoute[] => {
    const router = madeRouter(exported, strapi);
    // routes in a plain list have no prefix, as those of the server
    if (Array.isArray(router)) return declaredRoutes(router, { base: "", router: "" }, { type: "api" });
    // as in Strapi, which sets its type
    if (!isRecord(router)) throw new Error(`a router must be an object, not ${router === null ? null : typeof router}`);
    const { routes = null } = router;
    if (routes !== null && !Array.isArray(routes)) throw new Error(`routes must be a list, not ${typeof routes}`);
    const prefix = stringOrEmpty(router.prefix);
    // as in Strapi, whatever their type
    return routesOfRouter(routes, { base: table.apiPrefix, router: prefix }, info);
  };
  return [...owner.routes].flatMap(([file, exported]) =>
    table.attempt(`src/api/${apiName}/routes/${file}`, () => readRoutes(exported)),
  );
}

/** Such as `api::article`. */
export const ownerOfRoute = ({ apiName, pluginName }: DeclaredRoute["info"]): string =>
  pluginName === undefined ? `api::${apiName}` : `plugin::${pluginName}`;

/**
 * The permissions that a route requires: `config.auth.scope`, or else, also instead of an empty list, its handler's uid; undefined: it
 * needs any user or token.
 */
export function readScope({
  handler,
  config,
  info,
}: Pick<DeclaredRoute, "handler" | "config" | "info">): readonly string[] | undefined {
  const { auth } = config;
  const declared = isRecord(auth) && Array.isArray(auth.scope) ? auth.scope.map(String) : undefined;
  if (declared && declared.length > 0) return declared;
  if (typeof handler !== "string" || (info.apiName === undefined && info.pluginName === undefined)) return declared;
  const owner = ownerOfRoute(info);
  return [handler.startsWith(`${owner}.`) ? handler : `${owner}.${handler}`];
}

/** The `config` of a route with its scope, as code sees it. */
export function configWithScope(route: Pick<DeclaredRoute, "handler" | "config" | "info">): DeclaredRoute["config"] {
  const { config } = route;
  const scope = readScope(route);
  if (!scope || !(config.auth === undefined || isRecord(config.auth))) return config;
  return { ...config, auth: { ...config.auth, scope } };
}

/** The routes of the Content API, each router's in the order in which it declares them. */
export function contentApiRoutesOf(routes: readonly DeclaredRoute[]): DeclaredRoute[] {
  const byRouter = Map.groupBy(
    routes.filter(({ info }) => info.type === "content-api"),
    ({ place }) => place.router,
  );
  return [...byRouter.values()].flatMap((list) => list.toSorted((a, b) => a.place.position - b.place.position));
}

/** With the last slash of the declared path, which requests do not need. */
export const listedPath = ({ path, ownPath }: DeclaredRoute): string =>
  ownPath.endsWith("/") && !path.endsWith("/") ? `${path}/` : path;

/** Routes by owner, with their handlers as they are declared. */
export function routesMap(routes: readonly DeclaredRoute[]) {
  const own = contentApiRoutesOf(routes);
  return Object.groupBy(
    own.map((route) => {
      const { method, handler, info } = route;
      return { method, path: listedPath(route), handler, config: configWithScope(route), info };
    }),
    ({ info }) => ownerOfRoute(info),
  );
}
