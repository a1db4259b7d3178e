/** Controllers of the reference's admin page, which extensions may wrap. They have no routes here. */
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

/** Has every action. Calling one throws an error that names it, unless code has set it. */
function absentController(plugin: string, name: string): Members {
  return new Proxy<Members>(
    {},
    {
      get(actions, action) {
        if (typeof action === "symbol" || action === "then" || action in actions) return actions[String(action)];
        return () => {
          throw new Error(
            `plugin::${plugin}.${name}.${action} belongs to the admin page and is not supported by Galley`,
          );
        };
      },
    },
  );
}

/** Plugins that only the admin page uses. */
export const adminPlugins = ["content-type-builder", "content-releases", "review-workflows"] as const;

/** Adds the controllers that only the admin page uses. */
export function withAdminControllers(plugin: string, controllers: Members): Members {
  const absent = (names[plugin] ?? []).filter((name) => !(name in controllers));
  return { ...controllers, ...Object.fromEntries(absent.map((name) => [name, absentController(plugin, name)])) };
}
