/** Finds and loads the packages of `config/plugins` that store files or send mails. */
import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { ProjectReport } from "../../lib/errors.ts";
import { isSection, type Section } from "./files.ts";
import type { GalleySettings } from "./galley-file.ts";
import { readPackageJson } from "./packages.ts";
import { provideIfKnown } from "./provided-packages.ts";
import { Reader } from "./reader.ts";

export type ProviderKind = "upload" | "email";

/** What the settings of a plugin with a provider are read from. */
export interface PluginSource {
  readonly root: string;
  readonly galley: GalleySettings;
  /** `config/plugins`. */
  readonly plugins: Section;
  readonly file: string;
  readonly report: ProjectReport;
}

/** The provider that stores files in the upload folder. */
export const LOCAL = "local";

/** The configuration of the email plugin unless `config/plugins` says otherwise, as in Strapi. */
export const EMAIL_DEFAULTS = {
  provider: "sendmail",
  providerOptions: {},
  settings: { defaultFrom: "Strapi <no-reply@strapi.io>" },
};

/** The part `config` of a plugin in `config/plugins`. */
export function configOfPlugin(plugins: Section, name: string): Section {
  const plugin = plugins[name];
  return isSection(plugin) && isSection(plugin.config) ? plugin.config : {};
}

/** Whether `config/plugins` does not switch a plugin off. */
export function isPluginEnabled(plugins: Section, name: string): boolean {
  const plugin = plugins[name];
  return plugin !== false && !(isSection(plugin) && plugin.enabled !== undefined && !plugin.enabled);
}

/** Loaded lazily: most projects have no providers. */
const requireFrom = (file: string): NodeJS.Require => {
  const { createRequire } = require("node:module") as typeof import("node:module");
  return createRequire(file);
};

/** The name of the provider of a plugin. Undefined for a value of a package that is not installed, which is reported as such. */
export function providerName(plugins: Section, kind: ProviderKind, file: string, report: ProjectReport) {
  const { provider } = configOfPlugin(plugins, kind);
  return typeof provider === "function" ? undefined : new Reader({ provider }, file, report).text("provider");
}

/** A folder below `providers/` whose package has one of the names: those of the project need not be installed. */
function localFolder(root: string, names: readonly string[]): string | undefined {
  const folder = join(root, "providers");
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .sort()
    .filter((entry) => names.includes(entry) || names.includes(String(readPackageJson(join(folder, entry)).name)))
    .map((entry) => join(folder, entry))[0];
}

/** The source of a path below `dist`, where Strapi compiles TypeScript to; none for other names. */
function sourcePaths(root: string, name: string): string[] {
  const path = isAbsolute(name) ? relative(join(root, "dist"), name) : "..";
  return path.startsWith("..") ? [] : [join(root, path)];
}

/** The file of a provider, as Strapi looks for it; undefined if it is not installed. */
export function providerFile(root: string, kind: ProviderKind, name: unknown): string | undefined {
  if (typeof name !== "string" || name === "" || (kind === "upload" && name.toLowerCase() === LOCAL)) return undefined;
  const { resolve } = requireFrom(join(root, "package.json"));
  const names = [
    `@strapi/provider-${kind}-${name.toLowerCase()}`,
    name.toLowerCase(),
    name,
    ...sourcePaths(root, name),
  ];
  const folder = localFolder(root, names);
  for (const id of folder ? [...names, folder] : names) {
    try {
      return resolve(id);
    } catch {
      // the next name
    }
  }
  return undefined;
}

type Init = (...options: readonly unknown[]) => unknown;

const toSection = (value: unknown): Section =>
  isSection(value) || typeof value === "function" ? (value as Section) : {};

/** Loads a provider, and returns its function `init`. Throws the errors of its file. */
export function loadInit(file: string, kind: ProviderKind, name: unknown): Init {
  // its own packages are installed with it, but these are part of Galley
  provideIfKnown("@strapi/utils");
  const module = toSection(requireFrom(file)(file));
  const { init } = typeof module.init === "function" ? module : toSection(module.default);
  if (typeof init !== "function") throw new Error(`The ${kind} provider "${name}" has no function init`);
  return init as Init;
}
