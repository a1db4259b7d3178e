/** `strapi.get(name)`: the parts of the server by their names, among them the registries. */
import type { Params } from "../../query/parse.ts";
import { queryParams } from "../data/document-params.ts";
import type { Members } from "../plugins/plugin.ts";
import type { Registry } from "./registry.ts";

/** A registry as code sees it. */
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

function view({ keys, get, set }: Entries): RegistryView {
  const own: RegistryView = {
    keys,
    get,
    has: (name) => keys().includes(name),
    getAll: (namespace = "") =>
      Object.fromEntries(keys().flatMap((name) => (name.startsWith(namespace) ? [[name, get(name)]] : []))),
    set: (name, value) => {
      set(name, value);
      return own;
    },
    add: (namespace, values) => {
      for (const [name, value] of Object.entries(values)) set(`${namespace}${name}`, value);
      return own;
    },
    extend: (name, change) => {
      set(name, change(get(name)));
      return own;
    },
  };
  return own;
}

export const viewRegistry = (registry: Registry): RegistryView =>
  view({
    keys: () => registry.keys(),
    get: (name) => registry.get(name),
    set: (name, value) => registry.add(name, value),
  });

/** Values by name, which code may add to. */
export const viewMembers = (members: Members): RegistryView =>
  view({
    keys: () => Object.keys(members),
    get: (name) => members[name],
    set: (name, value) => {
      members[name] = value;
    },
  });

/** Parameters of documents as those of the database, with their conditions. */
export const queryParamsService = {
  transform: (_uid: string, { filters, ...params }: Params = {}): Params => ({
    ...queryParams(params),
    ...(filters === undefined ? {} : { where: filters }),
  }),
};

/** Throws for unknown names, as in the reference. `strapi` has the parts that are also its properties. */
export function createContainer(strapi: () => Members, parts: Members) {
  const added = new Map<string, unknown>();
  const find = (name: string): { readonly value: unknown } | undefined => {
    if (added.has(name)) return { value: added.get(name) };
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
    add: (name: string, value: unknown): void => {
      const made: unknown = typeof value === "function" ? value({ strapi: strapi() }) : value;
      added.set(name, made);
      // also as a property, which older code reads
      if (!(name in strapi())) strapi()[name] = made;
    },
  };
}
