/** Reads the routes that plugins declare. */
import { isRecord } from "../../lib/is-record.ts";
import { isAdminRow, type Members, type PluginModule } from "../loader/plugin.ts";
import { configWithScope, type DeclaredRoute, madeRouter, readConfig, routesOfRouter } from "../loader/routes.ts";

/** Whether it is not one of Strapi's admin page, which the server answers without code. */
const isOwn = (row: unknown): boolean => !(isRecord(row) && isAdminRow(row));

/** The routers of a plugin. */
export const createRouters = (routes: Members, strapi: object): (readonly [name: string, router: unknown])[] =>
  Object.entries(routes).map(([name, entry]) => [name, madeRouter(entry, strapi)]);

const readPrefix = (name: string, router: Members): string =>
  typeof router.prefix === "string" ? router.prefix : `/${name}`;

export function routesOfPlugin(
  name: string,
  { routes }: Pick<PluginModule, "routes">,
  apiPrefix: string,
  strapi: object,
): DeclaredRoute[] {
  const info = { pluginName: name, type: "admin" };
  if (Array.isArray(routes)) return routesOfRouter(routes.filter(isOwn), { base: "", router: `/${name}` }, info);
  return createRouters(routes ?? {}, strapi).flatMap(([, router]) => {
    if (!isRecord(router) || !Array.isArray(router.routes)) return [];
    const prefix = readPrefix(name, router);
    return router.type === "content-api"
      ? routesOfRouter(router.routes, { base: apiPrefix, router: prefix }, { ...info, type: "content-api" })
      : routesOfRouter(router.routes.filter(isOwn), { base: "", router: prefix }, info);
  });
}

/** A copy of a route, with what Strapi adds to it once it is registered. */
function registeredRow(row: unknown, info: DeclaredRoute["info"]): unknown {
  if (!isRecord(row)) return row;
  const config = configWithScope({ handler: row.handler, config: readConfig(row), info });
  // descriptors, since schemas are made when they are read
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(row),
      config: { value: config, enumerable: true, configurable: true, writable: true },
      info: { value: info, enumerable: true, configurable: true, writable: true },
    },
  );
}

/** The routers of a plugin or an api as code finds them from `bootstrap` on: they are registered, and changes come too late. */
export function registeredRouters(
  routes: Members | unknown[],
  owner: { readonly pluginName: string } | { readonly apiName: string },
  strapi: object,
): Members | unknown[] {
  const ofType = (rows: readonly unknown[], type: string) => rows.map((row) => registeredRow(row, { ...owner, type }));
  if (Array.isArray(routes)) return ofType(routes, "admin");
  return Object.fromEntries(
    createRouters(routes, strapi).map(([name, router]) => {
      if (!isRecord(router) || !Array.isArray(router.routes)) return [name, router];
      const type = "apiName" in owner ? "content-api" : String(router.type ?? "admin");
      const prefix = "apiName" in owner ? router.prefix : readPrefix(owner.pluginName, router);
      return [name, { ...router, type, prefix, routes: ofType(router.routes, type) }];
    }),
  );
}
