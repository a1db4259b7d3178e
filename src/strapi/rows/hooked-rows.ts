/** Writes and reads single rows of a type or component, and calls the lifecycle hooks of the project's code. */

import { hashPasswords, passwordsIn } from "../../engine/documents/passwords.ts";
import { resolveRelations } from "../../engine/documents/relation-input.ts";
import type { RowWrite, Selection, WrittenRow } from "../../engine/documents/row-store.ts";
import type { Data, Hashes } from "../../engine/documents/rows.ts";
import { immediately, step, type Work } from "../../engine/documents/steps.ts";
import { checkQuery, trustedQuery, unrestricted } from "../../engine/query/check-query.ts";
import { readQuery } from "../../engine/query/parse.ts";
import { findRows } from "../../engine/query/run.ts";
import type { Document } from "../../engine/query/select.ts";
import { type CheckedQuery, emptyQuery } from "../../engine/query/tree.ts";
import type { Schema } from "../../engine/schema/model.ts";
import { pickBy } from "../../lib/records.ts";
import { asHashes, createHookData } from "./hook-data.ts";
import type { RawContext, RowAction, RowEvent, RowHooks } from "./row-hooks.ts";

/** The condition of a query, as hooks get it. */
type Where = Readonly<Record<string, unknown>>;

/** Without system columns: hooks see them among the data. */
export interface HookedWrite extends Omit<RowWrite, "store"> {
  readonly store: (data: Data, hashes: Hashes) => number;
}

const NO_HASHES: Hashes = new Map();

export class HookedRows {
  readonly #context: RawContext;
  readonly #schema: Schema;
  readonly #hooks: RowHooks;

  constructor(context: RawContext, schema: Schema) {
    this.#context = context;
    this.#schema = schema;
    this.#hooks = context.rowHooks;
  }

