/** Registration, login, passwords and confirmation of e-mail addresses, for REST and GraphQL. */

import { applicationError, validationError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { printable } from "../../lib/printable.ts";
import { checkBody } from "../../lib/shape.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import type { Document } from "../query/select.ts";
import type { CanRead } from "../query/tree.ts";
import { checkNewPassword, type PasswordRule, shapes } from "./auth-shapes.ts";
import type { AuthSteps } from "./auth-steps.ts";
import type { Jwt } from "./jwt.ts";
import type { Mail, Mailer } from "./mail.ts";
import { storedMail, type TemplateName } from "./mail-templates.ts";
import type { Device, SessionStart, Sessions } from "./sessions.ts";
import { allowsPasswords } from "./stored-auth.ts";
import { type CodeName, createCode, type UserRow, type Users } from "./users.ts";

export interface LoggedIn {
  readonly jwt?: string;
  readonly refreshToken?: string;
  readonly user: Document;
}

interface CodeMail {
  readonly bytes: number;
  readonly template: TemplateName;
  /** The code's name in templates. */
  readonly variable: "TOKEN" | "CODE";
  /** The name of the code in the link's query. */
  readonly parameter: string;
  /** The default template. */
  readonly mail: (link: string) => { readonly subject: string; readonly text: string };
}

const codeMails: Readonly<Record<CodeName, CodeMail>> = {
  resetPasswordToken: {
    bytes: 64,
    template: "reset_password",
    variable: "TOKEN",
    parameter: "code",
    mail: (link) => ({
      subject: "Reset password",
      text: `We heard that you lost your password. Use this link to choose a new one:\n\n${link}\n`,
    }),
  },
  confirmationToken: {
    bytes: 20,
    template: "email_confirmation",
    variable: "CODE",
    parameter: "confirmation",
    mail: (link) => ({
      subject: "Account confirmation",
      text: `Thank you for registering. Confirm your address with this link:\n\n${link}\n`,
    }),
  },
};

const invalidLogin = () => validationError("Invalid identifier or password");

const reportUnsent = (label: string, { message }: Error): void =>
  console.error(printable(`galley: ${label} could not be sent: ${message}`));

/** The device is optional for log-ins only. */
const withDeviceId = (device: Device): Device => ({ ...device, id: device.id ?? crypto.randomUUID() });

export interface AuthServices {
  readonly context: DocumentsContext;
  readonly settings: Settings;
  readonly users: Users;
  readonly jwt: Jwt;
  readonly sessions: Sessions;
  readonly mailer: Mailer;
  /** The project's rule for new passwords. */
  readonly passwordRule: () => PasswordRule | undefined;
  /** Resolves when the passwords of configured users are set. */
  readonly ready: Promise<void>;
  /** The URL of this server, for links in mails. */
  readonly address: () => string;
  readonly steps: () => AuthSteps;
}

export class Auth {
  readonly #services: AuthServices;
  /** Work that continues after the response. */
  readonly #backgroundWork = new Set<Promise<void>>();

  constructor(services: AuthServices) {
    this.#services = services;
  }

  get #settings() {
    return this.#services.settings.auth;
  }

  /** The response to an authenticated user. */
  async #logIn(user: UserRow, device: Device, startedBy: SessionStart, record = this.#record(user)): Promise<LoggedIn> {
    if (this.#settings.jwtManagement === "refresh") {
      const { jwt, refreshToken } = await this.#services.sessions.create(user.id, device, startedBy);
      return { jwt, refreshToken, user: record };
    }
    const claims = { id: user.id };
    const { signToken } = this.#services.steps();
    const token = signToken ? signToken(claims) : this.#services.jwt.sign(claims, this.#settings.jwtLifespan);
    return { jwt: String(await token), user: record };
  }

  #record(user: UserRow): Document {
    return this.#services.users.record(user.id)!;
  }

  /** The token that a log-in of this user returns, without checking a password. For callers with access to the database. */
  async issueToken(user: UserRow): Promise<string> {
    const { jwt = "" } = await this.#logIn(user, withDeviceId({ id: undefined, userAgent: null }), "login");
    return jwt;
  }

  /** Logs in a user whom somebody else has authenticated. */
  async logInAs(id: number, device: Device): Promise<LoggedIn> {
    const user = this.#services.users.byId(id);
    if (!user) throw invalidLogin();
    return this.#logIn(user, device, "login");
  }

  async login(input: unknown, device: Device): Promise<LoggedIn> {
    if (!allowsPasswords(this.#services.context.storage)) throw applicationError("This provider is disabled");
    const { identifier, password } = checkBody(shapes.login, input) as { identifier: string; password: string };
    await this.#services.ready;
    const { users } = this.#services;
    const [first, second] = users.byIdentifier(identifier);
    const isFirst = await users.hasPassword(first, password);
    const user = isFirst ? first : second && (await users.hasPassword(second, password)) ? second : undefined;
    if (!user) throw invalidLogin();
    if (this.#settings.emailConfirmation && !user.confirmed)
      throw applicationError("Your account email is not confirmed");
    if (user.blocked) throw applicationError("Your account has been blocked by an administrator");
    return this.#logIn(user, device, "login");
  }

  /** Without a token if the address must be confirmed first. */
  async register(input: unknown, device: Device, canRead: CanRead = () => false): Promise<LoggedIn> {
    if (!this.#settings.allowRegister) throw applicationError("Register action is currently disabled");
    const allowed = new Set(["username", "email", "password", ...this.#settings.registerFields]);
    // the indexes of arrays and strings are keys as well
    const unexpected = Object.keys(Object(input)).filter((key) => !allowed.has(key));
    if (unexpected.length > 0) throw validationError(`Invalid parameters: ${unexpected.join(", ")}`);
    const { passwordRule } = this.#services;
    const data = (await checkNewPassword("register", toRecord(input), passwordRule())) as {
      username: string;
      email: string;
      password: string;
    };
    const { users } = this.#services;
    const check = (): void => {
      if (users.isTaken(data.username, data.email, this.#settings.uniqueEmail))
        throw applicationError("Email or Username are already taken");
    };
    check();
    const confirmed = !this.#settings.emailConfirmation;
    const written = await users.create(
      { ...data, provider: "local", confirmed, role: users.roleOfType(this.#settings.defaultRole) },
      check,
    );
    const user = users.byId(written.id)!;
    const record = users.show(written, canRead) as Document;
    if (confirmed) return this.#logIn(user, withDeviceId(device), "login", record);
    try {
      await this.#mailConfirmation(user);
    } catch (error) {
      reportUnsent("the mail that asks for a confirmation", error as Error);
      throw applicationError("Error sending confirmation email");
    }
    return { user: record };
  }

  async #mailConfirmation(user: UserRow): Promise<void> {
    const { mailConfirmation } = this.#services.steps();
    if (mailConfirmation) await mailConfirmation(this.#record(user));
    else await this.mailConfirmation(user.id);
  }

  /** Also to a user who is confirmed. */
  async mailConfirmation(id: number): Promise<void> {
    const user = this.#services.users.byId(id);
    if (user) await this.#sendCode(user, user.email, "confirmationToken");
  }

  /** Does not reveal whether the user exists: the code is created and mailed after the response. */
  forgotPassword(input: unknown): void {
    const { email } = checkBody(shapes.forgotPassword, input) as { email: string };
    this.#runAfterResponse("the mail for a new password", () => this.#mailCode(email));
  }

  /** Runs work whose outcome must not be observable, not even by its duration. */
  #runAfterResponse(label: string, work: () => Promise<void>): void {
    const promise = Bun.sleep(0)
      .then(work)
      .catch((error: Error) => reportUnsent(label, error))
      .finally(() => this.#backgroundWork.delete(promise));
    this.#backgroundWork.add(promise);
  }

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    await Promise.all(this.#backgroundWork);
  }

  async #mailCode(email: string): Promise<void> {
    const user = this.#services.users.byEmail(email);
    await this.#sendCode(user?.blocked ? undefined : user, email, "resetPasswordToken");
  }

  /** Without a recipient the same work is done and its result discarded. */
  async #sendCode(user: UserRow | undefined, email: string, name: CodeName): Promise<void> {
    const { users, mailer } = this.#services;
    const code = createCode(codeMails[name].bytes);
    const anyUser = users.anyUser();
    if (!anyUser) return;
    const mail = this.#codeMail(name, code, user ?? anyUser);
    if (user) {
      await users.update(user, { [name]: code });
      return mailer.send({ to: user.email, ...mail });
    }
    await users.rehearseUpdate(anyUser, { [name]: code });
    await mailer.rehearse({ to: email, ...mail });
  }

  #codeMail(name: CodeName, code: string, user: UserRow): Omit<Mail, "to"> {
    const { context, settings } = this.#services;
    const { template, variable, parameter, mail } = codeMails[name];
    const server = this.#services.address();
    const page =
      name === "resetPasswordToken"
        ? this.#settings.resetPasswordUrl || `${server}/reset-password`
        : `${server}${settings.rest.prefix}/auth/email-confirmation`;
    const values = { URL: page, SERVER_URL: server, ADMIN_URL: `${server}/admin`, USER: this.#record(user) };
    const stored = storedMail(context.storage, template, { ...values, [variable]: code });
    if (!stored) return mail(`${page}?${parameter}=${code}`);
    // the project's files take precedence
    return settings.galley.email?.from === undefined ? stored : { ...stored, from: undefined };
  }

  #findByCode(name: CodeName, code: string, message: string): UserRow {
    const user = this.#services.users.byCode(name, code);
    if (!user) throw validationError(message);
    return user;
  }

  /** The code works once, and not at all when the new password is refused. */
  async resetPassword(input: unknown, device: Device): Promise<LoggedIn> {
    const { users, passwordRule } = this.#services;
    const { code = "", password = "" } = await checkNewPassword("resetPassword", input, passwordRule());
    const find = () => this.#findByCode("resetPasswordToken", code, "Incorrect code provided");
    const user = find();
    const record = this.#record(user);
    await users.update(user, { password, resetPasswordToken: null }, find);
    await this.#services.sessions.end(user.id, "all");
    return this.#logIn(user, withDeviceId(device), "password", record);
  }

  async changePassword(userId: number | undefined, input: unknown, device: Device): Promise<LoggedIn> {
    const user = userId === undefined ? undefined : this.#services.users.byId(userId);
    if (!user) throw applicationError("You must be authenticated to reset your password");
    const rule = this.#services.passwordRule();
    const { currentPassword = "", password = "" } = await checkNewPassword("changePassword", input, rule);
    await this.#services.ready;
    const { users } = this.#services;
    if (!(await users.hasPassword(user, currentPassword)))
      throw validationError("The provided current password is invalid");
    if (currentPassword === password)
      throw validationError("Your new password must be different than your current password");
    // of two concurrent changes, the second has an outdated current password
    await users.update(user, { password }, () => {
      if (users.byId(user.id)?.password !== user.password)
        throw validationError("The provided current password is invalid");
    });
    await this.#services.sessions.end(user.id, "all");
    return this.#logIn(user, withDeviceId(device), "password");
  }

  /**
   * Returns the address as sent, regardless of whether the user exists or a mail is sent. Strapi distinguishes unknown,
   * confirmed and blocked users.
   */
  sendConfirmation(input: unknown): string {
    const { email } = checkBody(shapes.sendConfirmation, input) as { email: string };
    this.#runAfterResponse("the mail that asks for a confirmation", async () => {
      const user = this.#services.users.byEmail(email);
      if (user && !user.confirmed && !user.blocked) await this.#mailConfirmation(user);
      else await this.#sendCode(undefined, email, "confirmationToken");
    });
    return email;
  }

  async confirm(input: unknown): Promise<UserRow> {
    const { confirmation } = checkBody(shapes.confirmation, input) as { confirmation: string };
    const find = () => this.#findByCode("confirmationToken", confirmation, "Invalid token");
    const user = find();
    await this.#services.users.update(user, { confirmed: true, confirmationToken: null }, find);
    return user;
  }

  /** For GraphQL, which logs in with the confirmation. */
  async confirmAndLogIn(input: unknown, device: Device): Promise<LoggedIn> {
    return this.#logIn(await this.confirm(input), device, "login");
  }
}
