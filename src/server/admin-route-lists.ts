/** Lists the Content API's actions and routes, for the admin panel. */
import { type AdminRoute, ok } from "../admin/call.ts";
import { contentRoutes, type Route } from "../api/actions.ts";
import { pluginRows } from "./plugin-rows.ts";
import type { Project } from "./project.ts";

/** In the reference's order. */
const PLUGIN_ORDER = ["content-type-builder", "email", "upload", "i18n", "users-permissions"];
/** Handlers that the reference rate-limits. */
const RATE_LIMITED = /^auth\.(?:callback|register|forgotPassword|resetPassword|sendEmailConfirmation|changePassword)$/;

interface ActionRoute extends Route {
  readonly action: string;
}

/** Paths of plugins that the reference writes otherwise. */
const SPELLED: Readonly<Record<string, string>> = {
  "/email": "/email/",
  "/upload": "/upload/",
  "/connect/*": "/connect/(.*)",
};

/** A route as the reference describes it. `action`: `apiId.controller.name`. */
function describe({ method, path, action }: ActionRoute, prefix: string): Readonly<Record<string, unknown>> {
  const [apiId = "", controller = "", name = ""] = action.split(".");
  const auth = { scope: [action] };
  if (apiId.startsWith("api::"))
    return {
      method,
      path: `${prefix}${path}`,
      handler: action,
      config: { auth },
      info: { apiName: apiId.slice("api::".length), type: "content-api" },
    };
  const handler = `${controller}.${name}`;
  const isUnprefixed = /^(?:auth|user)\./.test(handler);
  return {
    method,
    path: `${prefix}${SPELLED[path] ?? path}`,
    handler,
    config: {
      ...(RATE_LIMITED.test(handler) ? { middlewares: ["plugin::users-permissions.rateLimit"] } : {}),
      ...(isUnprefixed ? { prefix: "" } : {}),
      auth,
    },
    info: { pluginName: apiId.slice("plugin::".length), type: "content-api" },
  };
}

export function routeListRoutes(project: Project): AdminRoute[] {
  const { context, access, settings } = project;
  const listRoutes = (): Readonly<Record<string, unknown>> => {
    const rows = [...contentRoutes(context.model), ...pluginRows(project).flat()].filter(
      (row): row is ActionRoute & typeof row => row.action !== undefined,
    );
    const byApi = Map.groupBy(rows, ({ action }) => action.split(".")[0]!);
    const apis = [...byApi].filter(([apiId]) => apiId.startsWith("api::"));
    const plugins = PLUGIN_ORDER.map((name) => [`plugin::${name}`, byApi.get(`plugin::${name}`) ?? []] as const);
    return Object.fromEntries(
      [...apis, ...plugins].map(([apiId, ofApi]) => [apiId, ofApi.map((row) => describe(row, settings.rest.prefix))]),
    );
  };
  return [
    {
      method: "GET",
      path: "/admin/content-api/permissions",
      handle: () => {
        const map = access.roles.permissionMap(new Set());
        const data = Object.entries(map).map(([apiId, { controllers }]) => [
          apiId,
          { controllers: Object.fromEntries(Object.entries(controllers).map(([name, of]) => [name, Object.keys(of)])) },
        ]);
        return ok({ data: Object.fromEntries(data) });
      },
    },
    { method: "GET", path: "/admin/content-api/routes", handle: () => ok({ data: listRoutes() }) },
    { method: "GET", path: "/users-permissions/routes", handle: () => ok({ routes: listRoutes() }) },
  ];
}
