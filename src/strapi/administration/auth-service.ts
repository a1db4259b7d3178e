/** `strapi.service("admin::auth")`: passwords of the administrators that code creates. */
import { hashPassword, verifyPassword } from "../../engine/documents/passwords.ts";
import type { Members } from "../loader/plugin.ts";
import type { Rows } from "./rows.ts";
import { ADMINISTRATOR } from "./types.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Whole seconds; undefined for other values. */
export function expiresInToSeconds(span: unknown): number | undefined {
  if (typeof span === "number") return Number.isFinite(span) ? Math.max(0, Math.floor(span)) : undefined;
  const [, count, unit = "s"] = (typeof span === "string" && /^(\d+)\s*(ms|[smhdw])?$/i.exec(span.trim())) || [];
  return count === undefined ? undefined : Math.floor(Number(count) * UNITS[unit.toLowerCase()]!);
}

/** The error, the administrator, and why there is none, as for a strategy of passport. */
type Credentials = [error: null, user: unknown, info?: { readonly message: string }];

export function createAuthService(query: (uid: string) => Rows): Members {
  return {
    hashPassword,
    validatePassword: verifyPassword,
    checkCredentials: async ({ email, password }: Record<"email" | "password", string>): Promise<Credentials> => {
      const user = await query(ADMINISTRATOR).findOne({ where: { email } });
      const isKnown = typeof user?.password === "string" && (await verifyPassword(password, user.password));
      if (!isKnown) return [null, false, { message: "Invalid credentials" }];
      return user.isActive === true ? [null, user] : [null, false, { message: "User not active" }];
    },
  };
}
