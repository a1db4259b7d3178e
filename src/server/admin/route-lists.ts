/** Lists the Content API's actions and routes, for the admin panel. */
import { type AdminRoute, ok, route } from "../../admin/call.ts";
import { contentRoutes } from "../../api/actions.ts";
import { mapValues } from "../../lib/records.ts";
import type { DeclaredRoute } from "../../strapi/loader/routes.ts";
import type { ProjectCode } from "../../strapi/project-code.ts";
import type { Project } from "../project/project.ts";
import { pluginRows } from "../routes/plugin-rows.ts";

/** In Strapi's order. */
const PLUGIN_ORDER = ["content-type-builder", "email", "upload", "i18n", "users-permissions"];

type Description = Readonly<Record<string, unknown>>;

export interface ListedRoute {
  /** Such as `api::article`. */
  readonly owner: string;
  readonly description: Description;
}

type RouteInfo = Pick<DeclaredRoute, "method" | "path" | "handler" | "config" | "info">;

function listed({ method, path, handler, config, info }: RouteInfo): ListedRoute {
  const { configWithScope, ownerOfRoute } =
    require("../../strapi/loader/routes.ts") as typeof import("../../strapi/loader/routes.ts");
  const description = { method, path, handler, config: configWithScope({ handler, config, info }), info };
  return { owner: ownerOfRoute(info), description };
}

/** In a project with own code, routes are listed as they are declared, and only those that are declared exist. */
function declaredRoutes(code: ProjectCode): ListedRoute[] {
  const { contentApiRoutesOf, listedPath } =
    require("../../strapi/loader/routes.ts") as typeof import("../../strapi/loader/routes.ts");
  return contentApiRoutesOf(code.runtime.routes()).map((route) => listed({ ...route, path: listedPath(route) }));
}

/** The routes of a built-in plugin, in the order in which Strapi declares them. */
function builtinRoutes(project: Project, pluginName: string): ListedRoute[] {
  const { contentApiRoutes } =
    require("../../strapi/plugins/content-api-routes.ts") as typeof import("../../strapi/plugins/content-api-routes.ts");
  const { prefix } = project.settings.rest;
  return contentApiRoutes(pluginName, pluginRows(project).flat()).map(({ row }) => {
    const { method, path, handler, config = {} } = row as unknown as RouteInfo;
    const base = "prefix" in config ? prefix : `${prefix}/${pluginName}`;
    return listed({ method, path: `${base}${path}`, handler, config, info: { pluginName, type: "content-api" } });
  });
}

/** The routes of content-types that declare none. */
function coreRoutes({ code, context, settings }: Project): ListedRoute[] {
  return contentRoutes(context.model).flatMap(({ method, path, action }) => {
    if (action === undefined || (code && !code.servesCore(action))) return [];
    const apiName = action.slice("api::".length, action.indexOf("."));
    const info = { apiName, type: "content-api" };
    return [listed({ method, path: `${settings.rest.prefix}${path}`, handler: action, config: {}, info })];
  });
}

/** The routes of the Content API, in the order of their owners' declarations. */
export function listedRoutes(project: Project): ListedRoute[] {
  const own = project.code ? declaredRoutes(project.code) : [];
  const owners = new Set(own.map(({ owner }) => owner));
  const others = [...coreRoutes(project), ...PLUGIN_ORDER.flatMap((name) => builtinRoutes(project, name))];
  return [...own, ...others.filter(({ owner }) => !owners.has(owner))];
}

/** The routes by owner: first the apis, then the plugins in Strapi's order. */
function listRoutes(project: Project): Readonly<Record<string, readonly Description[]>> {
  const byOwner = Map.groupBy(listedRoutes(project), ({ owner }) => owner);
  const names = PLUGIN_ORDER.map((name) => `plugin::${name}`);
  const owners = [...byOwner.keys()];
  const apis = owners.filter((owner) => owner.startsWith("api::"));
  return Object.fromEntries(
    [...new Set([...apis, ...names, ...owners])].map((owner) => [
      owner,
      (byOwner.get(owner) ?? []).map(({ description }) => description),
    ]),
  );
}

export function routeListRoutes(project: Project): AdminRoute[] {
  const { access } = project;
  return [
    route("GET", "/admin/content-api/permissions", () => {
      const map = access.roles.permissionMap(new Set());
      const data = Object.entries(map).map(([apiId, { controllers }]) => [
        apiId,
        { controllers: mapValues(controllers, (of) => Object.keys(of)) },
      ]);
      return ok({ data: Object.fromEntries(data) });
    }),
    route("GET", "/admin/content-api/routes", () => ok({ data: listRoutes(project) })),
    route("GET", "/users-permissions/routes", () => ok({ routes: listRoutes(project) })),
  ];
}
