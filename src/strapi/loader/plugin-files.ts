/** Finds the server parts of enabled plugins: local ones, and installed packages. */
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { listDependencies } from "../../engine/config/packages.ts";
import { pluginFolder } from "../../engine/config/plugin-entries.ts";
import { isPluginEnabled } from "../../engine/config/providers.ts";
import { isRecord } from "../../lib/is-record.ts";
import { type CodeFile, pluginEntry } from "./code-files.ts";

/** Plugins that are built in, or have no visible server part. */
const BUILTIN = new Set([
  "users-permissions",
  "upload",
  "i18n",
  "graphql",
  "email",
  "content-manager",
  "content-type-builder",
  "documentation",
  "sentry",
  "cloud",
  "review-workflows",
  "content-releases",
  "admin",
  "openapi",
]);

interface PluginPackage {
  readonly name: string;
  readonly folder: string;
}

/** Installed packages that declare themselves as plugins. */
function installedPlugins(root: string): PluginPackage[] {
  return listDependencies(root).flatMap((dependency): PluginPackage[] => {
    if (dependency.startsWith("@strapi/strapi")) return [];
    const folder = join(root, "node_modules", dependency);
    const file = join(folder, "package.json");
    if (!existsSync(file)) return [];
    const { strapi } = JSON.parse(readFileSync(file, "utf8")) as { strapi?: { kind?: string; name?: string } };
    if (strapi?.kind !== "plugin") return [];
    return [{ name: strapi.name ?? dependency, folder }];
  });
}

/** `config`: the content of `config/plugins`. */
export function findPluginFiles(root: string, config: Readonly<Record<string, unknown>>): CodeFile[] {
  const isEnabled = (name: string): boolean => isPluginEnabled(config, name);
  const packages: PluginPackage[] = [];
  for (const [name, entry] of Object.entries(config)) {
    // as in Strapi, `enabled` has no default where the entry names the folder
    if (BUILTIN.has(name) || !isRecord(entry) || !entry.enabled) continue;
    const folder = typeof entry.resolve === "string" && entry.resolve !== "" && pluginFolder(root, entry.resolve);
    if (folder) packages.push({ name, folder });
  }
  for (const plugin of installedPlugins(root)) {
    if (BUILTIN.has(plugin.name) || !isEnabled(plugin.name) || packages.some(({ name }) => name === plugin.name))
      continue;
    packages.push(plugin);
  }
  return packages.flatMap(({ name, folder }): CodeFile[] => {
    const entry = pluginEntry(folder);
    return entry === undefined ? [] : [{ kind: "plugin", file: relative(root, entry), owner: name, name }];
  });
}

/** Why plugins are not run, by name. */
const NOT_RUN: Readonly<Record<string, string>> = {
  documentation: "the API is described at /docs and /openapi.json",
  sentry: "errors are printed, and not sent",
};

export interface AbsentPlugin {
  readonly name: string;
  readonly reason: string;
}

/** Plugins that `config/plugins` configures, and that are not run: neither built in, nor installed, nor of the project. */
export function absentPlugins(root: string, config: Readonly<Record<string, unknown>>): AbsentPlugin[] {
  const installed = new Set(installedPlugins(root).map(({ name }) => name));
  return Object.entries(config).flatMap(([name, entry]) => {
    if (!isPluginEnabled(config, name)) return [];
    const reason = NOT_RUN[name];
    if (reason !== undefined) return [{ name, reason: `the plugin is not run: ${reason}` }];
    const isLocal = isRecord(entry) && typeof entry.resolve === "string";
    if (isLocal || BUILTIN.has(name) || installed.has(name)) return [];
    return [{ name, reason: "the plugin is not installed: nothing of it is served" }];
  });
}
