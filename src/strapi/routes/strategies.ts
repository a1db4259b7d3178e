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

const [TOKENS, USERS] = ["content-api-token", "users-permissions"];

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
  readonly #ofServer = new Set<unknown>([TOKENS]);
  /** Those of routes of content, in the order in which they are registered. */
  readonly #ofContent: ListedStrategy[] = [];
  /** Instead of that of users. */
  #replacement: Strategy | undefined;

  /** A strategy with the name of one of the server that is not registered replaces it. Throws for an invalid strategy. */
  register(type: string, strategy: unknown): void {
    checkStrategy(strategy);
    const name = String(strategy.name);
    const isOfServer = ofServer.has(strategy);
    const replaces = !isOfServer && type === "content-api" && name === USERS && !this.#ofServer.has(USERS);
    if (type === "content-api") this.#ofContent.push(isOfServer ? name : strategy);
    if (isOfServer) this.#ofServer.add(name);
    else if (replaces) this.#replacement = strategy;
    else this.#registered.getOrInsertComputed(type, () => []).push(strategy);
  }

  /** Whether code decides who the callers of all routes of content are. */
  get replacesServer(): boolean {
    return this.#replacement !== undefined;
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
    const isUserKnown = this.#ofServer.has(USERS) || this.replacesServer;
    const ofContent: readonly ListedStrategy[] = [TOKENS, ...(isUserKnown ? [] : [USERS]), ...this.#ofContent];
    const known = type === "content-api" ? ofContent : registered;
    const isOfServer = type === "content-api" && registered.length === 0 && !this.replacesServer;
    if (!Array.isArray(listed)) return isOfServer ? undefined : known;
    return listed.flatMap((entry): ListedStrategy[] => {
      if (typeof entry === "object") return [entry as Strategy];
      const found = known.find((strategy) => (typeof strategy === "string" ? strategy : strategy.name) === entry);
      return found === undefined || typeof entry !== "string" ? [] : [found];
    });
  }
}
