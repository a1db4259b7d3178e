/** The server modules of all plugins: Strapi's own, those of the project, and what extensions make of them. */
import { isRecord } from "../lib/is-record.ts";
import { mapValues } from "../lib/records.ts";
import type { CodeBundle, LoadedCode } from "./loader/load.ts";
import { emptyPlugin, type Members, type PluginModule } from "./loader/plugin.ts";
import type { StartProblems } from "./loader/start-problems.ts";
import { builtinPlugins, type PluginServices } from "./plugins/builtin-plugins.ts";
import { codePlugin } from "./plugins/code-plugins.ts";
import { unrunPlugins } from "./plugins/unrun-plugins.ts";

export interface PluginModules {
  /** By the names of plugins. Extensions replace entries. */
  readonly modules: Map<string, PluginModule>;
  /** The routes that the server handles itself. */
  readonly nativeRoutes: ReadonlyMap<string, readonly Members[]>;
}

/** Rejects with errors of plugins, unless they are reported. */
export async function createPluginModules(
  { plugins }: LoadedCode,
  services: PluginServices,
  config: CodeBundle["loading"]["config"],
  problems: StartProblems,
): Promise<PluginModules> {
  const modules = new Map<string, PluginModule>();
  const nativeRoutes = new Map<string, readonly Members[]>();
  for (const { name, module, routes } of builtinPlugins(services)) {
    nativeRoutes.set(name, routes);
    // a copy, so that settings follow what extensions change
    modules.set(name, { ...module, config: copyValue(config.get(`plugin::${name}`) ?? {}) });
  }
  const { strapi, settings } = services.runtime();
  for (const [name, module] of unrunPlugins(services.runtime())) modules.set(name, module);
  for (const [name, exported] of plugins) {
    const make = () => codePlugin(name, exported, { strapi, config, environment: settings.environment });
    const made = (await problems.attempt(`plugin ${name}`, make)) as PluginModule | undefined;
    modules.set(name, made ?? emptyPlugin());
  }
  return { modules, nativeRoutes };
}

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
