/** A plugin as its code, its extensions and other code see it. */
import type { Registries } from "../strapi/registry.ts";

export type Members = Record<string, unknown>;

/** What the server part of a plugin exports; extensions may change it before it is used. */
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

export const emptyPlugin = (): PluginModule => ({
  controllers: {},
  services: {},
  policies: {},
  middlewares: {},
  routes: {},
  contentTypes: {},
});

const nothing = async (): Promise<void> => {};

/** What the server does itself needs no hooks; extensions call those that they replace. */
export const builtinPlugin = (): PluginModule => ({
  ...emptyPlugin(),
  register: nothing,
  bootstrap: nothing,
  destroy: nothing,
});

/** Makes the parts of a plugin known by their uids. */
export function addPlugin(registries: Registries, name: string, module: PluginModule): void {
  for (const kind of ["controllers", "services", "policies", "middlewares"] as const) {
    for (const [member, exported] of Object.entries(module[kind] ?? {})) {
      registries[kind].add(`plugin::${name}.${member}`, exported);
    }
  }
}

export interface PluginView {
  readonly pluginName: string;
  readonly config: (path: string, byDefault?: unknown) => unknown;
  readonly service: (name: string) => unknown;
  readonly services: Members;
  readonly controller: (name: string) => unknown;
  readonly controllers: Members;
  readonly contentType: (name: string) => unknown;
  readonly contentTypes: Members;
  readonly policy: (name: string) => unknown;
  readonly policies: Members;
  readonly middleware: (name: string) => unknown;
  readonly middlewares: Members;
  readonly routes: PluginModule["routes"];
}

export interface ViewServices {
  readonly registries: Registries;
  readonly config: { readonly get: (path: string, byDefault?: unknown) => unknown };
  readonly contentTypes: Members;
}

/** The view of a plugin's parts, or of an api's, each made when it is looked at. */
export function viewPlugin(
  name: string,
  module: Pick<PluginModule, "routes">,
  services: ViewServices,
  kind: "plugin" | "api" = "plugin",
): PluginView {
  const { registries, config, contentTypes } = services;
  const prefix = `${kind}::${name}.`;
  const own = (): Members =>
    Object.fromEntries(
      Object.entries(contentTypes).flatMap(([uid, type]) =>
        uid.startsWith(prefix) ? [[uid.slice(prefix.length), type]] : [],
      ),
    );
  return {
    pluginName: name,
    config: (path, byDefault) => config.get(`${kind}::${name}.${path}`, byDefault),
    service: (member) => registries.services.get(prefix + member),
    get services() {
      return registries.services.view(prefix);
    },
    controller: (member) => registries.controllers.get(prefix + member),
    get controllers() {
      return registries.controllers.view(prefix);
    },
    contentType: (member) => contentTypes[prefix + member],
    get contentTypes() {
      return own();
    },
    policy: (member) => registries.policies.get(prefix + member),
    get policies() {
      return registries.policies.view(prefix);
    },
    middleware: (member) => registries.middlewares.get(prefix + member),
    get middlewares() {
      return registries.middlewares.view(prefix);
    },
    routes: module.routes,
  };
}
