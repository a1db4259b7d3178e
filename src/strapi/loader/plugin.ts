/** Plugins: the modules that they export, and their views in `strapi.plugin()`. */
import { isRecord } from "../../lib/is-record.ts";
import { kinds, type Registries, type RegistryMembers, registryMembers } from "./registry.ts";

export type Members = Record<string, unknown>;

/** The exports of a plugin's server part. Extensions may change them. */
export interface PluginModule {
  config?: unknown;
  controllers: Members;
  services: Members;
  policies: Members;
  middlewares: Members;
  /** Lists of routes by their type, or one list. */
  routes: Members | unknown[];
  contentTypes: Members;
  register?: unknown;
  bootstrap?: unknown;
  destroy?: unknown;
}

type Hook = (options: { readonly strapi: object }) => unknown;

/** `register`, `bootstrap` or `destroy` of a module. */
export const findHook = (module: unknown, name: string): Hook | undefined => {
  const hook = isRecord(module) ? module[name] : undefined;
  return typeof hook === "function" ? (hook as Hook) : undefined;
};

const adminRows = new WeakSet<object>();

/** Whether a route is one of Strapi's admin page: the server's own page has others. */
export const isAdminRow = (row: object): boolean => adminRows.has(row);

export function markAdminRow<R extends object>(row: R): R {
  adminRows.add(row);
  return row;
}

export const emptyPlugin = (): PluginModule => ({
  controllers: {},
  services: {},
  policies: {},
  middlewares: {},
  routes: {},
  contentTypes: {},
});

const noop = async (): Promise<void> => {};

/** Built-in plugins need no hooks, but extensions may call those that they replace. */
export const builtinPlugin = (): PluginModule => ({
  ...emptyPlugin(),
  register: noop,
  bootstrap: noop,
  destroy: noop,
});

/** Adds the members of a plugin to the registries. */
export function addPlugin(registries: Registries, name: string, module: PluginModule): void {
  for (const kind of kinds) {
    for (const [member, exported] of Object.entries(module[kind] ?? {})) {
      registries[kind].add(`plugin::${name}.${member}`, exported);
    }
  }
}

export interface PluginView extends RegistryMembers {
  readonly config: (path: string, defaultValue?: unknown) => unknown;
  readonly contentType: (name: string) => unknown;
  readonly contentTypes: Members;
  /** Those of the module, and copies of them once they are registered. */
  routes: PluginModule["routes"];
}

export interface ViewServices {
  readonly registries: Registries;
  readonly config: { readonly get: (path: string, defaultValue?: unknown) => unknown };
  readonly contentTypes: Members;
}

/** Creates the view of a plugin or an api. Members are created on first access. */
export function viewPlugin(
  name: string,
  module: Pick<PluginModule, "routes">,
  services: ViewServices,
  kind: "plugin" | "api" = "plugin",
): PluginView {
  const { registries, config, contentTypes } = services;
  const prefix = `${kind}::${name}.`;
  const ownContentTypes = (): Members =>
    Object.fromEntries(
      Object.keys(contentTypes).flatMap((uid) =>
        uid.startsWith(prefix) ? [[uid.slice(prefix.length), contentTypes[uid]]] : [],
      ),
    );
  const others = {
    config: (path: string, defaultValue?: unknown) => config.get(`${kind}::${name}.${path}`, defaultValue),
    contentType: (member: string) => contentTypes[prefix + member],
    get contentTypes() {
      return ownContentTypes();
    },
    routes: module.routes,
  };
  // descriptors, since some members are getters
  return Object.defineProperties(
    registryMembers(registries, prefix),
    Object.getOwnPropertyDescriptors(others),
  ) as unknown as PluginView;
}
