/** What the panel shows of the Content API: its actions and its routes. */
import { type AdminRoute, ok } from "../admin/call.ts";
import { contentRoutes, type Route } from "../api/actions.ts";
import { pluginRows } from "./plugin-rows.ts";
import type { Project } from "./project.ts";

/** In the reference's order. */
const PLUGINS = ["content-type-builder", "email", "upload", "i18n", "users-permissions"];
/** Handlers behind the reference's limit for guesses. */
const LIMITED = /^auth\.(?:callback|register|forgotPassword|resetPassword|sendEmailConfirmation|changePassword)$/;

interface Listed extends Route {
  readonly action: string;
}

/** A route as the reference describes it. `action`: `place.controller.name`. */
function describe({ method, path, action }: Listed, prefix: string): Readonly<Record<string, unknown>> {
  const [place = "", controller = "", name = ""] = action.split(".");
  const auth = { scope: [action] };
  if (place.startsWith("api::"))
    return {
      method,
      path: `${prefix}${path}`,
      handler: action,
      config: { auth },
      info: { apiName: place.slice("api::".length), type: "content-api" },
    };
  const handler = `${controller}.${name}`;
  const isUnprefixed = /^(?:auth|user)\./.test(handler);
  return {
    method,
    path: `${prefix}${path}`,
    handler,
    config: {
      ...(LIMITED.test(handler) ? { middlewares: ["plugin::users-permissions.rateLimit"] } : {}),
      ...(isUnprefixed ? { prefix: "" } : {}),
      auth,
    },
    info: { pluginName: place.slice("plugin::".length), type: "content-api" },
  };
}

export function routeListRoutes(project: Project): AdminRoute[] {
  const { context, access, settings } = project;
  const listed = (): Readonly<Record<string, unknown>> => {
    const rows = [...contentRoutes(context.model), ...pluginRows(project).flat()].filter(
      (row): row is Listed & typeof row => row.action !== undefined,
    );
    const byPlace = Map.groupBy(rows, ({ action }) => action.split(".")[0]!);
    const ofApis = [...byPlace].filter(([place]) => place.startsWith("api::"));
    const ofPlugins = PLUGINS.map((name) => [`plugin::${name}`, byPlace.get(`plugin::${name}`) ?? []] as const);
    return Object.fromEntries(
      [...ofApis, ...ofPlugins].map(([place, of]) => [place, of.map((row) => describe(row, settings.rest.prefix))]),
    );
  };
  return [
    {
      method: "GET",
      path: "/admin/content-api/permissions",
      handle: () => {
        const map = access.roles.permissionMap(new Set());
        const data = Object.entries(map).map(([place, { controllers }]) => [
          place,
          { controllers: Object.fromEntries(Object.entries(controllers).map(([name, of]) => [name, Object.keys(of)])) },
        ]);
        return ok({ data: Object.fromEntries(data) });
      },
    },
    { method: "GET", path: "/admin/content-api/routes", handle: () => ok({ data: listed() }) },
    { method: "GET", path: "/users-permissions/routes", handle: () => ok({ routes: listed() }) },
  ];
}