  *create(write: HookedWrite): Work<WrittenRow> {
    const { data, hashes = NO_HASHES, store } = write;
    if (!this.listens("create")) return { id: store(data, hashes) };
    const now = new Date(this.#context.clock.writeTime());
    return yield* this.#write("create", write, { createdAt: now, updatedAt: now, ...data });
  }

  /** `where`: the condition that hooks get, by default the id. */
  *update(id: number, write: HookedWrite, where: Where = { id }): Work<WrittenRow> {
    const { data, hashes = NO_HASHES, store } = write;
    // only hooks can set it, which run later
    const stamped = { ...data, updatedAt: new Date(this.#context.clock.writeTime()) };
    if (this.listens("update")) return yield* this.#write("update", write, stamped, { id, where });
    store(stamped, hashes);
    return { id };
  }

  /** Stores what hooks make of the data. `stamped`: these with the time of the write. `row`: the one that is updated. */
  *#write(
    action: "create" | "update",
    { data, hashes = NO_HASHES, selection, store }: HookedWrite,
    stamped: Data,
    row?: { readonly id: number; readonly where: Where },
  ): Work<WrittenRow> {
    const params = this.#writeParams(stamped, hashes, selection, row?.where);
    const event: RowEvent = { action, type: this.#schema, params };
    yield* this.#hooks.before(event);
    const changed = params.data as Data;
    const stored = store(this.#withRowIds(changed, data), yield* this.#hashes(changed));
    const id = row?.id ?? stored;
    event.result = yield* this.read(id, selection);
    yield* this.#hooks.after(event);
    return { id, document: event.result as Document };
  }

  /** `remove` deletes the row; hooks get it as it was. `where`: as for `update`. */
  *delete(id: number, selection: CheckedQuery | undefined, remove: () => void, where: Where = { id }): Work<void> {
    if (!this.listens("delete")) return remove();
    const event: RowEvent = { action: "delete", type: this.#schema, params: { where } };
    yield* this.#hooks.before(event);
    event.result = yield* this.read(id, selection, where);
    remove();
    yield* this.#hooks.after(event);
  }

  /** Runs a read between its hooks, which may change its result. */
  *#read<T>(action: RowAction, params: Where, query: Work<T>): Work<T> {
    if (!this.listens(action)) return yield* query;
    const event: RowEvent = { action, type: this.#schema, params: { ...params } };
    yield* this.#hooks.before(event);
    event.result = yield* query;
    yield* this.#hooks.after(event);
    return event.result as T;
  }

  /** Reads a row by its id; a query with its own hooks. */
  read(
    id: number,
    { fields, populate, status, listsVersions, ...selection }: Selection = trustedQuery(emptyQuery(this.#schema)),
    where: Where = { id },
  ): Work<Document | undefined> {
    const { storage, model } = this.#context;
    const query = { ...selection, ...emptyQuery(this.#schema), fields, populate };
    const readContext = { storage, model, status, listsVersions };
    const find = () => findRows(readContext, query, { locales: undefined, ids: [id] })[0];
    return this.#read("findOne", { where }, immediately(find));
  }

  /** A query whose result only hooks get: rows by their ids. `run`: `step` for one that takes longer than others. */
  *lookup(
    action: "findOne" | "findMany",
    params: Where,
    ids: readonly number[],
    run: typeof immediately = immediately,
  ): Work<void> {
    if (!this.listens(action)) return;
    const find = (): unknown => {
      const rows = this.#find(ids, params);
      return action === "findMany" ? rows : (rows[0] ?? null);
    };
    yield* this.#read(action, params, run(find));
  }

  /** As `lookup`: the number of rows with these ids, which all exist. */
  reportCount(ids: readonly unknown[]): Work<number> {
    const count = immediately(() => ids.length);
    return this.#read("count", { where: { id: { $in: ids } } }, count);
  }

  /** With the fields and populated attributes of the parameters. */
  #find(ids: readonly number[], { select, populate }: Readonly<Record<string, unknown>>): Document[] {
    if (ids.length === 0) return [];
    const { model, storage } = this.#context;
    const fields = Array.isArray(select) ? { fields: select } : {};
    const query = readQuery(model, this.#schema, { ...fields, ...(populate ? { populate } : {}) }, unrestricted);
    const readContext = { storage, model, status: undefined };
    return findRows(readContext, checkQuery(model, query, unrestricted), { locales: undefined, ids: [...ids] });
  }

  /** Rows of a document, as one query. */
  readAll(where: Where, read: () => Document[]): Work<Document[]> {
    return this.#read("findMany", { where }, immediately(read));
  }

  listens(action: RowAction): boolean {
    return this.#hooks.listens(this.#schema, action);
  }

  #writeParams(given: Data, hashes: Hashes, selection: CheckedQuery | undefined, where?: Where): RowEvent["params"] {
    // only if fields were selected, as in Strapi
    const isPart = selection && selection.fields.length < this.#schema.defaultFields.length;
    return {
      // as in Strapi, queries of components have no parameters of a request
      ...(where || this.#schema.modelType === "contentType" ? { where: where ?? {} } : {}),
      data: createHookData(this.#schema, given, hashes),
      ...(isPart ? { select: selection.fields.map(({ name }) => name) } : {}),
      ...(selection && selection.populate.length > 0 ? { populate: selection.populate.map(({ key }) => key) } : {}),
    };
  }

  /** Relations set by hooks may be ids or lists of ids and are resolved here; unchanged ones have row ids already. */
  #withRowIds(data: Data, resolved: Data): Data {
    const written = pickBy(data, (value, name) => value !== resolved[name]);
    const version = { locale: null, status: "draft" } as const;
    return { ...data, ...resolveRelations(this.#context, this.#schema, version, written, { allowsMissing: true }) };
  }

  *#hashes(data: Data): Work<Hashes> {
    const passwords = passwordsIn(this.#context.model, this.#schema, data);
    if (passwords.size === 0) return NO_HASHES;
    const existing = asHashes(passwords);
    const plain = new Set([...passwords].filter((password) => !existing.has(password)));
    const created = plain.size === 0 ? NO_HASHES : yield* step(() => hashPasswords(plain));
    return new Map([...existing, ...created]);
  }
}
