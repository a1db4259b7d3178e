/** What the server would answer or allow, and a project with routes of its own does not. */
import { contentActions } from "../../access/action-names.ts";
import { apiTypes, type Model } from "../../schema/model.ts";
import type { Members } from "../plugins/plugin.ts";
import type { FrontRoute } from "./front.ts";
import { type DeclaredRoute, scopeOf } from "./routes.ts";

/**
 * Core actions that no route leads to, and permissions that routes ask for without naming an action. The reference knows
 * actions by their routes alone.
 */
export function actionsWithoutRoute(model: Model, routes: readonly DeclaredRoute[]): Set<string> {
  const actionsOf = ({ handler, info }: DeclaredRoute) =>
    typeof handler === "string" && handler.includes("::") ? [handler.trim()] : scopeOf({ handler, info, config: {} });
  const routed = new Set(routes.flatMap(actionsOf));
  const actions = apiTypes(model).flatMap((type) => contentActions(type).map((action) => `${type.uid}.${action}`));
  return new Set([...actions, ...routes.flatMap(scopeOf)].filter((action) => !routed.has(action)));
}

/** Routes of the server that an extension has taken out of its plugin answer as if they had never been there. */
export function removedRoutes(
  prefix: string,
  lists: ReadonlyMap<string, readonly Members[]>,
  declared: readonly DeclaredRoute[],
): FrontRoute[] {
  const there = new Set(declared.map(({ method, path }) => `${method} ${path}`));
  return [...lists.values()].flat().flatMap((row): FrontRoute[] => {
    const [method, path] = [String(row.method), prefix + String(row.path)];
    return there.has(`${method} ${path}`) ? [] : [{ method, path, endpoint: undefined, isRemoved: true }];
  });
}
