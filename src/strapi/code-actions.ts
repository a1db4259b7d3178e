/** The actions of a project's own code, once `register` and extensions have added theirs. */
import type { Model } from "../engine/schema/model.ts";
import { addedActions, apiActions } from "./loader/declarations.ts";
import type { LoadedCode } from "./loader/load.ts";
import { withTypes } from "./packages/core-router.ts";
import type { PluginModules } from "./plugin-modules.ts";
import { createRouters } from "./routes/plugin-routes.ts";

/** Routes that cannot be read are reported when they are collected. */
function attempt(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}

export const actionsOfCode = (
  { apis }: Pick<LoadedCode, "apis">,
  { modules, nativeRoutes }: PluginModules,
  { types }: Model,
  strapi: object,
): string[] =>
  withTypes(
    (uid) => types.get(uid),
    () => [
      ...[...apis].flatMap(([name, owner]) => attempt(() => apiActions(name, owner, strapi))),
      ...[...modules].flatMap(([name, { routes }]) =>
        attempt(() => {
          const routers = Array.isArray(routes) ? {} : Object.fromEntries(createRouters(routes ?? {}, strapi));
          return addedActions(name, routers, nativeRoutes.get(name));
        }),
      ),
    ],
  );
