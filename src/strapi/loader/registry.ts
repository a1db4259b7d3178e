/** Registries of controllers, services, policies and middlewares by uid. Each is created from its file's export on first use. */
import { isRecord, type Values } from "../../lib/is-record.ts";
import type { CodeOwner } from "./load.ts";

type Callable = (...args: readonly unknown[]) => unknown;

/** Exports of one kind, by uid. */
export class Registry {
  readonly #exports = new Map<string, unknown>();
  readonly #instances = new Map<string, unknown>();
  readonly #make: (exported: unknown) => unknown;

  constructor(make: (exported: unknown) => unknown) {
    this.#make = make;
  }

  add(uid: string, exported: unknown): void {
    this.#exports.set(uid, exported);
    this.#instances.delete(uid);
  }

  has(uid: string): boolean {
    return this.#exports.has(uid);
  }

  exported(uid: string): unknown {
    return this.#exports.get(uid);
  }

  get(uid: string): unknown {
    if (!this.#exports.has(uid)) return undefined;
    if (!this.#instances.has(uid)) this.#instances.set(uid, this.#make(this.#exports.get(uid)));
    return this.#instances.get(uid);
  }

  keys(): string[] {
    return [...this.#exports.keys()];
  }

  /** An object whose members are created on first access. */
  view(prefix = ""): Values {
    const view: Values = {};
    for (const uid of this.keys()) {
      if (!uid.startsWith(prefix)) continue;
      Object.defineProperty(view, uid.slice(prefix.length), {
        enumerable: true,
        configurable: true,
        get: () => this.get(uid),
        set: (value: unknown) => this.add(uid, value),
      });
    }
    return view;
  }
}

export const kinds = ["controllers", "services", "policies", "middlewares"] as const;
export type Registries = Readonly<Record<(typeof kinds)[number], Registry>>;

/** Controllers and services may be exported as factory functions, which are called with `strapi`. */
export function createRegistries(strapi: () => object): Registries {
  const create = (exported: unknown): unknown =>
    typeof exported === "function" ? (exported as Callable)({ strapi: strapi() }) : exported;
  const identity = (exported: unknown): unknown => exported;
  return {
    controllers: new Registry(create),
    services: new Registry(create),
    policies: new Registry(identity),
    middlewares: new Registry(identity),
  };
}

const singular = {
  service: "services",
  controller: "controllers",
  policy: "policies",
  middleware: "middlewares",
} as const;
export type RegistryMembers = Readonly<Record<keyof typeof singular, (name: string) => unknown>> &
  Readonly<Record<keyof Registries, Values>>;

/** Finds members by name, and lists them all. They are created on first access. */
export function registryMembers(registries: Registries, prefix = ""): RegistryMembers {
  const members: Values = {};
  for (const [name, kind] of Object.entries(singular)) {
    members[name] = (member: string) => registries[kind].get(prefix + member);
    Object.defineProperty(members, kind, {
      enumerable: true,
      configurable: true,
      get: () => registries[kind].view(prefix),
    });
  }
  return members as RegistryMembers;
}

/** Adds the exports of an api, of a plugin or of the project. Uids are `prefix` and name. */
export function addOwner(registries: Registries, prefix: string, owner: CodeOwner): void {
  for (const kind of kinds) {
    for (const [name, exported] of owner[kind]) registries[kind].add(`${prefix}${name}`, exported);
  }
}

/** A policy is a function, or an object with one. */
export function findHandler(policy: unknown): Callable | undefined {
  if (typeof policy === "function") return policy as Callable;
  return isRecord(policy) && typeof policy.handler === "function" ? (policy.handler as Callable) : undefined;
}
