/** Actions and routes that exist on the server, but not in a project that declares routes. */
import { contentActions } from "../../engine/access/action-names.ts";
import { apiTypes, type Model } from "../../engine/schema/model.ts";
import type { Members } from "../loader/plugin.ts";
import { type DeclaredRoute, declaredRoutes, readScope } from "../loader/routes.ts";
import type { FrontRoute } from "./exchange.ts";

/**
 * Core actions without a route, and scopes of routes that name no action. In Strapi, only actions with a route exist.
 */
export function actionsWithoutRoute(model: Model, routes: readonly DeclaredRoute[]): Set<string> {
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
export const builtinRoutes = (prefix: string, pluginName: string, rows: readonly Members[] = []): DeclaredRoute[] =>
  declaredRoutes(rows, { base: prefix, router: `/${pluginName}` }, { pluginName, type: "content-api" });

/** Native routes that an extension has removed from its plugin, which must be answered with 404. */
export function removedRoutes(
  prefix: string,
  nativeRoutes: ReadonlyMap<string, readonly Members[]>,
  declared: readonly DeclaredRoute[],
): FrontRoute[] {
  const declaredKeys = new Set(declared.map(({ method, path }) => `${method} ${path}`));
  const native = [...nativeRoutes].flatMap(([pluginName, rows]) => builtinRoutes(prefix, pluginName, rows));
  return native.flatMap(({ method, path }): FrontRoute[] =>
    declaredKeys.has(`${method} ${path}`) ? [] : [{ method, path, endpoint: undefined, isRemoved: true }],
  );
}
