/**
 * Settings of registration and login that Strapi's settings page stores in the database. Configuration files take
 * precedence.
 */

import { isRecord, toRecord } from "../../lib/is-record.ts";
import type { Settings } from "../config/settings.ts";
import { perVersion } from "../storage/connection.ts";
import { storedValue } from "../storage/core-store.ts";
import type { Storage } from "../storage/storage.ts";
import { GRANT_KEY } from "./store-defaults.ts";

export const ADVANCED_KEY = "plugin_users-permissions_advanced";

type Auth = Settings["auth"];
type AuthKey =
  | "allowRegister"
  | "uniqueEmail"
  | "emailConfirmation"
  | "emailConfirmationRedirection"
  | "resetPasswordUrl"
  | "defaultRole";

export type StoredAuth = Readonly<Partial<Pick<Auth, AuthKey>>>;

/** Strapi's names. */
const names: Readonly<Record<AuthKey, readonly [key: string, type: "boolean" | "string"]>> = {
  allowRegister: ["allow_register", "boolean"],
  uniqueEmail: ["unique_email", "boolean"],
  emailConfirmation: ["email_confirmation", "boolean"],
  emailConfirmationRedirection: ["email_confirmation_redirection", "string"],
  resetPasswordUrl: ["email_reset_password", "string"],
  defaultRole: ["default_role", "string"],
};
const keys = Object.keys(names) as AuthKey[];

/**
 * `value`: of the row `ADVANCED_KEY`. Values of unexpected types are ignored, except ids of roles, for which Strapi finds
 * no role either.
 */
export function storedAuth(value: unknown): StoredAuth {
  if (!isRecord(value)) return {};
  const settings = Object.entries(names).flatMap(([name, [key, type]]) => {
    const setting = name === "defaultRole" && typeof value[key] === "number" ? String(value[key]) : value[key];
    return typeof setting === type && setting !== "" ? [[name, setting] as const] : [];
  });
  return Object.fromEntries(settings);
}

/** The value of the row `ADVANCED_KEY` for an export: the stored one, overridden by the project's files. */
export function advancedValue({ auth, galley }: Settings, stored: unknown): Readonly<Record<string, unknown>> {
  const base = toRecord(stored);
  // Strapi has no address by default
  const isDefault = (name: AuthKey): boolean =>
    name === "emailConfirmationRedirection" && galley.auth?.[name] === undefined;
  const overrides = keys
    .filter((name) => galley.auth?.[name] !== undefined || !Object.hasOwn(base, names[name][0]))
    .map((name) => [names[name][0], auth[name] === "" || isDefault(name) ? null : auth[name]] as const);
  return { ...base, ...Object.fromEntries(overrides) };
}

const cachedAuth = perVersion(() => ({ auth: undefined as StoredAuth | undefined }));

/** Settings of the files, supplemented by stored ones. Changes of stored settings take effect immediately. */
export function withStoredAuth(settings: Settings, storage: Storage): Settings {
  const configured = settings.galley.auth ?? {};
  const read = (): StoredAuth => {
    const cache = cachedAuth(storage);
    cache.auth ??= storedAuth(storedValue(storage, ADVANCED_KEY));
    return cache.auth;
  };
  const unconfigured = keys.filter((name) => configured[name] === undefined);
  const getters = unconfigured.map((name) => [
    name,
    { enumerable: true, get: () => read()[name] ?? settings.auth[name] } satisfies PropertyDescriptor,
  ]);
  const auth = Object.defineProperties(
    { ...settings.auth },
    Object.fromEntries(getters) as PropertyDescriptorMap,
  ) as Auth;
  return { ...settings, auth };
}

/** Whether users may sign in with a password: as in Strapi, it is the provider `email` that is enabled or not. */
export function allowsPasswords(storage: Storage): boolean {
  const { email } = toRecord(storedValue(storage, GRANT_KEY));
  return !isRecord(email) || Boolean(email.enabled);
}

/** Whether users may sign in with an account of another service. */
export const offersProviders = (storage: Storage): boolean =>
  Object.entries(toRecord(storedValue(storage, GRANT_KEY))).some(
    ([name, provider]) => name !== "email" && Boolean(toRecord(provider).enabled),
  );

/** A line for each setting of an archive that differs from the project's files, which take precedence. */
export function authDifferences(archived: StoredAuth, configured: Auth): string[] {
  return (Object.keys(archived) as AuthKey[])
    .filter((key) => archived[key] !== configured[key])
    .map(
      (key) =>
        `auth.${key} is ${JSON.stringify(archived[key])} in the archive and stays ${JSON.stringify(configured[key])} here: config/galley.json decides`,
    );
}
