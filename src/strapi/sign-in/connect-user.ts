/** `service("providers")` of users-permissions: finds or creates the user of a provider's profile. */

import { GRANT_KEY, signInProviders } from "../../engine/access/store-defaults.ts";
import { ADVANCED_KEY, advancedValue } from "../../engine/access/stored-auth.ts";
import { ROLE, USER } from "../../engine/schema/builtin/index.ts";
import { storedValue } from "../../engine/storage/core-store.ts";
import { stringOrEmpty } from "../../lib/coerce.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Runtime } from "../runtime.ts";
import type { ProviderRegistry } from "./registry.ts";

type Fields = Readonly<Record<string, unknown>>;

const MAX_ATTEMPTS = 10;

/** The stored configuration of all providers. */
export function providerConfigs({
  settings,
  raw,
}: Pick<Runtime, "settings" | "raw">): Readonly<Record<string, Fields>> {
  const stored = storedValue(raw.storage, GRANT_KEY);
  return isRecord(stored) ? (stored as Record<string, Fields>) : signInProviders(settings);
}

/** The configuration of a provider; undefined unless it is enabled. */
export function enabledConfig(runtime: Pick<Runtime, "settings" | "raw">, name: string): Fields | undefined {
  const configs = providerConfigs(runtime);
  const config = Object.hasOwn(configs, name) ? configs[name] : undefined;
  return isRecord(config) && config.enabled ? config : undefined;
}

/** A name that no user has: `base`, or the same with a number. */
async function freeUsername({ query, findSchema }: Runtime, base: string): Promise<string> {
  const { attributes } = findSchema(USER) as { readonly attributes?: Readonly<Record<string, Fields>> };
  const minLength = Number(attributes?.username?.minLength ?? 3);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const number = 1000 + Math.floor(Math.random() * 9000);
    const username = attempt === 0 && base.length >= minLength ? base : `${base}${number}`;
    const where = { $or: [{ username }, { email: username.toLowerCase() }] };
    if ((await query(USER).count({ where })) === 0) return username;
  }
  return crypto.randomUUID();
}

/**
 * Resolves with the user who signs in with the tokens in `oauthData`. Throws without tokens or an address, if users cannot register,
 * or if another user has the address.
 */
export async function connectUser(
  runtime: Runtime,
  registry: ProviderRegistry,
  provider: string,
  oauthData: Fields,
  { grantResponse }: { readonly grantResponse?: Fields } = {},
): Promise<unknown> {
  const accessToken = oauthData.access_token || oauthData.code || oauthData.oauth_token;
  if (!accessToken && !oauthData.id_token) throw new Error("No access_token.");
  const profile = await registry.run({
    provider,
    accessToken: stringOrEmpty(accessToken),
    query: oauthData,
    providers: providerConfigs(runtime),
    ...(grantResponse ? { grantResponse } : {}),
  });
  const email = stringOrEmpty(profile.email).toLowerCase();
  if (email === "") throw new Error("Email was not available.");
  const { settings, raw, query } = runtime;
  const advanced = advancedValue(settings, storedValue(raw.storage, ADVANCED_KEY));
  const users = (await query(USER).findMany({ where: { email } })) as Fields[];
  const found = users.find((user) => user.provider === provider);
  if (found) return found;
  if (!advanced.allow_register) throw new Error("Register action is actually not available.");
  if (users.length > 0 && advanced.unique_email) throw new Error("Email is already taken.");
  const role = await query(ROLE).findOne({ where: { type: advanced.default_role } });
  const username = await freeUsername(runtime, stringOrEmpty(profile.username).trim() || email.split("@")[0]!);
  return query(USER).create({ data: { ...profile, username, email, provider, role: role?.id, confirmed: true } });
}
