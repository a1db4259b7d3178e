/** Reads the routes that plugins declare. */
import { isRecord } from "../../query/key-check.ts";
import type { PluginModule } from "../plugins/plugin.ts";
import { type DeclaredRoute, routesOfRouter } from "./routes.ts";

/** Admin routes are skipped, unless they have `auth: false`. */
const isOpen = (row: unknown): boolean => isRecord(row) && isRecord(row.config) && row.config.auth === false;

export function routesOfPlugin(
  name: string,
  { routes }: PluginModule,
  apiPrefix: string,
  strapi: object,
): DeclaredRoute[] {
  const info = { pluginName: name, type: "admin" };
  if (Array.isArray(routes)) return routesOfRouter(routes.filter(isOpen), { base: "", router: `/${name}` }, info);
  return Object.values(routes ?? {}).flatMap((entry) => {
    const router: unknown = typeof entry === "function" && !isRecord(entry) ? entry({ strapi }) : entry;
    if (!isRecord(router) || !Array.isArray(router.routes)) return [];
    const prefix = typeof router.prefix === "string" ? router.prefix : `/${name}`;
    return router.type === "content-api"
      ? routesOfRouter(router.routes, { base: apiPrefix, router: prefix }, { ...info, type: "content-api" })
      : routesOfRouter(router.routes.filter(isOpen), { base: "", router: prefix }, info);
  });
}
