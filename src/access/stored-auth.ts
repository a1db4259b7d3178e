/**
 * Settings of registration and login that the reference's settings page stores with the content. Configuration files take
 * precedence.
 */
import type { Settings } from "../config/settings.ts";
import { isRecord } from "../query/key-check.ts";
import { storedValue } from "../storage/core-store.ts";
import { perVersion } from "../storage/per-version.ts";
import type { Storage } from "../storage/storage.ts";

export const ADVANCED_KEY = "plugin_users-permissions_advanced";

type Auth = Settings["auth"];
type AuthKey =
  | "allowRegister"
  | "emailConfirmation"
  | "emailConfirmationRedirection"
  | "resetPasswordUrl"
  | "defaultRole";

export type StoredAuth = Readonly<Partial<Pick<Auth, AuthKey>>>;

/** The reference's names. */
const names: Readonly<Record<AuthKey, readonly [key: string, type: "boolean" | "string"]>> = {
  allowRegister: ["allow_register", "boolean"],
  emailConfirmation: ["email_confirmation", "boolean"],
  emailConfirmationRedirection: ["email_confirmation_redirection", "string"],
  resetPasswordUrl: ["email_reset_password", "string"],
  defaultRole: ["default_role", "string"],
};
const keys = Object.keys(names) as AuthKey[];

/**
 * `value`: of the row `ADVANCED_KEY`. Values of unexpected types are ignored, except ids of roles, for which the reference finds
 * no role either.
 */
export function storedAuth(value: unknown): StoredAuth {
  if (!isRecord(value)) return {};
  const found = Object.entries(names).flatMap(([name, [key, type]]) => {
    const setting = name === "defaultRole" && typeof value[key] === "number" ? String(value[key]) : value[key];
    return typeof setting === type && setting !== "" ? [[name, setting] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The value of the row `ADVANCED_KEY` for an export: the stored one, overridden by the project's files. */
export function advancedValue({ auth, galley }: Settings, stored: unknown): Readonly<Record<string, unknown>> {
  const kept = isRecord(stored) ? stored : { unique_email: true };
  const own = keys
    .filter((name) => galley.auth?.[name] !== undefined || !Object.hasOwn(kept, names[name][0]))
    .map((name) => [names[name][0], auth[name] === "" ? null : auth[name]] as const);
  return { ...kept, ...Object.fromEntries(own) };
}

const storedNow = perVersion(() => ({ auth: undefined as StoredAuth | undefined }));

/** The settings from files, or else stored ones, whose changes take effect immediately. */
export function withStoredAuth(settings: Settings, storage: Storage): Settings {
  const given = settings.galley.auth ?? {};
  const read = (): StoredAuth => {
    const now = storedNow(storage);
    now.auth ??= storedAuth(storedValue(storage, ADVANCED_KEY));
    return now.auth;
  };
  const free = keys.filter((name) => given[name] === undefined);
  const live = free.map((name) => [
    name,
    { enumerable: true, get: () => read()[name] ?? settings.auth[name] } satisfies PropertyDescriptor,
  ]);
  const auth = Object.defineProperties({ ...settings.auth }, Object.fromEntries(live) as PropertyDescriptorMap) as Auth;
  return { ...settings, auth };
}

/** The differences between an archive's settings and the project's files, which take precedence, one line each. */
export function authDifferences(theirs: StoredAuth, ours: Auth): string[] {
  return (Object.keys(theirs) as AuthKey[])
    .filter((key) => theirs[key] !== ours[key])
    .map(
      (key) =>
        `auth.${key} is ${JSON.stringify(theirs[key])} in the archive and stays ${JSON.stringify(ours[key])} here: config/galley.json decides`,
    );
}
