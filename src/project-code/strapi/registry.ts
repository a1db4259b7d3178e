/** Registries of controllers, services, policies and middlewares by uid. Each is created from its file's export on first use. */
import { isRecord } from "../../query/key-check.ts";
import type { CodeOwner } from "../loader/load.ts";

type Members = Record<string, unknown>;
type Callable = (...args: readonly unknown[]) => unknown;

/** Exports of one kind, by uid. */
export class Registry {
  readonly #exports = new Map<string, unknown>();
  readonly #made = new Map<string, unknown>();
  readonly #make: (exported: unknown) => unknown;

  constructor(make: (exported: unknown) => unknown) {
    this.#make = make;
  }

  add(uid: string, exported: unknown): void {
    this.#exports.set(uid, exported);
    this.#made.delete(uid);
  }

  has(uid: string): boolean {
    return this.#exports.has(uid);
  }

  exported(uid: string): unknown {
    return this.#exports.get(uid);
  }

  get(uid: string): unknown {
    if (!this.#exports.has(uid)) return undefined;
    if (!this.#made.has(uid)) this.#made.set(uid, this.#make(this.#exports.get(uid)));
    return this.#made.get(uid);
  }

  keys(): string[] {
    return [...this.#exports.keys()];
  }

  /** An object whose members are made when they are looked at. */
  view(prefix = ""): Members {
    const view: Members = {};
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

const kinds = ["controllers", "services", "policies", "middlewares"] as const;
export type Registries = Readonly<Record<(typeof kinds)[number], Registry>>;

/** Functions make controllers and services, with the server as their argument; objects are used as they are. */
export function createRegistries(strapi: () => object): Registries {
  const made = (exported: unknown): unknown =>
    typeof exported === "function" ? (exported as Callable)({ strapi: strapi() }) : exported;
  const asIs = (exported: unknown): unknown => exported;
  return {
    controllers: new Registry(made),
    services: new Registry(made),
    policies: new Registry(asIs),
    middlewares: new Registry(asIs),
  };
}

/** Adds what belongs to one api, plugin or the project; names follow `prefix`. */
export function addOwner(registries: Registries, prefix: string, owner: CodeOwner): void {
  for (const kind of kinds) {
    for (const [name, exported] of owner[kind]) registries[kind].add(`${prefix}${name}`, exported);
  }
}

/** A policy is a function, or an object with one. */
export function handlerOf(policy: unknown): Callable | undefined {
  if (typeof policy === "function") return policy as Callable;
  return isRecord(policy) && typeof policy.handler === "function" ? (policy.handler as Callable) : undefined;
}
