/** `strapi.auth`: registers authentication strategies, and verifies the permissions of callers. */

import { strapiError } from "../packages/utils.ts";
import type { Strategies } from "../routes/strategies.ts";

interface Auth {
  readonly strategy?: { readonly verify?: (auth: object, config: unknown) => unknown };
}

export function createAuthService(strategies: Strategies) {
  const service = {
    register: (type: string, strategy: unknown) => {
      strategies.register(type, strategy);
      return service;
    },
    /** `auth`: that of `ctx.state`. Rejects if the caller may not use the route or `scope`. */
    verify: async (auth: Auth | undefined, config: unknown = {}): Promise<unknown> => {
      if (config === false) return undefined;
      if (!auth) throw strapiError("UnauthorizedError");
      return auth.strategy?.verify?.(auth, config);
    },
  };
  return service;
}
