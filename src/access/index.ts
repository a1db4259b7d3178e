/** Assembles authentication and authorization for one project. */
import { join } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { Access } from "./access.ts";
import { Auth } from "./auth.ts";
import { Jwt } from "./jwt.ts";
import { createMailer, type Mailer } from "./mail.ts";
import { type Counter, RateLimit } from "./rate-limit.ts";
import { Roles } from "./roles.ts";
import type { Secrets } from "./secrets.ts";
import { Sessions } from "./sessions.ts";
import type { Tokens } from "./tokens.ts";
import { UserAdmin } from "./user-admin.ts";
import { Users } from "./users.ts";

export interface AccessParts {
  readonly access: Access;
  readonly auth: Auth;
  readonly users: Users;
  readonly userAdmin: UserAdmin;
  readonly roles: Roles;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly rateLimit: RateLimit;
  readonly mailer: Mailer;
  readonly jwt: Jwt;
}

export interface AccessOptions {
  readonly publicRead: boolean;
  /** The folder of mails and secrets; undefined: nothing is stored. */
  readonly folder: string | undefined;
  readonly secrets: Secrets;
  readonly tokens: Tokens;
  readonly ready: Promise<void>;
  readonly address: () => string;
  /** Counts requests for rate limits; undefined: in this process. */
  readonly counter: Counter | undefined;
  /** Prints a line on the command line; undefined if there is none. */
  readonly announce: ((line: string) => void) | undefined;
}

export function createAccess(context: DocumentsContext, settings: Settings, options: AccessOptions): AccessParts {
  const { tokens, ready, address, folder, secrets } = options;
  const jwt = new Jwt(settings.auth.jwtSecret ?? secrets.jwt);
  const users = new Users(context);
  const sessions = new Sessions(context.storage, jwt, settings.auth);
  const roles = new Roles(context);
  const outbox = folder === undefined ? undefined : join(folder, "outbox");
  const mailer = createMailer(settings.email, outbox, options.announce);
  // databases in memory are for tests, which log in often
  const { enabled = folder === undefined ? false : undefined, ...limits } = settings.auth.ratelimit;
  const access = new Access(context, { tokens, users, jwt, settings: settings.auth, publicRead: options.publicRead });
  return {
    access,
    auth: new Auth({ context, settings, users, jwt, sessions, mailer, ready, address }),
    users,
    userAdmin: new UserAdmin(users, sessions, settings.auth),
    roles,
    tokens,
    sessions,
    rateLimit: new RateLimit({ ...limits, enabled }, settings.server.proxies, options.counter),
    mailer,
    jwt,
  };
}
