/** Assembles authentication and authorization for one project. */
import { join } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { Access, type AccessSteps } from "./access.ts";
import type { Auth } from "./auth.ts";
import type { PasswordRule } from "./auth-shapes.ts";
import { Jwt } from "./jwt.ts";
import type { Mail, Mailer, MailProvider } from "./mail.ts";
import { type Counter, RateLimit, WindowCounter } from "./rate-limit.ts";
import type { RoleAdmin } from "./role-admin.ts";
import type { Roles } from "./roles.ts";
import type { Secrets } from "./secrets.ts";
import { Sessions } from "./sessions.ts";
import type { Tokens } from "./tokens.ts";
import type { UserAdmin } from "./user-admin.ts";
import { Users } from "./users.ts";

export interface AccessOptions {
  readonly publicRead: boolean;
  /** The folder of mails and secrets; undefined: nothing is stored. */
  readonly folder: string | undefined;
  readonly secrets: Secrets;
  /** Actions of routes beside those of the content-types. */
  readonly extraActions: readonly string[];
  readonly tokens: Tokens;
  readonly ready: Promise<void>;
  readonly address: () => string;
  /** The project's rule for new passwords. */
  readonly passwordRule: () => PasswordRule | undefined;
  /** The project's provider of mails. Throws its errors. */
  readonly loadMailProvider: () => MailProvider;
  /** Counts requests for rate limits; undefined: in this process. */
  readonly counter: Counter | undefined;
  /** Prints a line on the command line; undefined if there is none. */
  readonly announce: ((line: string) => void) | undefined;
  /** Told of each mail that was sent. */
  readonly onMail: ((mail: Mail) => void) | undefined;
}

const PROVIDER_TIMEOUT_S = 60;

/** What only some requests need is loaded with the first of them. */
export class AccessParts {
  readonly access: Access;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly rateLimit: RateLimit;
  readonly jwt: Jwt;
  /** Actions of routes beside those of the content-types. More may be added later. */
  extraActions: readonly string[];
  /** May be replaced. */
  steps: AccessSteps = {};
  readonly #currentSteps = () => this.steps;
  readonly #context: DocumentsContext;
  readonly #settings: Settings;
  readonly #options: AccessOptions;
  #auth: Auth | undefined;
  #userAdmin: UserAdmin | undefined;
  #roles: Roles | undefined;
  #roleAdmin: RoleAdmin | undefined;
  #mailer: Mailer | undefined;

  constructor(context: DocumentsContext, settings: Settings, options: AccessOptions) {
    const { tokens, folder, secrets, publicRead, counter = new WindowCounter(context.clock) } = options;
    this.#context = context;
    this.#settings = settings;
    this.#options = options;
    this.tokens = tokens;
    this.extraActions = options.extraActions;
    this.jwt = new Jwt(settings.auth.jwtSecret ?? secrets.jwt, context.clock);
    this.users = new Users(context, this.#currentSteps);
    this.sessions = new Sessions(context, this.jwt, settings.auth);
    // databases in memory are for tests, which log in often
    const { enabled = folder === undefined ? false : undefined, ...limits } = settings.auth.ratelimit;
    this.rateLimit = new RateLimit({ ...limits, enabled }, settings.server.proxies, counter);
    const { jwt, users } = this;
    const steps = this.#currentSteps;
    this.access = new Access(context, { tokens, users, jwt, settings: settings.auth, publicRead, steps });
  }

  get auth(): Auth {
    if (this.#auth) return this.#auth;
    const { Auth } = require("./auth.ts") as typeof import("./auth.ts");
    const { users, jwt, sessions, mailer } = this;
    const { ready, address, passwordRule } = this.#options;
    const [context, settings] = [this.#context, this.#settings];
    const steps = this.#currentSteps;
    const services = { context, settings, users, jwt, sessions, mailer, passwordRule, ready, address, steps };
    this.#auth = new Auth(services);
    return this.#auth;
  }

  get userAdmin(): UserAdmin {
    if (this.#userAdmin) return this.#userAdmin;
    const { createUserAdmin } = require("./user-admin.ts") as typeof import("./user-admin.ts");
    this.#userAdmin = createUserAdmin(this.users, this.sessions, this.#settings.auth);
    return this.#userAdmin;
  }

  get roles(): Roles {
    if (this.#roles) return this.#roles;
    const { Roles } = require("./roles.ts") as typeof import("./roles.ts");
    this.#roles = new Roles(this.#context, () => ({ added: this.extraActions, absent: this.access.absentActions }));
    return this.#roles;
  }

  get roleAdmin(): RoleAdmin {
    if (this.#roleAdmin) return this.#roleAdmin;
    const { createRoleAdmin } = require("./role-admin.ts") as typeof import("./role-admin.ts");
    this.#roleAdmin = createRoleAdmin(this.roles, this.#currentSteps);
    return this.#roleAdmin;
  }

  get mailer(): Mailer {
    if (this.#mailer) return this.#mailer;
    const { createMailer } = require("./mail.ts") as typeof import("./mail.ts");
    const { folder, announce } = this.#options;
    const outbox = folder === undefined ? undefined : join(folder, "outbox");
    const { email, galley } = this.#settings;
    this.#mailer = createMailer({
      settings: email,
      folder: outbox,
      announce,
      loadProvider: this.#options.loadMailProvider,
      onMail: this.#options.onMail,
      limitMs: (galley.code?.timeout ?? PROVIDER_TIMEOUT_S) * 1000,
    });
    return this.#mailer;
  }

  /** Resolves when no mail is being sent. */
  async idle(): Promise<void> {
    await this.#auth?.idle();
  }
}
