/** Services of Strapi's admin page. What they keep is in a database in memory; other members have no effect. */

import { hashPassword, verifyPassword } from "../../engine/documents/passwords.ts";
import { isRecord } from "../../lib/is-record.ts";
import { createApiTokenService } from "../administration/api-token-service.ts";
import { createRoleService } from "../administration/role-service.ts";
import type { Rows } from "../administration/rows.ts";
import { createUserService } from "../administration/user-service.ts";
import type { Log, Runtime } from "../runtime.ts";
import type { Members } from "./plugin.ts";

const TOKEN_BYTES = 20;
const noop = (): void => {};
const provider = { register: noop, registerMany: noop, get: () => undefined, has: () => false, values: () => [] };
const hook = { register: noop, delete: noop };

/** Other members log a warning. */
function withOthers(uid: string, log: Log, members: Members): Members {
  return new Proxy(members, {
    get: (target, name) => {
      if (typeof name === "symbol" || name === "then" || name in target) return target[String(name)];
      return async () => {
        log.warn(`${uid} is not supported by Galley: ${name} does nothing`);
        return null;
      };
    },
  });
}

interface ContentApi {
  readonly contentAPI: { readonly permissions: { readonly providers: { readonly action: { keys: () => string[] } } } };
}

/** The error, the administrator, and why there is none, as for a strategy of passport. */
type Credentials = [error: null, user: unknown, info?: { readonly message: string }];

async function checkCredentials(
  users: Rows,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Credentials> {
  const user = await users.findOne({ where: { email } });
  const isKnown = typeof user?.password === "string" && (await verifyPassword(password, user.password));
  if (!isKnown) return [null, false, { message: "Invalid credentials" }];
  return user.isActive === true ? [null, user] : [null, false, { message: "User not active" }];
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Whole seconds; undefined for other values. */
function expiresInToSeconds(span: unknown): number | undefined {
  if (typeof span === "number") return Number.isFinite(span) ? Math.max(0, Math.floor(span)) : undefined;
  const [, count, unit = "s"] = (typeof span === "string" && /^(\d+)\s*(ms|[smhdw])?$/i.exec(span.trim())) || [];
  return count === undefined ? undefined : Math.floor(Number(count) * UNITS[unit.toLowerCase()]!);
}

/** `auth` of `config/admin`. */
function authOf({ strapi }: Runtime): Members {
  const { config } = strapi as { readonly config: { readonly get: (path: string) => unknown } };
  const auth = config.get("admin.auth");
  return isRecord(auth) ? auth : {};
}

/** By name without `admin::`. */
export function adminServices(runtime: Runtime): Members {
  const { log, transactions, access } = runtime;
  const query = (uid: string): Rows => runtime.administration().query(uid) as Rows;
  const actions = () => (runtime.strapi as ContentApi).contentAPI.permissions.providers.action.keys();
  const tokens = () =>
    createApiTokenService({
      ...{ query, actions, tokens: access.tokens },
      transaction: (work) => transactions.run(work),
    });
  return {
    permission: {
      conditionProvider: provider,
      actionProvider: provider,
      engine: { hooks: new Proxy({}, { get: () => hook }) },
      findMany: async () => [],
      createMany: async () => [],
      findUserPermissions: async () => [],
    },
    user: () => withOthers("admin::user", log, createUserService(query)),
    role: () => withOthers("admin::role", log, createRoleService(query)),
    "api-token": tokens,
    "api-token-content-api": tokens,
    auth: {
      hashPassword,
      validatePassword: verifyPassword,
      checkCredentials: (credentials: Parameters<typeof checkCredentials>[1]) =>
        checkCredentials(query("admin::user"), credentials),
    },
    token: {
      createToken: () => Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString("hex"),
      // there always is a secret
      checkSecretIsDefined: noop,
      getTokenOptions: () => {
        const { options, secret, sessions } = authOf(runtime);
        const own = isRecord(sessions) && isRecord(sessions.options) ? sessions.options : {};
        return { secret, options: { expiresIn: "30d", ...(isRecord(options) ? options : {}), ...own } };
      },
      expiresInToSeconds,
      hasUserConfiguredAuthOptionsExpiresIn: (options: unknown) =>
        isRecord(options) && options.expiresIn !== undefined && options.expiresIn !== null,
    },
  };
}
