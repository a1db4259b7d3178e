/** Writes locales, roles, users and tokens of config/galley.json to the database, where the rest of Galley reads them. */
import { ApiError, ProjectError, type ProjectProblem } from "../../lib/errors.ts";
import { hintFor } from "../../lib/nearest.ts";
import { type ConfigSync, readConfigSync } from "../config/config-sync.ts";
import type { Environment } from "../config/env.ts";
import type { GalleySettings } from "../config/galley-file.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { deleteRow } from "../documents/delete-row.ts";
import { Links } from "../documents/links.ts";
import { hashPassword, verifyPassword } from "../documents/passwords.ts";
import { LOCALE, USER } from "../schema/builtin/index.ts";
import { contentType } from "../schema/model.ts";
import { upperFirst } from "../schema/names.ts";
import { API_FOLDER_KEY, DEFAULT_LOCALE, DEFAULT_LOCALE_KEY, setStored, UNKEPT_KEYS } from "../storage/core-store.ts";
import { quote } from "../storage/sql.ts";
import { actionNames, expandActions, unknownAction } from "./action-names.ts";
import { insertRow } from "./insert-row.ts";
import { Roles } from "./roles.ts";
import { createSessionTable } from "./sessions.ts";
import type { Tokens } from "./tokens.ts";

const FILE = "config/galley.json";
/** Meta key: fingerprint of the config-sync files that were applied last. */
const SYNCED = "config_sync";

/** The two roles that always exist, with their default actions. */
const standardRoles = {
  authenticated: {
    name: "Authenticated",
    description: "Default role given to authenticated user.",
    actions: ["auth.logout", "auth.getSessions", "auth.revokeSession", "user.me", "auth.changePassword"],
  },
  public: {
    name: "Public",
    description: "Default role given to unauthenticated user.",
    actions: [
      "auth.callback",
      "auth.connect",
      "auth.forgotPassword",
      "auth.resetPassword",
      "auth.register",
      "auth.emailConfirmation",
      "auth.sendEmailConfirmation",
      "auth.refresh",
    ],
  },
} as const;

const isStandard = (type: string): type is keyof typeof standardRoles => Object.hasOwn(standardRoles, type);

/** Keys that refer to rows of another database, or that every server creates anew. */
const isServerSpecific = (key: string): boolean =>
  key === API_FOLDER_KEY || key === DEFAULT_LOCALE_KEY || UNKEPT_KEYS.has(key);

/** Actions beside those of the content-types. */
export interface ExtraActions {
  readonly known: readonly string[];
  /** Whether to accept a name or pattern that no known action matches. */
  readonly mayExist: (name: string) => boolean;
}

class Applier {
  readonly #context: DocumentsContext;
  readonly #roles: Roles;
  readonly #extraActions: ExtraActions;
  /** Names that no action or role has. */
  readonly unknown: ProjectProblem[] = [];

  constructor(context: DocumentsContext, extraActions: ExtraActions) {
    this.#context = context;
    this.#extraActions = extraActions;
    this.#roles = new Roles(context);
  }

  /** Includes names that may exist. */
  #expand(names: readonly string[], key: string): string[] {
    const { known: extra, mayExist } = this.#extraActions;
    const known = [...actionNames(this.#context.model), ...extra];
    const { actions, unknown } = expandActions(names, known);
    for (const name of unknown)
      if (!mayExist(name)) this.unknown.push({ file: FILE, key, reason: unknownAction(name, known) });
    return [...actions, ...unknown.filter((name) => mayExist(name) && !name.endsWith("*"))];
  }

  get #storage() {
    return this.#context.storage;
  }

  #table(uid: string): string {
    return quote(contentType(this.#context.model, uid).table);
  }

  #find(uid: string, column: string, value: string): number | undefined {
    return this.#storage.first(`SELECT id FROM ${this.#table(uid)} WHERE ${quote(column)} = ?`, [value])?.[0] as
      | number
      | undefined;
  }

