/** The routes of a project's code, in the reference's order: those of `strapi.server.routes`, of apis, and of plugins. */
import { isRecord } from "../../query/key-check.ts";
import type { CodeOwner } from "../loader/load.ts";
import { coreActionOf, coreRouter } from "../packages/core-router.ts";

/** A route as it is declared, with where it comes from. */
export interface DeclaredRoute {
  readonly method: string;
  /** From the root of the server. */
  readonly path: string;
  /** As its file has it. */
  readonly ownPath: string;
  readonly handler: unknown;
  readonly config: Readonly<Record<string, unknown>>;
  readonly info: { readonly apiName?: string; readonly pluginName?: string; readonly type: string };
  /** Its core action, if a core router made it. */
  readonly core?: { readonly uid: string; readonly action: string; readonly path: string };
}

interface RouteTable {
  readonly apiPrefix: string;
  /** The types of an api that is served though it declares no routes. */
  readonly servedTypesOf: (apiName: string) => readonly string[];
  /** Throws the error of a file's routes, or reports it. */
  readonly attempt: (file: string, work: () => DeclaredRoute[]) => DeclaredRoute[];
}

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "ALL", "HEAD", "OPTIONS"]);

const joinPath = (...parts: readonly string[]): string => {
  const path = parts.join("/").replace(/\/{2,}/g, "/");
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path || "/";
};

/** The config of a route as it is written, or nothing. */
export const configOf = (route: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  isRecord(route.config) ? route.config : {};

/** The routes of a router. Throws for an invalid one. */
export function declaredRoutes(
  rows: unknown,
  prefixes: { readonly base: string; readonly router: string },
  info: DeclaredRoute["info"],
): DeclaredRoute[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown): DeclaredRoute[] => {
    if (!isRecord(row) || typeof row.path !== "string") throw new Error(`Invalid route config ${Bun.inspect(row)}`);
    const method = String(row.method ?? "")
      .trim()
      .toUpperCase();
    if (!METHODS.has(method)) throw new Error(`Invalid route config: ${row.path} has the method ${String(row.method)}`);
    if (row.handler === undefined) throw new Error(`Invalid route config: ${row.path} has no handler`);
    const config = configOf(row);
    // a route with a prefix of its own does not have the router's; what it is does not matter
    const prefix = "prefix" in config ? "" : prefixes.router;
    const core = coreActionOf(row);
    return [
      {
        method,
        path: joinPath(prefixes.base, prefix, row.path.trim()),
        ownPath: row.path,
        handler: row.handler,
        config,
        info,
        ...(core ? { core: { ...core, path: joinPath(prefixes.base, row.path) } } : {}),
      },
    ];
  });
}

/** The routes of an api's files, in order of their names. */
export function routesOfApi(apiName: string, owner: CodeOwner, table: RouteTable, strapi: object): DeclaredRoute[] {
  const info = { apiName, type: "content-api" };
  if (owner.routes.size === 0) {
    const routers = table.servedTypesOf(apiName).map((uid) => coreRouter(uid));
    return routers.flatMap(({ routes }) => declaredRoutes(routes, { base: table.apiPrefix, router: "" }, info));
  }
  const routesOf = (exported: unknown): DeclaredRoute[] => {
    const router: unknown = typeof exported === "function" ? exported({ strapi }) : exported;
    // a bare list is one of the server, not of the api
    if (Array.isArray(router)) return declaredRoutes(router, { base: "", router: "" }, { type: "api" });
    if (!isRecord(router)) return [];
    // for the admin page of the reference
    if (router.type === "admin") return [];
    const prefix = typeof router.prefix === "string" ? router.prefix : "";
    return declaredRoutes(router.routes, { base: table.apiPrefix, router: prefix }, info);
  };
  return [...owner.routes].flatMap(([file, exported]) =>
    table.attempt(`src/api/${apiName}/routes/${file}`, () => routesOf(exported)),
  );
}

/** The permission that a route needs unless it says otherwise: its handler's name. */
export function scopeOf({
  handler,
  config,
  info,
}: Pick<DeclaredRoute, "handler" | "config" | "info">): readonly string[] {
  const { auth } = config;
  if (isRecord(auth) && Array.isArray(auth.scope)) return auth.scope.map(String);
  if (typeof handler !== "string" || (info.apiName === undefined && info.pluginName === undefined)) return [];
  const owner = info.pluginName === undefined ? `api::${info.apiName}` : `plugin::${info.pluginName}`;
  return [handler.startsWith(`${owner}.`) ? handler : `${owner}.${handler}`];
}
