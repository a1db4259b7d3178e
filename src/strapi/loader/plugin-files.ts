/** Finds the server parts of enabled plugins: local ones, and installed packages. */
import { relative } from "node:path";
import { findPackage, listDependencies, readPackageJson } from "../../engine/config/packages.ts";
import { pluginFolder } from "../../engine/config/plugin-entries.ts";
import { isPluginEnabled } from "../../engine/config/providers.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
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
  "cloud",
  "review-workflows",
  "content-releases",
  "admin",
  "openapi",
]);

/** `otherwise`: its name, if its package does not name it. `isPlugin`: whether the package declares itself as a plugin. */
export function readPlugin(folder: string, otherwise: string) {
  const { kind, name } = toRecord(readPackageJson(folder).strapi);
  return { folder, name: typeof name === "string" ? name : otherwise, isPlugin: kind === "plugin" };
}

/** Installed packages that declare themselves as plugins. */
export const installedPlugins = (root: string) =>
  listDependencies(root)
    .flatMap((name) => {
      const folder = findPackage(name, root);
      return folder === undefined ? [] : [readPlugin(folder, name)];
    })
    .filter(({ isPlugin }) => isPlugin);

/** `config`: the content of `config/plugins`. */
export function findPluginFiles(root: string, config: Readonly<Record<string, unknown>>): CodeFile[] {
  const isEnabled = (name: string): boolean => isPluginEnabled(config, name);
  const packages: { readonly name: string; readonly folder: string }[] = [];
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

/** What is served instead of plugins that are not installed, by name. */
const INSTEAD: Readonly<Record<string, string>> = {
  documentation: "the API is described at /docs and /openapi.json",
  sentry: "errors are printed, and not sent",
};

/** Plugins that `config/plugins` configures, and that are not run: neither built in, nor installed, nor of the project. */
export function absentPlugins(root: string, config: Readonly<Record<string, unknown>>) {
  const installed = new Set(installedPlugins(root).map(({ name }) => name));
  return Object.entries(config).flatMap(([name, entry]) => {
    if (!isPluginEnabled(config, name)) return [];
    const isLocal = isRecord(entry) && typeof entry.resolve === "string";
    if (isLocal || BUILTIN.has(name) || installed.has(name)) return [];
    return [{ name, reason: `the plugin is not installed: ${INSTEAD[name] ?? "nothing of it is served"}` }];
  });
}
