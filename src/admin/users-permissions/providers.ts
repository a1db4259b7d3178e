/** `/users-permissions/providers`: settings of login providers, stored as in Strapi. Projects with own code use them. */

import { setStored, storedValue } from "../../engine/storage/core-store.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";

const KEY = "plugin_users-permissions_grant";
const PATH = "/users-permissions/providers";

type Row = readonly [name: string, icon: string, callback: string, scope?: readonly string[], subdomain?: string];

/** Strapi's defaults. */
const rows: readonly Row[] = [
  ["discord", "discord", "callbackUrl", ["identify", "email"]],
  ["facebook", "facebook-square", "callbackUrl", ["email"]],
  ["google", "google", "callbackUrl", ["email"]],
  ["github", "github", "callbackUrl", ["user", "user:email"]],
  ["microsoft", "windows", "callbackUrl", ["user.read"]],
  ["twitter", "twitter", "callbackUrl", undefined],
  ["instagram", "instagram", "callbackUrl", ["user_profile"]],
  ["vk", "vk", "callbackUrl", ["email"]],
  ["twitch", "twitch", "callbackUrl", ["user:read:email"]],
  ["linkedin", "linkedin", "callbackUrl", ["r_liteprofile", "r_emailaddress"]],
  ["cognito", "aws", "callback", ["email", "openid", "profile"], "my.subdomain.com"],
  ["reddit", "reddit", "callback", ["identity"]],
  ["auth0", "", "callback", ["openid", "email", "profile"], "my-tenant.eu"],
  ["cas", "book", "callback", ["openid email"], "my.subdomain.com/cas"],
  ["patreon", "", "callback", ["identity", "identity[email]"]],
  ["keycloak", "", "callback", ["openid", "email", "profile"], "myKeycloakProvider.com/realms/myrealm"],
];

const defaults = Object.fromEntries(
  rows.map(([name, icon, callback, scope, subdomain]) => [
    name,
    {
      icon,
      enabled: false,
      key: "",
      secret: "",
      ...(subdomain === undefined ? {} : { subdomain }),
      [callback]: `api/auth/${name}/callback`,
      ...(scope ? { scope } : {}),
    },
  ]),
);

export function providerRoutes({ context: { storage }, settings }: AdminServices): AdminRoute[] {
  const read = (): Record<string, object> => {
    const stored = storedValue(storage, KEY);
    return { email: { icon: "envelope", enabled: true }, ...defaults, ...(isRecord(stored) ? stored : {}) };
  };
  return [
    route("GET", PATH, ({ request }) => {
      const base = `${settings.server.url || new URL(request.url).origin}${settings.rest.prefix}`;
      const shown = Object.entries(read()).map(([name, provider]) =>
        name === "email" ? [name, provider] : [name, { ...provider, redirectUri: `${base}/connect/${name}/callback` }],
      );
      return ok(Object.fromEntries(shown));
    }),
    route("PUT", PATH, async ({ body }) => {
      const input = await body();
      if (Object.keys(input).length === 0) throw validationError("Request body cannot be empty");
      await storage.write(() => setStored(storage, KEY, isRecord(input.providers) ? input.providers : {}));
      return ok({ ok: true });
    }),
  ];
}
