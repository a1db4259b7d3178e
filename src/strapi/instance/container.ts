/** `strapi.get(name)`: registries and other services by name. */
import { once } from "../../lib/once.ts";
import type { Members } from "../loader/plugin.ts";
import type { Registry } from "../loader/registry.ts";

/** The interface of registries for code. */
interface RegistryView {
  readonly keys: () => string[];
  readonly get: (name: string) => unknown;
  readonly has: (name: string) => boolean;
  readonly getAll: (namespace?: string) => Members;
  readonly set: (name: string, value: unknown) => RegistryView;
  readonly add: (namespace: string, values: Members) => RegistryView;
  readonly extend: (name: string, change: (value: unknown) => unknown) => RegistryView;
}

interface Entries {
  readonly keys: () => string[];
  readonly get: (name: string) => unknown;
  readonly set: (name: string, value: unknown) => void;
}

function createView({ keys, get, set }: Entries): RegistryView {
  const registryView: RegistryView = {
    keys,
    get,
    has: (name) => keys().includes(name),
    getAll: (namespace = "") =>
      Object.fromEntries(keys().flatMap((name) => (name.startsWith(namespace) ? [[name, get(name)]] : []))),
    set: (name, value) => {
      set(name, value);
      return registryView;
    },
    add: (namespace, values) => {
      for (const [name, value] of Object.entries(values)) set(`${namespace}${name}`, value);
      return registryView;
    },
    extend: (name, change) => {
      set(name, change(get(name)));
      return registryView;
    },
  };
  return registryView;
}

export const viewRegistry = (registry: Registry): RegistryView =>
  createView({
    keys: () => registry.keys(),
    get: (name) => registry.get(name),
    set: (name, value) => registry.add(name, value),
  });

/** A registry for an object. Code may add values. */
export const viewMembers = (members: Members): RegistryView =>
  createView({
    keys: () => Object.keys(members),
    get: (name) => members[name],
    set: (name, value) => {
      members[name] = value;
    },
  });

/** Those that `register` adds are there already (`loader/registered-types.ts`). */
export function viewComponents(components: Members): object {
  const view = createView({
    keys: () => Object.keys(components),
    get: (uid) => components[uid],
    set: (uid, component) => {
      components[uid] ??= component;
    },
  });
  const add = (added: Members): void => {
    for (const [uid, component] of Object.entries(added)) view.set(uid, component);
  };
  return { ...view, add };
}

/** `get` throws for unknown names, as in Strapi. Names that are not in `parts` are properties of `strapi`. */
export function createContainer(strapi: () => Members, parts: Members) {
  const added = new Map<string, () => unknown>();
  const find = (name: string): { readonly value: unknown } | undefined => {
    const resolve = added.get(name);
    if (resolve) return { value: resolve() };
    if (Object.hasOwn(parts, name)) return { value: parts[name] };
    return name in strapi() ? { value: strapi()[name] } : undefined;
  };
  return {
    get: (name: string): unknown => {
      const found = find(name);
      if (!found) throw new Error(`Could not resolve service ${name}`);
      return found.value;
    },
    has: (name: string): boolean => find(name) !== undefined,
    /** A function creates the service when it is first needed. Its argument is `strapi`. */
    add(name: string, value: unknown): object {
      if (added.has(name)) throw new Error(`Cannot register already registered service ${name}`);
      const resolve = once((): unknown => (typeof value === "function" ? value(strapi()) : value));
      added.set(name, resolve);
      // also as a property, for older code
      if (!(name in strapi()))
        Object.defineProperty(strapi(), name, { get: resolve, enumerable: true, configurable: true });
      return strapi();
    },
  };
}
