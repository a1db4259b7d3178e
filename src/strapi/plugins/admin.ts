/** Services of Strapi's admin page. What they keep is in a database in memory; other members have no effect. */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { hashPassword, verifyPassword } from "../../engine/documents/passwords.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { abilityFrom, abilityOf } from "../administration/ability.ts";
import type { AdministratorActions } from "../administration/actions.ts";
import { createApiTokenService } from "../administration/api-token-service.ts";
import { type Ability, createPermissionsManager } from "../administration/permissions-manager.ts";
import { createRoleService } from "../administration/role-service.ts";
import type { Rows } from "../administration/rows.ts";
import { ADMINISTRATOR, ADMINISTRATOR_ROLE, SUPER_ADMIN } from "../administration/types.ts";
import { createUserService, newToken } from "../administration/user-service.ts";
import type { Members } from "../loader/plugin.ts";
import type { Log, Runtime } from "../runtime.ts";

const VERSION = "v1";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 16;
const TAG_BYTES = 16;

/**
 * In Strapi's format: `v1`, the nonce, the text and its tag, so that each reads what the other wrote. `secret`:
 * `secrets.encryptionKey` of `config/admin`; without one, both members return null, with a warning.
 */
function createEncryption(secret: () => unknown, log: Log): Members {
  const createKey = (): Buffer | null => {
    const text = secret();
    if (typeof text === "string" && text !== "") return createHash("sha256").update(text).digest();
    log.warn("nothing is encrypted or decrypted without secrets.encryptionKey in config/admin");
    return null;
  };
  return {
    encrypt: (value: string): string | null => {
      const key = createKey();
      if (!key) return null;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
      return [VERSION, ...[nonce, text, cipher.getAuthTag()].map((part) => part.toString("hex"))].join(":");
    },
    decrypt: (encrypted: string): string | null => {
      const [version, ...parts] = encrypted.split(":");
      if (version !== VERSION) throw new Error(`Unsupported encryption version: ${version}`);
      const [nonce, text, tag] = parts.map((part) => Buffer.from(part, "hex"));
      if (!nonce?.length || !text?.length || !tag?.length) throw new Error("Invalid encrypted value format");
      const key = createKey();
      if (!key) return null;
      try {
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAuthTag(tag);
        return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
      } catch {
        log.warn("a value cannot be decrypted: it was changed, or encrypted with another secrets.encryptionKey");
        return null;
      }
    },
  };
}

/** The error, the administrator, and why there is none, as for a strategy of passport. */
type Credentials = [error: null, user: unknown, info?: { readonly message: string }];

/** `strapi.service("admin::auth")`: passwords of the administrators that code creates. */
function createAuthService(query: (uid: string) => Rows): Members {
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

type Check = Readonly<Record<"action" | "subject" | "field", string | undefined>>;

/** `permission.engine`: of the roles, only the super admin's has permissions. */
function permissionEngine(runtime: Runtime, query: (uid: string) => Rows): Members {
  const rolesOf = async ({ id, roles }: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> => {
    // the administrator of a request has its roles, and is not stored
    if (Array.isArray(roles)) return roles;
    return id === undefined ? [] : query(ADMINISTRATOR_ROLE).findMany({ where: { users: { id } } });
  };
  const checkMany = (ability: Ability, checks?: readonly Check[]): unknown => {
    if (!checks) return (later: readonly Check[]) => checkMany(ability, later);
    return checks.map(({ action, subject, field }) => ability.can(action, subject, field));
  };
  return {
    hooks: new Proxy({}, { get: () => hook }),
    generateUserAbility: async (user: unknown) => {
      const isSuperAdmin = (await rolesOf(toRecord(user))).some((role) => toRecord(role).code === SUPER_ADMIN);
      return abilityOf(isSuperAdmin ? runtime.tools.superAdminPermissions() : () => []);
    },
    generateTokenAbility: async (permissions: Parameters<typeof abilityFrom>[0]) => abilityFrom(permissions),
    checkMany,
  };
}

interface ContentApi {
  readonly contentAPI: { readonly permissions: { readonly providers: { readonly action: { keys: () => string[] } } } };
}

/** By name without `admin::`. */
export function adminServices(runtime: Runtime, administratorActions: AdministratorActions): Members {
  const { log, transactions, access } = runtime;
  const query = (uid: string): Rows => runtime.administration().query(uid) as Rows;
  const actions = () => (runtime.strapi as ContentApi).contentAPI.permissions.providers.action.keys();
  const config = (path: string) => runtime.config.get(`admin.${path}`);
  const tokens = () =>
    createApiTokenService({
      ...{ query, actions, tokens: access.tokens, clock: runtime.context.clock },
      transaction: (work) => transactions.run(work),
    });
  return {
    permission: {
      conditionProvider: provider,
      actionProvider: administratorActions.provider,
      createPermissionsManager: (of: Parameters<typeof createPermissionsManager>[1]) =>
        createPermissionsManager(runtime.findSchema, of),
      engine: permissionEngine(runtime, query),
      findMany: async () => [],
      createMany: async () => [],
      findUserPermissions: async () => [],
    },
    user: () => withOthers("admin::user", log, createUserService(query)),
    role: () => withOthers("admin::role", log, createRoleService(query)),
    "api-token": tokens,
    "api-token-content-api": tokens,
    auth: createAuthService(query),
    encryption: createEncryption(() => {
      const secrets = config("secrets");
      return isRecord(secrets) ? secrets.encryptionKey : undefined;
    }, log),
    token: {
      createToken: newToken,
      // there always is a secret
      checkSecretIsDefined: noop,
      getTokenOptions: () => {
        const auth = config("auth");
        const { options, secret, sessions } = toRecord(auth) as Members;
        const own = isRecord(sessions) && toRecord(sessions.options);
        return { secret, options: { expiresIn: "30d", ...toRecord(options), ...own } };
      },
    },
  };
}
