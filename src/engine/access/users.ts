/** Finds users, and writes them through the document service. */

import { withBudget } from "../../lib/budgeted-params.ts";
import { ApiError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { DocumentsContext } from "../documents/context.ts";
import type { Documents } from "../documents/documents.ts";
import { linkedIds } from "../documents/link-rows.ts";
import { verifyPassword } from "../documents/passwords.ts";
import { sanitizeOutput } from "../documents/sanitize.ts";
import { type Caller, program, trustedQuery } from "../query/check-query.ts";
import { readOffsets } from "../query/list-params.ts";
import { type Params, readQuery } from "../query/parse.ts";
import { findRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { type CanRead, emptyQuery, type Populate } from "../query/tree.ts";
import { ROLE, USER } from "../schema/builtin/index.ts";
import { contentType, type RelationAttribute } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { AuthSteps } from "./auth-steps.ts";

export interface UserRow {
  readonly id: number;
  readonly documentId: string;
  readonly username: string;
  readonly email: string;
  readonly provider: string | null;
  readonly password: string | null;
  readonly confirmed: boolean;
  readonly blocked: boolean;
}

/** A user that was created or changed, with what the step returned if one has done it. */
export interface WrittenUser {
  readonly id: number;
  readonly returned?: unknown;
}

type Condition = readonly [sql: string, params: readonly (string | number)[]];

/** Users and roles are identified by their row id; -1, which matches no row, for anything else. */
export const parseRowId = (id: unknown): number => (/^\d{1,15}$/.test(String(id)) ? Number(id) : -1);

/** SHA-256 of a mailed code, in hex. */
const codeHash = (code: string): string => new Bun.CryptoHasher("sha256").update(code).digest("hex");
export const createCode = (bytes: number): string => crypto.getRandomValues(new Uint8Array(bytes)).toHex();

const HOUR_MS = 3_600_000;

/** Lifetime of a mailed code. In Strapi, codes never expire. */
const lifespans = { resetPasswordToken: HOUR_MS, confirmationToken: 72 * HOUR_MS } as const;
export type CodeName = keyof typeof lifespans;
const CODE_NAMES = Object.keys(lifespans) as CodeName[];

/**
 * Mailed codes are stored as `HASH.EXPIRY` (milliseconds since 1970), so that a leaked database does not reveal them.
 */
const storedCode = (name: CodeName, code: string, now: number): string => `${codeHash(code)}.${now + lifespans[name]}`;

/** Codes that were not mailed, such as imported ones, may be stored as they are. These do not expire. */
const STORED_CODE = /^[0-9a-f]{64}\.\d+$/;

/** Compared for unknown users, so that they take the same time. */
const PLACEHOLDER_HASH = "$2b$10$abcdefghijklmnopqrstuuFEi7tSz3NVTNdq0gXWsCdRnlA1OcGWa";

/** As in Strapi: others see the role in the result of the write. */
const WITH_ROLE = { populate: ["role"] };

export class Users {
  readonly #context: DocumentsContext;
  readonly #steps: () => AuthSteps;

  constructor(context: DocumentsContext, steps: () => AuthSteps) {
    this.#context = context;
    this.#steps = steps;
  }

  /** The column of an attribute; NULL if the project's extended user type lacks it. */
  #column(name: string): string {
    const attribute = contentType(this.#context.model, USER).attributes.get(name);
    return attribute?.kind === "scalar" ? quote(attribute.column) : "NULL";
  }

  #find(condition: Condition): UserRow | undefined {
    return this.#list(condition, 1)[0];
  }

  #list([where, params]: Condition, limit: number): UserRow[] {
    const { storage, model } = this.#context;
    const type = contentType(model, USER);
    const names = ["username", "email", "provider", "password", "confirmed", "blocked"];
    const columns = names.map((name) => this.#column(name));
    const sql = `SELECT id, document_id, ${columns.join(", ")} FROM ${quote(type.table)} WHERE ${where} ORDER BY id LIMIT ${limit}`;
    return storage.all(sql, params).map(
      ([id, documentId, username, email, provider, password, confirmed, blocked]) =>
        ({
          ...{ id, documentId, username, email, provider, password },
          confirmed: confirmed === 1,
          blocked: blocked === 1,
        }) as UserRow,
    );
  }

  byId(id: number): UserRow | undefined {
    return this.#find(["id = ?", [id]]);
  }

  /** Any user; undefined without users. */
  anyUser(): UserRow | undefined {
    return this.#find(["TRUE", []]);
  }

  byEmail(email: string): UserRow | undefined {
    return this.#find(["email = ?", [email.toLowerCase()]]);
  }

  byUsername(username: string): UserRow | undefined {
    return this.#find(["username = ?", [username]]);
  }

  /**
   * For a log-in: by the email, case-insensitive, or the exact username. A username may be a spelling of somebody else's email, who then
   * comes first, so that nobody is locked out by a name.
   */
  byIdentifier(identifier: string): readonly UserRow[] {
    const email = identifier.toLowerCase();
    const found = this.#list(["provider = 'local' AND (email = ? OR username = ?)", [email, identifier]], 10);
    const isOwner = (user: UserRow): boolean => user.email === email;
    return [...found.filter(isOwner).slice(0, 1), ...found.filter((user) => !isOwner(user)).slice(0, 1)];
  }

  /**
   * Whether the username or the email is in use, as a username or as an email. Strapi compares usernames with emails exactly.
   * `byAnyProvider`: also by users whom a login provider signs in.
   */
  isTaken(username: string, email: string, byAnyProvider: boolean): boolean {
    const lower = email.toLowerCase();
    const values = [lower, lower, username, username.toLowerCase(), byAnyProvider ? 1 : 0];
    const condition = "(email = ? OR username = ? OR username = ? OR email = ?) AND (? OR provider = 'local')";
    return this.#find([condition, values]) !== undefined;
  }

  /** Whether a username is the email of another user than `id`, in any spelling. Strapi only asks that of new users. */
  isOthersEmail(username: string, id?: number): boolean {
    return this.#find(["email = ? AND id <> ?", [username.toLowerCase(), id ?? 0]]) !== undefined;
  }

  /** Undefined for an unknown, used or expired code. */
  byCode(name: CodeName, code: string): UserRow | undefined {
    const column = this.#column(name);
    const hash = codeHash(code);
    // a range, since "/" follows ".": it can use an index
    const sql = `${column} > ? AND ${column} < ? AND CAST(substr(${column}, ?) AS INTEGER) > ?`;
    const found = this.#find([sql, [`${hash}.`, `${hash}/`, hash.length + 2, this.#context.clock.now()]]);
    // what is stored of a code is none itself
    return found ?? (STORED_CODE.test(code) ? undefined : this.#find([`${column} = ?`, [code]]));
  }

  /** Takes the same time for unknown users. */
  async hasPassword(user: UserRow | undefined, password: string): Promise<boolean> {
    const { checkPassword } = this.#steps();
    if (checkPassword && user?.password) return Boolean(await checkPassword(password, user.password));
    const matches = await verifyPassword(password, user?.password || PLACEHOLDER_HASH);
    return matches && Boolean(user?.password);
  }

  /** The sanitized record. `withRole`: with the role, even if the caller may not read it. */
  record(id: number, withRole = false): Document | undefined {
    const { storage, model } = this.#context;
    const query = { ...emptyQuery(contentType(model, USER)), populate: withRole ? [this.#rolePopulate()] : [] };
    return findRows({ storage, model, status: "published" }, trustedQuery(query), { locales: undefined, ids: [id] })[0];
  }

  #role(): RelationAttribute {
    const attribute = contentType(this.#context.model, USER).attributes.get("role");
    if (attribute?.kind !== "relation") throw new Error("The user type has no role");
    return attribute;
  }

  #rolePopulate(): Populate {
    const query = emptyQuery(contentType(this.#context.model, ROLE));
    return { key: "role", attribute: this.#role(), query, count: false, on: undefined };
  }

  /** The id of the role of a type, for users without a role. Throws an ApplicationError if there is none. */
  roleOfType(type: string): number {
    const { storage, model } = this.#context;
    const sql = `SELECT id FROM ${quote(contentType(model, ROLE).table)} WHERE type = ?`;
    const id = storage.first(sql, [type])?.[0];
    if (id === undefined) throw new ApiError("ApplicationError", "Impossible to find the default role");
    return id as number;
  }

  /** The id of a user's role; undefined for a user without a role. */
  findRole(id: number): number | undefined {
    const { storage } = this.#context;
    return linkedIds(storage, this.#role().link, id)[0];
  }

  service(caller: Caller = program): Documents {
    return this.#context.documents(contentType(this.#context.model, USER), caller);
  }

  /** Hashes codes, and converts the email to lower case. */
  #toStored(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const prepared: Record<string, unknown> = { ...data };
    for (const name of CODE_NAMES) {
      const code = prepared[name];
      if (typeof code === "string") prepared[name] = storedCode(name, code, this.#context.clock.now());
    }
    if (typeof prepared.email === "string") prepared.email = prepared.email.toLowerCase();
    return prepared;
  }

  /**
   * Throws a ValidationError for invalid values. `check` is called again inside the transaction
   * that writes the user, since a name may have been taken in the meantime.
   */
  async create(data: Readonly<Record<string, unknown>>, check: () => void): Promise<WrittenUser> {
    const { addUser } = this.#steps();
    if (addUser) {
      const returned = await addUser(this.#toStored(data));
      return { id: Number(toRecord(returned).id), returned };
    }
    const document = await this.service().create({ data: this.#toStored(data), ...WITH_ROLE }, { check });
    return { id: document.id as number };
  }

  /**
   * A new password or email invalidates mailed codes. `check` is called inside the transaction; if it throws, nothing is
   * written.
   */
  async update(
    user: Pick<UserRow, "id" | "documentId" | "email">,
    data: Readonly<Record<string, unknown>>,
    check?: () => void,
  ): Promise<WrittenUser> {
    const { id } = user;
    const { editUser } = this.#steps();
    if (editUser) {
      check?.();
      return { id, returned: await editUser(id, this.#changes(user, data)) };
    }
    const change = { documentId: user.documentId, data: this.#changes(user, data), ...WITH_ROLE };
    await this.service().update(change, { check });
    return { id };
  }

  /** Does the work of an update and rolls it back. */
  async rehearseUpdate(
    user: Pick<UserRow, "documentId" | "email">,
    data: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const change = { documentId: user.documentId, data: this.#changes(user, data), ...WITH_ROLE };
    await this.#context.storage.rehearse(() => this.service().updateSync(change));
  }

  #changes(user: Pick<UserRow, "email">, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const prepared = this.#toStored(data);
    const changesEmail = prepared.email !== undefined && prepared.email !== user.email;
    const outdated = {
      ...(prepared.password || changesEmail ? { resetPasswordToken: null } : {}),
      ...(changesEmail ? { confirmationToken: null } : {}),
    };
    return { ...outdated, ...prepared };
  }

  /** Resolves with the removed record, or with what the step returns; undefined for an unknown id. */
  async remove(id: number, canRead: CanRead): Promise<unknown> {
    const { removeUser } = this.#steps();
    if (removeUser) return this.#sanitize(await removeUser({ id }), canRead);
    const user = this.byId(id);
    if (!user) return undefined;
    const record = this.record(id);
    await this.service().delete({ documentId: user.documentId });
    return record;
  }

  /** What the caller sees of a user that was written. */
  show(written: WrittenUser, canRead: CanRead): unknown {
    if ("returned" in written) return this.#sanitize(written.returned, canRead);
    return this.record(written.id, canRead(ROLE, USER));
  }

  #sanitize(value: unknown, canRead: CanRead, omitsMembers?: boolean): unknown {
    const { model } = this.#context;
    return sanitizeOutput(model, contentType(model, USER), value, canRead, omitsMembers);
  }

  /** One user's record by a client's query; undefined for an unknown id, and if the query's filters exclude the user. */
  read(id: number, params: Params, caller: Caller): MaybePromise<unknown> {
    const service = this.service(caller);
    const { fetchUser } = this.#steps();
    if (fetchUser) return this.#fetch(params, caller, (own) => fetchUser(id, own));
    const user = this.byId(id);
    return service.readOne(params, user?.documentId ?? "") ?? undefined;
  }

  readAll(params: Params, caller: Caller): MaybePromise<unknown> {
    const { fetchUsers } = this.#steps();
    return fetchUsers ? this.#fetch(params, caller, fetchUsers) : this.service(caller).findMany(params);
  }

  count(params: Params, caller: Caller): MaybePromise<unknown> {
    const { countUsers } = this.#steps();
    return countUsers ? this.#fetch(params, caller, countUsers) : this.service(caller).count(params);
  }

  /** What a step finds, without what the caller may not read. */
  async #fetch(params: Params, caller: Caller, find: (own: Params) => MaybePromise<unknown>): Promise<unknown> {
    this.service(caller).check(params);
    const { status: _, ...own } = params;
    const { model } = this.#context;
    readOffsets(own);
    readQuery(model, contentType(model, USER), own, caller);
    return this.#sanitize(await find(withBudget(own, caller.budget)), caller.canRead, caller.omitsMembers);
  }
}
