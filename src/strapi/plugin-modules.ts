/** The server modules of all plugins: Strapi's own, those of the project, and what extensions make of them. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type lodash from "lodash";
import { createEnv, type Environment } from "../engine/config/env.ts";
import { ConfigFiles } from "../engine/config/files.ts";
import { readPackageJson } from "../engine/config/packages.ts";
import { isPluginEnabled } from "../engine/config/providers.ts";
import { errorMessage, ProjectReport } from "../lib/errors.ts";
import { isRecord, toRecord } from "../lib/is-record.ts";
import { once } from "../lib/once.ts";
import { mapValues } from "../lib/records.ts";
import type { CodeBundle, LoadedCode } from "./loader/load.ts";
import { builtinPlugin, emptyPlugin, type Members, type PluginModule } from "./loader/plugin.ts";
import type { StartProblems } from "./loader/start-problems.ts";
import type { CodeConfig } from "./members/config.ts";
import { builtinPlugins, type PluginServices } from "./plugins/builtin-plugins.ts";
import type { Runtime } from "./runtime.ts";

function documentation({ log }: Runtime): Members {
  const registeredOverrides: unknown[] = [];
  const excludedFromGeneration: unknown[] = [];
  const warnOnce = once(() =>
    log.warn("overrides of the documentation plugin have no effect on /docs and /openapi.json"),
  );
  const excludeFromGeneration = (api: unknown): void => {
    warnOnce();
    excludedFromGeneration.push(...[api].flat());
  };
  const override = {
    registeredOverrides,
    excludedFromGeneration,
    excludeFromGeneration,
    isEnabled: (name: string) => excludedFromGeneration.includes(name),
    registerOverride: (added: unknown, options: { readonly excludeFromGeneration?: unknown } | null = {}) => {
      warnOnce();
      if (options?.excludeFromGeneration !== undefined) excludeFromGeneration(options.excludeFromGeneration);
      registeredOverrides.push(added);
    },
  };
  return { override: () => override };
}

function sentry({ log }: Runtime): Members {
  const service: Members = {
    init: () => service,
    getInstance: () => null,
    sendError: () => log.warn("Sentry wasn't properly initialized, cannot send event"),
  };
  return { sentry: () => service };
}

/** Services of official plugins that are not installed, for code that calls them: they say what does not happen. */
const unrun: Readonly<Record<string, (runtime: Runtime) => Members>> = { documentation, sentry };

/** Those among the project's packages, unless `config/plugins` disables them. Installed ones replace them. */
function unrunPlugins(runtime: Runtime, config: CodeConfig): readonly (readonly [string, PluginModule])[] {
  const packages = config.get("info.dependencies") ?? {};
  const found = Object.keys(unrun).filter((name) => Object.hasOwn(packages, `@strapi/plugin-${name}`));
  if (found.length === 0) return [];
  const files = new ConfigFiles(runtime.root, runtime.settings.environment, new ProjectReport());
  const { section } = files.section("plugins");
  return found
    .filter((name) => isPluginEnabled(section, name))
    .map((name) => [name, { ...builtinPlugin(), services: unrun[name]!(runtime) }]);
}

interface PluginParts {
  readonly config: CodeConfig;
  readonly environment: Environment;
}

/** The plugin's defaults, changed by `config/plugins`. Rejects if the plugin's validator refuses them, be it asynchronous or not. */
async function createConfig(name: string, declared: unknown, { config, environment }: PluginParts): Promise<unknown> {
  if (!isRecord(declared)) return declared;
  const { default: defaults, validator } = declared;
  const made: unknown = typeof defaults === "function" ? defaults({ env: createEnv(environment) }) : defaults;
  const own = config.get(`plugin::${name}`);
  // as in Strapi, whose lists keep the default's further items
  const merged: unknown = (require("lodash") as typeof lodash).defaultsDeep({}, own, made);
  try {
    if (typeof validator === "function") await validator(merged);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`Error regarding ${name} config: ${reason}`, { cause: error });
  }
  config.set(`plugin::${name}`, merged);
  return merged;
}

/** `exported`: what the plugin's server file exports. */
async function codePlugin(name: string, exported: unknown, parts: PluginParts): Promise<PluginModule> {
  const module: PluginModule = { ...emptyPlugin(), ...toRecord(exported) };
  return { ...module, config: await createConfig(name, module.config ?? {}, parts) };
}

/** The nearest folder above a file that has a package. */
const packageFolder = (file: string): string | undefined =>
  dirname(file) === file || existsSync(join(file, "package.json")) ? file : packageFolder(dirname(file));

