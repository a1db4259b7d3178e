/** Routes of the content API of Strapi's plugins, as extensions see them, in Strapi's order: the first match wins. */
import { once } from "../../lib/once.ts";
import type { Members } from "../loader/plugin.ts";
import { nativeAction } from "../routes/native-actions.ts";
import type { NativeRoute, Runtime } from "../runtime.ts";

/**
 * After method, path and handler: `root` is `config.prefix: ""`, `limited` the middleware with that limit; `body`, `params` and `query` are
 * schemas of the request, `answer` that of the response.
 */
const tables: Readonly<Record<string, string>> = {
  "users-permissions": `
    GET /connect/(.*) auth.connect limited root
    POST /auth/local auth.callback limited root body answer
    POST /auth/local/register auth.register limited root body answer
    GET /auth/:provider/callback auth.callback root params=provider answer
    POST /auth/forgot-password auth.forgotPassword limited root body answer
    POST /auth/reset-password auth.resetPassword limited root body answer
    GET /auth/email-confirmation auth.emailConfirmation root
    POST /auth/send-email-confirmation auth.sendEmailConfirmation limited root body answer
    POST /auth/change-password auth.changePassword limited root body answer
    POST /auth/refresh auth.refresh root
    POST /auth/logout auth.logout root
    GET /auth/sessions auth.getSessions root
    DELETE /auth/sessions/:sessionId auth.revokeSession root
    GET /users/count user.count root query=filters answer
    GET /users user.find root query=fields,populate,sort,pagination,filters answer
    GET /users/me user.me root query=fields,populate answer
    GET /users/:id user.findOne root params=id query=fields,populate answer
    POST /users user.create root body answer
    PUT /users/:id user.update root params=id body answer
    DELETE /users/:id user.destroy root params=id answer
    GET /roles/:id role.findOne params=id answer
    GET /roles role.find answer
    POST /roles role.createRole body answer
    PUT /roles/:role role.updateRole params=role body answer
    DELETE /roles/:role role.deleteRole params=role answer
    GET /permissions permissions.getPermissions answer`,
  upload: `
    POST / content-api.upload query=id answer
    GET /files content-api.find query=fields,populate,sort,pagination,filters answer
    GET /files/page content-api.findPage query=fields,populate,sort,pagination,filters answer
    GET /files/:id content-api.findOne params=id query=fields,populate answer
    DELETE /files/:id content-api.destroy params=id answer`,
  email: `
    POST / email.send body answer`,
  i18n: `
    GET /locales locales.listLocales answer`,
  "content-type-builder": `
    GET /content-types content-types.getContentTypes query=kind answer
    GET /content-types/:uid content-types.getContentType params=uid answer
    GET /components components.getComponents answer
    GET /components/:uid components.getComponent params=uid answer`,
};

export const RATE_LIMIT = "plugin::users-permissions.rateLimit";

/** Schemas that accept what the server checks by itself. */
function createSchemas(names: string): Members {
  const { z } = require("zod/v4") as typeof import("zod/v4");
  return Object.fromEntries(names.split(",").map((name) => [name, z.unknown()]));
}

/** Made when code first looks: Zod is large, and hardly any extension does. Copies of the route share it. */
function lazily(row: Members, name: string, make: () => unknown): void {
  const get = once(make);
  Object.defineProperty(row, name, {
    enumerable: true,
    configurable: true,
    get,
    set(value: unknown) {
      Object.defineProperty(this, name, { value, enumerable: true, configurable: true, writable: true });
    },
  });
}

function parseRoute(line: string): Members {
  const [method, path, handler, ...rules] = line.trim().split(" ");
  const config = {
    ...(rules.includes("limited") ? { middlewares: [RATE_LIMIT] } : {}),
    ...(rules.includes("root") ? { prefix: "" } : {}),
  };
  const row: Members = { method, path, handler, ...(Object.keys(config).length > 0 ? { config } : {}) };
  const parts = rules.flatMap((rule) => {
    const [part = "", names = ""] = rule.split("=");
    if (part === "body") return [[part, "application/json"] as const];
    return names === "" ? [] : [[part, names] as const];
  });
  if (parts.length > 0)
    lazily(row, "request", () => Object.fromEntries(parts.map(([part, names]) => [part, createSchemas(names)])));
  if (rules.includes("answer")) lazily(row, "response", () => createSchemas("response").response);
  return row;
}

/** Names of parameters do not matter, nor how a wildcard is written. */
const buildKey = (method: string, path: string): string =>
  `${method} ${path
    .replace(/:\w+/g, ":")
    .replace("(.*)", "*")
    .replace(/(.)\/$/, "$1")}`;

export interface PluginRoute {
  /** As extensions see it. */
  readonly row: Members;
  /** Below the API prefix, as declared. */
  readonly path: string;
  readonly native: NativeRoute;
}

/** The routes of a plugin that the server has. */
export function contentApiRoutes(plugin: string, native: readonly NativeRoute[]): PluginRoute[] {
  const byKey = new Map(native.map((route) => [buildKey(route.method, route.path), route]));
  return (tables[plugin] ?? "").split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    const row = parseRoute(line);
    const isAtRoot = line.includes(" root");
    const path = isAtRoot ? String(row.path) : `/${plugin}${row.path === "/" ? "" : String(row.path)}`;
    const route = byKey.get(buildKey(String(row.method), path));
    return route ? [{ row, path, native: route }] : [];
  });
}

export interface ContentApiRouter {
  readonly type: "content-api";
  readonly routes: unknown[];
}

/**
 * As in Strapi, a function that returns the router, and has its list as a property that extensions change or replace.
 */
export function contentApiFactory(rows: readonly Members[]): () => ContentApiRouter {
  let routes: unknown[] = [...rows];
  const create = (): ContentApiRouter => ({ type: "content-api", routes });
  return Object.defineProperty(create, "routes", {
    enumerable: true,
    configurable: true,
    get: () => routes,
    set: (changed: unknown[]) => {
      routes = changed;
    },
  });
}

/** The native routes of a plugin as its controllers and routes. */
export function nativeParts(runtime: () => Runtime, plugin: string, rows: readonly NativeRoute[]) {
  const prefix = `plugin::${plugin}.`;
  const controllers: Record<string, Members> = {};
  const own = rows.filter(({ action }) => action?.startsWith(prefix));
  const routes = contentApiRoutes(plugin, own).map(({ row, path, native }) => {
    const [controller, action] = String(row.handler).split(".") as [string, string];
    controllers[controller] ??= {};
    controllers[controller][action] ??= nativeAction(runtime, { ...native, path });
    return row;
  });
  return { controllers, routes };
}
