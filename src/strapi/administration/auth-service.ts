/** `strapi.service("admin::auth")`: passwords of the administrators that code creates. */
import { hashPassword, verifyPassword } from "../../engine/documents/passwords.ts";
import type { Params } from "../../engine/query/parse.ts";
import { applicationError } from "../../lib/errors.ts";
import type { Members } from "../loader/plugin.ts";
import type { Log } from "../runtime.ts";
import type { Row, Rows } from "./rows.ts";
import { ADMINISTRATOR } from "./types.ts";
import { createUserService, newToken } from "./user-service.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const HOUR = 3600;

/** Whole seconds; undefined for other values. */
export function expiresInToSeconds(span: unknown): number | undefined {
  if (typeof span === "number") return Number.isFinite(span) ? Math.max(0, Math.floor(span)) : undefined;
  const [, count, unit = "s"] = (typeof span === "string" && /^(\d+)\s*(ms|[smhdw])?$/i.exec(span.trim())) || [];
  return count === undefined ? undefined : Math.floor(Number(count) * UNITS[unit.toLowerCase()]!);
}

/** The error, the administrator, and why there is none, as for a strategy of passport. */
type Credentials = [error: null, user: unknown, info?: { readonly message: string }];

export interface Emails {
  readonly sendTemplatedEmail: (options: Params, template: unknown, data: Params) => Promise<unknown>;
}

interface AuthParts {
  readonly query: (uid: string) => Rows;
  /** A setting of `config/admin`. */
  readonly config: (path: string) => unknown;
  readonly emails: () => Emails;
  readonly log: Log;
}

const SHOWN_IN_MAILS = ["email", "firstname", "lastname", "username"];
const WITHOUT_CODE = { resetPasswordToken: null, resetPasswordTokenExpiresAt: null };

const isExpired = ({ resetPasswordTokenExpiresAt: end }: Row): boolean =>
  !end || new Date(end as string).getTime() <= Date.now();

export function createAuthService({ query, config, emails, log }: AuthParts): Members {
  const findOne = (where: Params) => query(ADMINISTRATOR).findOne({ where });
  /** Other values than texts would be conditions, and undefined none. */
  const findActive = async (name: string, value: unknown): Promise<Row | null> =>
    typeof value === "string" && value !== "" ? findOne({ [name]: value, isActive: true }) : null;
  const change = ({ id }: Row, data: Params) =>
    (createUserService(query).updateById as (id: number, data: Params) => Promise<Row | null>)(id, data);

  return {
    hashPassword,
    validatePassword: verifyPassword,
    checkCredentials: async ({ email, password }: Record<"email" | "password", string>): Promise<Credentials> => {
      const user = await findOne({ email });
      const isKnown = typeof user?.password === "string" && (await verifyPassword(password, user.password));
      if (!isKnown) return [null, false, { message: "Invalid credentials" }];
      return user.isActive === true ? [null, user] : [null, false, { message: "User not active" }];
    },
    forgotPassword: async ({ email }: Params = {}) => {
      const user = await findActive("email", email);
      if (!user) return;
      const resetPasswordToken = newToken();
      const seconds = expiresInToSeconds(config("forgotPassword.expiresIn")) ?? HOUR;
      const resetPasswordTokenExpiresAt = new Date(Date.now() + seconds * 1000);
      await change(user, { resetPasswordToken, resetPasswordTokenExpiresAt });
      const [from, replyTo] = [config("forgotPassword.from"), config("forgotPassword.replyTo")];
      const url = `${config("absoluteUrl")}/auth/reset-password?code=${resetPasswordToken}`;
      const data = { url, user: Object.fromEntries(SHOWN_IN_MAILS.map((name) => [name, user[name]])) };
      try {
        const options = { to: user.email, from, replyTo };
        return await emails().sendTemplatedEmail(options, config("forgotPassword.emailTemplate"), data);
      } catch (error) {
        // who asks must not learn whether there is such an administrator
        log.error(error);
      }
    },
    resetPassword: async ({ resetPasswordToken, password }: Params = {}) => {
      const user = await findActive("resetPasswordToken", resetPasswordToken);
      if (!user) throw applicationError("An application error occurred");
      if (isExpired(user)) {
        await change(user, WITHOUT_CODE);
        throw applicationError("This reset password token has expired");
      }
      return change(user, { ...WITHOUT_CODE, password });
    },
  };
}