/** `strapi.config.get("enabledPlugins")`, by which plugins find others. Packages are read once one is looked at. */
function listEnabled(names: Iterable<string>, { root }: Runtime, files: LoadedCode["files"]): Members {
  const describe = (name: string) => {
    const file = files.find(({ kind, owner }) => kind === "plugin" && owner === name)?.file;
    const folder = file && packageFolder(join(root, dirname(file)));
    const packageInfo = folder ? readPackageJson(folder) : {};
    const info = { name, kind: "plugin", ...toRecord(packageInfo.strapi), packageName: packageInfo.name };
    return { enabled: true, ...(folder ? { pathToPlugin: folder } : {}), info, packageInfo };
  };
  const entries = [...names].map((name) => [name, { enumerable: true, get: once(() => describe(name)) }] as const);
  return Object.defineProperties({}, Object.fromEntries(entries));
}

/** Those that every Strapi has, in the order in which their hooks are called. */
const INTERNAL = [
  "content-manager",
  "content-type-builder",
  "email",
  "upload",
  "i18n",
  "content-releases",
  "review-workflows",
];

/** As in Strapi: its own plugins, those of `config/plugins`, and the other installed ones. */
function inOrder<M>(modules: ReadonlyMap<string, M>, declared: readonly string[]): Map<string, M> {
  const order = [...INTERNAL, ...declared];
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return new Map([...modules].toSorted(([a], [b]) => rank(a) - rank(b)));
}

/**
 * The modules by the names of plugins, and the routes that the server handles itself. Rejects with errors of plugins, unless they are
 * reported.
 */
export async function createPluginModules(
  { plugins, files }: LoadedCode,
  services: PluginServices,
  config: CodeConfig,
  problems: StartProblems,
) {
  const modules = new Map<string, PluginModule>();
  const nativeRoutes = new Map<string, readonly Members[]>();
  for (const { name, module, routes } of builtinPlugins(services)) {
    nativeRoutes.set(name, routes);
    // a copy, so that settings follow what extensions change
    modules.set(name, { ...module, config: copyValue(config.get(`plugin::${name}`) ?? {}) });
  }
  const { settings } = services.runtime();
  for (const [name, module] of unrunPlugins(services.runtime(), config)) modules.set(name, module);
  for (const [name, exported] of plugins) {
    const make = () => codePlugin(name, exported, { config, environment: settings.environment });
    const made = (await problems.attempt(`plugin ${name}`, make)) as PluginModule | undefined;
    modules.set(name, made ?? emptyPlugin());
  }
  const ordered = inOrder(modules, Object.keys(toRecord(config.get("plugins"))));
  config.set("enabledPlugins", listEnabled(ordered.keys(), services.runtime(), files));
  return { modules: ordered, nativeRoutes };
}

export type PluginModules = Readonly<Awaited<ReturnType<typeof createPluginModules>>>;

/** How deep extensions change the module of a plugin: its routers, their lists, and the `config` of a route. */
const DEPTH = 6;

/** Remembers an object with what is in it. Returns what takes all changes back. */
function remember(value: unknown, depth = DEPTH): () => void {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || depth === 0) return () => {};
  const descriptors = Object.getOwnPropertyDescriptors(value) as Record<string, PropertyDescriptor>;
  const inner = Object.values(descriptors).map((descriptor) => remember(descriptor.value, depth - 1));
  // the list of a function that makes a router
  const { routes } = typeof value === "function" ? (value as { routes?: unknown }) : {};
  const ofRoutes = remember(routes, depth - 1);
  return () => {
    for (const name of Object.getOwnPropertyNames(value)) if (!(name in descriptors)) delete (value as Members)[name];
    Object.defineProperties(value, descriptors);
    if (routes !== undefined) (value as { routes?: unknown }).routes = routes;
    for (const restore of [...inner, ofRoutes]) restore();
  };
}

/** Plain objects and lists are copied, others are the same. */
function copyValue(value: unknown, depth = DEPTH): unknown {
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => copyValue(item, depth - 1));
  if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return mapValues(value, (inner) => copyValue(inner, depth - 1));
}

/** Calls the project's extensions of plugins. Rejects with their errors; a plugin whose error is reported stays as it was. */
export async function extendPlugins(
  { extensions, files }: LoadedCode,
  { modules }: PluginModules,
  { strapi, config }: { readonly strapi: object; readonly config: CodeBundle["loading"]["config"] },
  problems: StartProblems,
): Promise<void> {
  for (const [name, extend] of extensions) {
    const module = modules.get(name);
    if (!module || typeof extend !== "function") continue;
    const file = files.find(({ kind, owner }) => kind === "extension" && owner === name)?.file ?? name;
    const configured = copyValue(module.config);
    const restore = remember(module);
    let isDone = false;
    const work = async (): Promise<unknown> => {
      const result: unknown = await extend(module, { strapi });
      isDone = true;
      return result;
    };
    const changed = await problems.attempt(file, work, `is left out, and the plugin ${name} stays as it is`);
    if (!isDone) {
      restore();
      continue;
    }
    const extended = isRecord(changed) ? (changed as unknown as PluginModule) : module;
    modules.set(name, extended);
    if (!Bun.deepEquals(extended.config, configured)) config.set(`plugin::${name}`, extended.config);
  }
}