  #hasLocales(): boolean {
    const hasDefault = this.#storage.meta(DEFAULT_LOCALE) !== undefined;
    return hasDefault && this.#storage.first(`SELECT 1 FROM ${this.#table(LOCALE)} LIMIT 1`) !== undefined;
  }

  /** Roles and locales without a file are kept, since content may use them. */
  applySyncedFiles(root: string, configSync: ConfigSync): void {
    const storage = this.#storage;
    if (storage.meta(SYNCED) === configSync.fingerprint) return;
    const { roles, locales, settings } = readConfigSync(root, configSync);
    for (const { code, name = localeName(code) } of locales)
      if (this.#find(LOCALE, "code", code) === undefined) insertRow(this.#context, LOCALE, { code, name });
    const configured = settings.get(DEFAULT_LOCALE_KEY);
    const isConfigured = typeof configured === "string";
    const defaultLocale = isConfigured ? configured : (storage.meta(DEFAULT_LOCALE) ?? locales[0]?.code);
    if (defaultLocale !== undefined && locales.some(({ code }) => code === defaultLocale))
      storage.setMeta(DEFAULT_LOCALE, defaultLocale);
    for (const { type, name = type, description = "", actions } of roles) {
      const id = this.#roles.idByType(type);
      if (id !== undefined) this.#roles.rename(id, { name, description });
      this.#roles.setActions(id ?? this.#roles.insert({ type, name, description }), actions);
    }
    for (const [key, value] of settings) if (!isServerSpecific(key)) setStored(storage, key, value);
    storage.setMeta(SYNCED, configSync.fingerprint);
  }

  locales(settings: GalleySettings, environment: Environment): void {
    const code = environment.STRAPI_PLUGIN_I18N_INIT_LOCALE_CODE || "en";
    // without configured locales, imported ones are kept
    if (!settings.locales && this.#hasLocales()) return;
    const locales: NonNullable<typeof settings.locales> = settings.locales ?? [{ code, isDefault: true }];
    const configured = new Set(locales.map((locale) => locale.code));
    for (const [id, code] of this.#storage.all(`SELECT id, code FROM ${this.#table(LOCALE)}`) as [number, string][]) {
      if (!configured.has(code)) deleteRow(this.#context, contentType(this.#context.model, LOCALE), id);
    }
    for (const locale of locales) {
      const { name = localeName(locale.code) } = locale;
      const id = this.#find(LOCALE, "code", locale.code);
      if (id === undefined) insertRow(this.#context, LOCALE, { code: locale.code, name });
      else
        this.#storage.run(`UPDATE ${this.#table(LOCALE)} SET name = ? WHERE id = ? AND name IS NOT ?`, [
          name,
          id,
          name,
        ]);
    }
    this.#storage.setMeta(DEFAULT_LOCALE, locales.find(({ isDefault }) => isDefault)!.code);
  }

  /** Creates the roles that always exist if they are missing. Their ids are the first ones, as in Strapi. */
  standardRoles(settings: GalleySettings): void {
    const standard = Object.entries(standardRoles).map(
      ([type, { actions }]) => [type, actions.map((action) => `plugin::users-permissions.${action}`)] as const,
    );
    for (const [type, defaultActions] of standard) {
      const isNew = this.#roles.idByType(type) === undefined;
      const role = this.#role(type);
      if (isNew && !settings.roles?.[type]) this.#roles.setActions(role, defaultActions);
    }
  }

  roles(settings: GalleySettings): void {
    for (const [type, names] of Object.entries(settings.roles ?? {})) {
      this.#roles.setActions(this.#role(type), this.#expand(names, `roles.${type}`));
    }
    const { auth, users = [] } = settings;
    this.#expectRole(auth?.defaultRole, "auth.defaultRole");
    for (const [index, { role }] of users.entries()) this.#expectRole(role, `users.${index}.role`);
  }

  /** Reports a role whose name looks like a mistake. Others are made, since an archive may bring what they permit. */
  #expectRole(type: string | undefined, key: string): void {
    if (type === undefined || this.#roles.idByType(type) !== undefined) return;
    const hint = hintFor(
      type,
      this.#roles.list().map((role) => String(role.type)),
    );
    if (hint !== "") this.unknown.push({ file: FILE, key, reason: `there is no role ${type}${hint}` });
  }

  /** Grants actions without taking others away, which may have been granted since `applyAccess` ran. */
  addedToRoles(settings: GalleySettings, added: ReadonlySet<string>): void {
    for (const [type, names] of Object.entries(settings.roles ?? {})) {
      const role = this.#role(type);
      const actions = this.#expand(names, `roles.${type}`).filter((action) => added.has(action));
      if (actions.length > 0) this.#roles.setActions(role, [...this.#roles.actions(role), ...actions]);
    }
  }

  #role(type: string): number {
    const existing = this.#roles.idByType(type);
    if (existing !== undefined) return existing;
    const { name, description } = isStandard(type) ? standardRoles[type] : { name: upperFirst(type), description: "" };
    return this.#roles.insert({ type, name, description });
  }

  /** Writes users without passwords, whose hashing is slow. Returns the passwords to compare or set. */
  users(settings: GalleySettings): { id: number; password: string }[] {
    // extensions may leave out the relation
    if (!settings.users?.length) return [];
    const role = contentType(this.#context.model, USER).attributes.get("role");
    if (role?.kind !== "relation") throw new ProjectError(FILE, "users", `${USER} has no attribute role`);
    const links = new Links(this.#storage, role.link);
    return settings.users.flatMap(
      ({ username, email, password, role: roleType = "authenticated", confirmed = true, blocked = false }) => {
        const values = {
          username,
          email: email.toLowerCase(),
          provider: "local",
          confirmed: Number(confirmed),
          blocked: Number(blocked),
        };
        let id = this.#find(USER, "username", username);
        if (id === undefined) id = this.#insertUser(values);
        else {
          const assignments = Object.keys(values)
            .map((name) => `${quote(name)} = ?`)
            .join(", ");
          this.#storage.run(`UPDATE ${this.#table(USER)} SET ${assignments} WHERE id = ?`, [
            ...Object.values(values),
            id,
          ]);
        }
        links.replace(id, links.list(id), [this.#role(roleType)]);
        return password === undefined ? [] : [{ id, password }];
      },
    );
  }

  /** Throws a ProjectError if the default of an attribute cannot be stored. */
  #insertUser(values: Parameters<typeof insertRow>[2]): number {
    try {
      return insertRow(this.#context, USER, values);
    } catch (error) {
      if (error instanceof ApiError) throw new ProjectError(FILE, "users", `a default of ${USER}: ${error.message}`);
      throw error;
    }
  }

  async setPasswords(passwords: ReturnType<Applier["users"]>): Promise<void> {
    for (const { id, password } of passwords) await this.#setPassword(id, password);
  }

  async #setPassword(id: number, password: string): Promise<void> {
    const read = (): string | null =>
      (this.#storage.first(`SELECT password FROM ${this.#table(USER)} WHERE id = ?`, [id])?.[0] ?? null) as
        | string
        | null;
    const hash = read();
    if (hash !== null && (await verifyPassword(password, hash))) return;
    const next = await hashPassword(password);
    await this.#storage.write(() => {
      if (read() === hash) this.#storage.run(`UPDATE ${this.#table(USER)} SET password = ? WHERE id = ?`, [next, id]);
    });
  }

  tokens(settings: GalleySettings, tokens: Tokens, environment: Environment): void {
    const configured = new Set((settings.tokens ?? []).map(({ name }) => name));
    const nameOfKey = new Map<string, string>();
    for (const token of tokens.list())
      if (token.origin === "config" && !configured.has(token.name)) tokens.remove(token.name);
    for (const [index, token] of (settings.tokens ?? []).entries()) {
      const key = token.key ?? environment[token.keyEnv!];
      if (!key)
        throw new ProjectError(FILE, `tokens.${index}.keyEnv`, `the environment variable ${token.keyEnv} is not set`);
      // `Authorization` has two words
      if (/\s/.test(key))
        throw new ProjectError(FILE, `tokens.${index}`, "the key has white space, so that no request could send it");
      const other = nameOfKey.get(key);
      if (other !== undefined) throw new ProjectError(FILE, `tokens.${index}`, `has the key of the token "${other}"`);
      nameOfKey.set(key, token.name);
      const permissions = this.#expand(token.permissions ?? [], `tokens.${index}.permissions`);
      tokens.put({
        name: token.name,
        type: token.type,
        key,
        permissions,
        expiresAt: token.expiresAt ?? null,
        origin: "config",
      });
    }
  }
}

