/** The server modules of all plugins: the reference's own, those of the project, and what extensions make of them. */
import { isRecord } from "../query/key-check.ts";
import { addedActions } from "./loader/declarations.ts";
import type { CodeBundle, LoadedCode } from "./loader/load.ts";
import { builtinPlugins, type PluginServices } from "./plugins/builtin-plugins.ts";
import { codePlugin } from "./plugins/code-plugins.ts";
import { emptyPlugin, type Members, type PluginModule } from "./plugins/plugin.ts";
import { unrunPlugins } from "./plugins/unrun-plugins.ts";
import type { StartProblems } from "./start-problems.ts";

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
    modules.set(name, module);
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

/** Calls the project's extensions of plugins. Rejects with their errors, unless they are reported. */
export async function extendPlugins(
  { extensions }: LoadedCode,
  { modules }: PluginModules,
  strapi: object,
  problems: StartProblems,
): Promise<void> {
  for (const [name, extend] of extensions) {
    const module = modules.get(name);
    if (!module || typeof extend !== "function") continue;
    // changes before an error are kept
    const changed = await problems.attempt(`extension of ${name}`, () => extend(module, { strapi }));
    modules.set(name, isRecord(changed) ? (changed as unknown as PluginModule) : module);
  }
}

/** The actions of routes that code has added to plugins. */
export const actionsOf = ({ modules, nativeRoutes }: PluginModules): string[] =>
  [...modules].flatMap(([name, { routes }]) => addedActions(name, routes, nativeRoutes.get(name)));
