/** What Strapi's installed packages say of the routes of built-in plugins, for the documentation plugin. */
import { readFileSync } from "node:fs";
import { findPackage } from "../../engine/config/packages.ts";

const FILES = {
  "users-permissions": "@strapi/plugin-users-permissions/documentation/content-api.yaml",
  upload: "@strapi/upload/dist/server/documentation/content-api.json.js",
} as const;

interface Override {
  registerOverride(description: unknown, options: object): void;
}

export interface Documented {
  plugin(name: "documentation"): { service(name: "override"): Override } | undefined;
}

/** Passes the description of a plugin's routes on, in the place of a generated one. */
export function describeRoutes(plugin: keyof typeof FILES, root: string, strapi: Documented): void {
  const documentation = strapi.plugin("documentation");
  const file = findPackage(FILES[plugin], root);
  if (!documentation || file === undefined) return;
  const description = file.endsWith(".js")
    ? (require(file) as { default: unknown }).default
    : readFileSync(file, "utf8");
  const options = { pluginOrigin: plugin, excludeFromGeneration: [plugin] };
  documentation.service("override").registerOverride(description, options);
}