export const localeName = (code: string): string => {
  // the common case, without `Intl.DisplayNames`, which takes 5 ms to load
  if (code === "en") return "English (en)";
  const language = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" }).of(code) ?? code;
  return `${language} (${code})`;
};

/**
 * Applies the files of `root` in one transaction. Returns a promise for the users' passwords: they are hashed after the start, and
 * comparing passwords waits for it.
 */
export function applyAccess(
  root: string,
  context: DocumentsContext,
  { galley: settings, configSync, environment }: Pick<Settings, "galley" | "configSync" | "environment">,
  tokens: Tokens,
  extraActions: ExtraActions,
): Promise<void> {
  const applier = new Applier(context, extraActions);
  const passwords = context.storage.transaction(() => {
    tokens.createTable();
    createSessionTable(context.storage);
    applier.standardRoles(settings);
    if (configSync) applier.applySyncedFiles(root, configSync);
    applier.locales(settings, environment);
    applier.roles(settings);
    const users = applier.users(settings);
    applier.tokens(settings, tokens, environment);
    if (applier.unknown.length > 0) throw new ProjectError(applier.unknown);
    return users;
  });
  return applier.setPasswords(passwords);
}

/** Writes the configured users, which an import has replaced with those of an archive. */
export function applyUsers(context: DocumentsContext, settings: GalleySettings): Promise<void> {
  const applier = new Applier(context, { known: [], mayExist: () => false });
  return applier.setPasswords(context.storage.transaction(() => applier.users(settings)));
}

/** Grants those of the project's `actions` that were not `declared` when `applyAccess` ran. Returns names that no action has. */
export function grantAdded(
  context: DocumentsContext,
  { galley: settings, environment }: Pick<Settings, "galley" | "environment">,
  tokens: Tokens,
  { declared, actions }: { readonly declared: readonly string[]; readonly actions: readonly string[] },
): readonly ProjectProblem[] {
  const applier = new Applier(context, { known: actions, mayExist: () => false });
  applier.addedToRoles(settings, new Set(actions).difference(new Set(declared)));
  applier.tokens(settings, tokens, environment);
  return applier.unknown;
}
