/** Controllers of Strapi's admin page, which extensions may wrap. They have no routes here. */
import type { Members } from "../loader/plugin.ts";
import { adminHandlers } from "./admin-routes.ts";

/** Names of actions that no route in `admin-routes.ts` has, separated by spaces, by controller and plugin. */
const unrouted: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "content-manager": { relations: "extractAndValidateRequestInfo" },
  upload: { "admin-upload": "uploadFiles" },
  "users-permissions": { contentmanageruser: "create update" },
};

const absentAction = (owner: string, handler: string) => (_ctx: unknown) => {
  throw new Error(`${owner}${handler} belongs to the admin page and is not supported by Galley`);
};

/** The controllers of a plugin that only the admin page uses. Calling an action throws an error that names it. */
function adminControllers(plugin: string): Record<string, Members> {
  const own = Object.entries(unrouted[plugin] ?? {}).flatMap(([name, actions]) =>
    actions.split(" ").map((action) => `${name}.${action}`),
  );
  const controllers: Record<string, Members> = {};
  for (const handler of [...adminHandlers(plugin), ...own]) {
    const [name, action] = handler.split(".") as [string, string];
    controllers[name] ??= {};
    controllers[name][action] = absentAction(`plugin::${plugin}.`, handler);
  }
  return controllers;
}

/** Controllers that are functions which make them, as in Strapi. */
const factories: Readonly<Record<string, readonly string[]>> = {
  "users-permissions": ["auth"],
  upload: ["content-api"],
  "content-manager": ["homepage", "preview"],
  "content-type-builder": ["schema"],
  i18n: ["ai-localization-jobs"],
};

/** Plugins that only the admin page uses. */
export const adminPlugins = ["content-type-builder", "content-releases", "review-workflows"] as const;

/** Adds the actions that only the admin page uses. */
export function withAdminControllers(plugin: string, controllers: Readonly<Record<string, Members>>): Members {
  const absent = adminControllers(plugin);
  const merged = [...new Set([...Object.keys(absent), ...Object.keys(controllers)])].map((name) => {
    const actions = { ...absent[name], ...controllers[name] };
    const isFactory = factories[plugin]?.includes(name) ?? false;
    return [name, isFactory ? (_parts: { readonly strapi: object }) => actions : actions] as const;
  });
  return Object.fromEntries(merged);
}
