/** Lists the Content API's actions and routes, for the admin panel. */
import { type AdminRoute, ok, route } from "../admin/call.ts";
import { contentRoutes, type Route } from "../api/actions.ts";
import type { ProjectCode } from "../strapi/project-code.ts";
import type { Project } from "./project/project.ts";
import { pluginRows } from "./routes/plugin-rows.ts";

/** In Strapi's order. */
const PLUGIN_ORDER = ["content-type-builder", "email", "upload", "i18n", "users-permissions"];
/** Routes that Strapi rate-limits. A log-in with a password has the handler of a provider's callback, which is not limited. */
const RATE_LIMITED =
  /^(?:GET auth\.connect|POST auth\.(?:callback|register|forgotPassword|resetPassword|sendEmailConfirmation|changePassword))$/;

interface ActionRoute extends Route {
  readonly action: string;
}

/** Paths of plugins that Strapi writes otherwise. */
const SPELLED: Readonly<Record<string, string>> = {
  "/email": "/email/",
  "/upload": "/upload/",
  "/connect/*": "/connect/(.*)",
};

const spelled = (path: string, prefix: string): string => `${prefix}${SPELLED[path] ?? path}`;

/** A route as Strapi describes it. `action`: `apiId.controller.name`. */
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
    path: spelled(path, prefix),
    handler,
    config: {
      ...(RATE_LIMITED.test(`${method} ${handler}`) ? { middlewares: ["plugin::users-permissions.rateLimit"] } : {}),
      ...(isUnprefixed ? { prefix: "" } : {}),
      auth,
    },
    info: { pluginName: apiId.slice("plugin::".length), type: "content-api" },
  };
}

type Description = Readonly<Record<string, unknown>>;

interface ListedRoute {
  /** Such as `api::article`. */
  readonly owner: string;
  readonly description: Description;
}

const ownerOf = (action: string): string => action.split(".")[0]!;

const actionRows = (project: Project): ActionRoute[] =>
  [...contentRoutes(project.context.model), ...pluginRows(project).flat()].filter(
    (row): row is ActionRoute & typeof row => row.action !== undefined,
  );

/** In a project with own code, routes are listed as they are declared, and only those that are declared exist. */
function declaredRoutes(code: ProjectCode, prefix: string): ListedRoute[] {
  const { configWithScope, ownerOfRoute } =
    require("../strapi/loader/routes.ts") as typeof import("../strapi/loader/routes.ts");
  const own = code.runtime.routes().filter(({ info }) => info.type === "content-api");
  return own.map((route): ListedRoute => {
    const { method, handler, info } = route;
    const path = route.path.slice(prefix.length);
    const description = { method, path: spelled(path, prefix), handler, config: configWithScope(route), info };
    return { owner: ownerOfRoute(info), description };
  });
}

function listedRoutes(project: Project): ListedRoute[] {
  const { code, settings } = project;
  const { prefix } = settings.rest;
  const rows = actionRows(project);
  const own = code ? declaredRoutes(code, prefix) : [];
  const owners = new Set(own.map(({ owner }) => owner));
  // those of types without own code
  const others = rows.filter(({ action }) => !owners.has(ownerOf(action)) && (!code || code.servesCore(action)));
  return [...own, ...others.map((row) => ({ owner: ownerOf(row.action), description: describe(row, prefix) }))];
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
        { controllers: Object.fromEntries(Object.entries(controllers).map(([name, of]) => [name, Object.keys(of)])) },
      ]);
      return ok({ data: Object.fromEntries(data) });
    }),
    route("GET", "/admin/content-api/routes", () => ok({ data: listRoutes(project) })),
    route("GET", "/users-permissions/routes", () => ok({ routes: listRoutes(project) })),
  ];
}
