/** How users register and log in, as an archive's settings say it, in the form of `auth` in config/galley.json. */
import type { Settings } from "../../config/settings.ts";
import { isRecord } from "../../query/key-check.ts";

export const ADVANCED_KEY = "plugin_users-permissions_advanced";

type Auth = Settings["auth"];
type AuthKey =
  | "allowRegister"
  | "emailConfirmation"
  | "emailConfirmationRedirection"
  | "resetPasswordUrl"
  | "defaultRole";

export type ArchiveAuth = Readonly<Partial<Pick<Auth, AuthKey>>>;

/** The reference's names. */
const names: Readonly<Record<AuthKey, readonly [key: string, type: "boolean" | "string"]>> = {
  allowRegister: ["allow_register", "boolean"],
  emailConfirmation: ["email_confirmation", "boolean"],
  emailConfirmationRedirection: ["email_confirmation_redirection", "string"],
  resetPasswordUrl: ["email_reset_password", "string"],
  defaultRole: ["default_role", "string"],
};

/** `value`: of the row `ADVANCED_KEY`. Values of other types than the reference writes are left out. */
export function archiveAuth(value: unknown): ArchiveAuth {
  if (!isRecord(value)) return {};
  const found = Object.entries(names).flatMap(([name, [key, type]]) => {
    const setting = value[key];
    return typeof setting === type && setting !== "" ? [[name, setting] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Where a project's settings differ from an archive's, a line each: an import changes no settings. */
export function authDifferences(theirs: ArchiveAuth, ours: Auth): string[] {
  return (Object.keys(theirs) as AuthKey[])
    .filter((key) => theirs[key] !== ours[key])
    .map(
      (key) =>
        `auth.${key} is ${JSON.stringify(theirs[key])} in the archive and stays ${JSON.stringify(ours[key])} here: config/galley.json decides`,
    );
}
