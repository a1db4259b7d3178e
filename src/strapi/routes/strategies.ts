/** Authentication strategies: the names of the server's own, and those that code registers or lists in routes. */
import assert from "node:assert";
import type { Ability } from "../../engine/access/access.ts";
import type { Context } from "../koa/koa.ts";

/** The names of the server's strategies, by the kind of caller. */
export const strategyNames: Readonly<Record<Ability["kind"], string>> = {
  public: "users-permissions",
  user: "users-permissions",
  token: "content-api-token",
};

const SERVER_STRATEGIES: readonly string[] = ["content-api-token", "users-permissions"];

const ofServer = new WeakSet<Strategy>();

/** Marks a strategy that the server runs by itself. */
export function markServerStrategy(strategy: Strategy): Strategy {
  ofServer.add(strategy);
  return strategy;
}

/** A strategy of the code. */
export interface Strategy {
  readonly name?: unknown;
  readonly authenticate: (ctx: Context) => unknown;
  readonly verify?: (auth: unknown, config: unknown) => unknown;
}

/** The name of a strategy of the server, or one of the code. */
export type ListedStrategy = string | Strategy;

const INVALID =
  "Invalid auth strategy. Expecting an object with properties {name: string, authenticate: function, verify: function}";

export function checkStrategy(strategy: unknown): asserts strategy is Strategy {
  const { authenticate, verify } = (strategy ?? {}) as Partial<Strategy>;
  assert(typeof authenticate === "function", INVALID);
  assert(verify === undefined || typeof verify === "function", INVALID);
}

/** The strategies that code registers, by type of route. */
export class Strategies {
  readonly #registered = new Map<string, Strategy[]>();
  /** Strategies of the server that are registered as they are. That of API tokens always is. */
  readonly #ofServer = new Set<unknown>(["content-api-token"]);
  /** Instead of the server's own, by name. */
  readonly #replacements = new Map<string, Strategy>();

  /** A strategy with the name of one of the server that is not registered replaces it. Throws for an invalid strategy. */
  register(type: string, strategy: unknown): void {
    checkStrategy(strategy);
    const name = String(strategy.name);
    if (ofServer.has(strategy)) return void this.#ofServer.add(name);
    if (type === "content-api" && SERVER_STRATEGIES.includes(name) && !this.#ofServer.has(name))
      return void this.#replacements.set(name, strategy);
    this.#registered.getOrInsertComputed(type, () => []).push(strategy);
  }

  /** Whether code decides who the callers of all routes of content are. */
  get replacesServer(): boolean {
    return this.#replacements.size > 0;
  }

  ofType(type: string): readonly Strategy[] {
    return this.#registered.get(type) ?? [];
  }

  /**
   * The strategies of a route, in order; undefined: those of the server. `listed`: as its configuration has them. Unknown names are
   * ignored, as in Strapi; objects are checked when they are used.
   */
  select(type: string, listed: unknown): readonly ListedStrategy[] | undefined {
    const registered = this.ofType(type);
    const own = SERVER_STRATEGIES.map((name): ListedStrategy => this.#replacements.get(name) ?? name);
    const known: readonly ListedStrategy[] = type === "content-api" ? [...own, ...registered] : registered;
    const isOfServer = type === "content-api" && registered.length === 0 && !this.replacesServer;
    if (!Array.isArray(listed)) return isOfServer ? undefined : known;
    return listed.flatMap((entry): ListedStrategy[] => {
      if (typeof entry === "object") return [entry as Strategy];
      const found = known.find((strategy) => (typeof strategy === "string" ? strategy : strategy.name) === entry);
      return found === undefined || typeof entry !== "string" ? [] : [found];
    });
  }
}
