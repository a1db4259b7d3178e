/** `/users-permissions/providers`: settings of login providers, stored as in Strapi. Projects with own code use them. */

import { GRANT_KEY, signInProviders } from "../../engine/access/store-defaults.ts";
import { setStored, storedValue } from "../../engine/storage/core-store.ts";
import { validationError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";

const PATH = "/users-permissions/providers";

export function providerRoutes({ context: { storage }, settings }: AdminServices): AdminRoute[] {
  const read = (): Record<string, unknown> => ({
    ...signInProviders(settings),
    ...toRecord(storedValue(storage, GRANT_KEY)),
  });
  return [
    route("GET", PATH, ({ request }) => {
      const base = `${settings.server.url || new URL(request.url).origin}${settings.rest.prefix}`;
      const shown = Object.entries(read()).map(([name, provider]) =>
        name === "email"
          ? [name, provider]
          : [name, { ...toRecord(provider), redirectUri: `${base}/connect/${name}/callback` }],
      );
      return ok(Object.fromEntries(shown));
    }),
    route("PUT", PATH, async ({ body }) => {
      const input = await body();
      if (Object.keys(input).length === 0) throw validationError("Request body cannot be empty");
      await storage.write(() => setStored(storage, GRANT_KEY, toRecord(input.providers)));
      return ok({ ok: true });
    }),
  ];
}
