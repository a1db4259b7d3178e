/** Controllers of the reference's admin page, which extensions look for and wrap. Nobody calls them here. */
import type { Members } from "./plugin.ts";

/** By plugin. */
const names: Readonly<Record<string, readonly string[]>> = {
  "content-manager": [
    "collection-types",
    "components",
    "content-types",
    "init",
    "relations",
    "single-types",
    "uid",
    "history-version",
    "preview",
    "homepage",
  ],
  "content-type-builder": ["builder", "component-categories", "components", "content-types", "schema"],
  "content-releases": ["homepage", "release", "release-action", "settings"],
  email: ["email"],
  i18n: ["locales", "iso-locales", "content-types", "settings", "ai-localization-jobs"],
  "review-workflows": ["workflows", "stages", "assignees", "homepage"],
  upload: [
    "admin-file",
    "admin-folder",
    "admin-folder-file",
    "admin-settings",
    "admin-upload",
    "content-api",
    "view-configuration",
  ],
  "users-permissions": ["user", "role", "permissions", "settings", "contentmanageruser"],
};

/** Whatever action is looked for is there; calling it throws an error that names it. Others can be set. */
function absentController(plugin: string, name: string): Members {
  return new Proxy<Members>(
    {},
    {
      get(actions, action) {
        if (typeof action === "symbol" || action === "then" || action in actions) return actions[String(action)];
        return () => {
          throw new Error(`plugin::${plugin}.${name}.${action} belongs to the admin page and is not there in Galley`);
        };
      },
    },
  );
}

/** The plugins that are about the admin page alone. */
export const adminPlugins = ["content-type-builder", "content-releases", "review-workflows"] as const;

/** The controllers of a plugin with those that only the admin page has. */
export function withAdminControllers(plugin: string, controllers: Members): Members {
  const absent = (names[plugin] ?? []).filter((name) => !(name in controllers));
  return { ...controllers, ...Object.fromEntries(absent.map((name) => [name, absentController(plugin, name)])) };
}
