/**
 * The global `strapi`, for installed packages and for tests: of the branch whose work is running, and else of the project. A project's own
 * files have a variable of their own instead.
 */

export interface StrapiScope {
  readonly run: <T>(work: () => T) => T;
  /** Lets go of `strapi`: what has been started in the scope may be kept for longer. */
  readonly end: () => void;
}

/** For the project itself. */
export const sharedScope: StrapiScope = { run: (work) => work(), end: () => {} };

interface Scope {
  strapi: unknown;
}

type Scopes = import("node:async_hooks").AsyncLocalStorage<Scope>;
let scopes: Scopes | undefined;

/** From the first branch on. */
function divideGlobal(): Scopes {
  const { AsyncLocalStorage } = require("node:async_hooks") as typeof import("node:async_hooks");
  const created: Scopes = new AsyncLocalStorage();
  const shared: Scope = { strapi: (globalThis as { strapi?: unknown }).strapi };
  Object.defineProperty(globalThis, "strapi", {
    configurable: true,
    enumerable: true,
    get: () => (created.getStore() ?? shared).strapi,
    set: (value) => {
      (created.getStore() ?? shared).strapi = value;
    },
  });
  return created;
}

/** For a branch. What its work starts, such as timers, stays in the scope. */
export function createStrapiScope(): StrapiScope {
  scopes ??= divideGlobal();
  const own = scopes;
  const scope: Scope = { strapi: undefined };
  return {
    run: (work) => own.run(scope, work),
    end: () => {
      scope.strapi = undefined;
    },
  };
}
