/** Declarations that are needed before the project is opened: permissions of routes, and content-types of plugins. */

import type { ContentTypeDefinition, RawContentType } from "../../engine/schema/definition.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { findCoreAction, type RoutedType, UnknownTypeError, withTypes } from "../packages/core-router.ts";
import type { CodeOwner, LoadedCode } from "./load.ts";
import { findHook } from "./plugin.ts";
import { madeRouter, readConfig, readScope } from "./routes.ts";

/** Empty for core routers of unknown types: errors in their schema files must be reported first. */
function listRoutes(router: unknown): Record<string, unknown>[] {
  try {
    return isRecord(router) && Array.isArray(router.routes) ? router.routes.filter(isRecord) : [];
  } catch (error) {
    if (error instanceof UnknownTypeError) return [];
    throw error;
  }
}

function listScopes(
  routers: Iterable<unknown>,
  info: { readonly apiName?: string; readonly pluginName?: string },
): string[] {
  const scopes = [...routers].flatMap((router) =>
    listRoutes(router).flatMap((row) => {
      // those of the project's types exist without a route
      if (findCoreAction(row)?.uid.startsWith("api::")) return [];
      const config = readConfig(row);
      const route = {
        method: "",
        path: "",
        ownPath: "",
        handler: row.handler,
        config,
        info: { ...info, type: "content-api" },
      };
      // an action can be granted, and is listed, even if its route requires something else, or nothing
      const required = config.auth === false ? [] : (readScope(route) ?? []);
      return [...required, ...(readScope({ ...route, config: {} }) ?? [])];
    }),
  );
  // other scopes are not actions, and cannot be granted
  return scopes.filter((scope) => scope.includes("::"));
}

/** The properties of content-types that core routers need. */
export const routedTypes = (types: readonly RawContentType[]): ReadonlyMap<string, RoutedType> =>
  new Map(
    types.map(({ uid, definition }) => {
      const { singularName = "", pluralName = "" } = definition.info ?? {};
      return [
        uid,
        { kind: definition.kind === "singleType" ? "singleType" : "collectionType", singularName, pluralName },
      ];
    }),
  );

/** The permissions that routes of the code require. `types` is called only if needed. */
export const listActions = (code: LoadedCode, types: () => ReadonlyMap<string, RoutedType>): string[] =>
  withTypes(
    (uid) => types().get(uid),
    () => declaredActions(code),
  );

/** The permissions of routes that extensions have added to a plugin. */
export function addedActions(pluginName: string, routes: unknown, builtinRoutes: readonly unknown[] = []): string[] {
  const routers = isRecord(routes) && !Array.isArray(routes) ? Object.values(routes) : [];
  const rows = routers
    .filter((router) => isRecord(router) && router.type === "content-api")
    .flatMap(listRoutes)
    .filter((row) => !builtinRoutes.includes(row));
  return listScopes([{ routes: rows }], { pluginName });
}

/** The permissions of an api's routes, with those of routers that functions make. */
export const apiActions = (apiName: string, { routes }: Pick<CodeOwner, "routes">, strapi: object): string[] =>
  listScopes(
    [...routes.values()].map((router) => madeRouter(router, strapi)),
    { apiName },
  );

const MENTIONS_ROUTES = /\broutes\b/;

/** Whether there may be further actions once the code runs: of routes that functions make or change. */
export const mayAddActions = ({ apis, apiIndexes, extensions, index, plugins }: LoadedCode): boolean =>
  [...apis.values()].some(({ routes }) => [...routes.values()].some((router) => typeof router === "function")) ||
  [
    ...extensions.values(),
    ...[...plugins.values(), ...apiIndexes.values(), index].map((module) => findHook(module, "register")),
  ].some((change) => typeof change === "function" && MENTIONS_ROUTES.test(String(change)));

function declaredActions({ apis, plugins }: LoadedCode): string[] {
  const ofApis = [...apis].flatMap(([apiName, { routes }]: [string, CodeOwner]) =>
    listScopes(routes.values(), { apiName }),
  );
  const ofPlugins = [...plugins].flatMap(([pluginName, module]) => {
    const routes = isRecord(module) ? module.routes : undefined;
    // as in Strapi, routes of plugins are the administration's unless they say otherwise
    const routers = isRecord(routes) ? Object.values(routes) : [];
    return listScopes(
      routers.filter((router) => isRecord(router) && router.type === "content-api"),
      { pluginName },
    );
  });
  return [...new Set([...ofApis, ...ofPlugins])];
}

/** The content-types of plugins. */
export function pluginTypes({ plugins, files }: LoadedCode): RawContentType[] {
  return [...plugins].flatMap(([name, module]): RawContentType[] => {
    const types = isRecord(module) && toRecord(module.contentTypes);
    const file = files.find((own) => own.kind === "plugin" && own.name === name)?.file ?? name;
    return Object.entries(types).flatMap(([type, entry]): RawContentType[] => {
      const schema = isRecord(entry) && isRecord(entry.schema) ? entry.schema : undefined;
      if (!schema) return [];
      const definition = schema as unknown as ContentTypeDefinition;
      const folder = definition.info?.singularName ?? type;
      return [{ uid: `plugin::${name}.${type}`, file: `${file} (${type})`, folder, definition }];
    });
  });
}
