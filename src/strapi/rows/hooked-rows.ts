/** Writes and reads single rows of a type or component, and calls the lifecycle hooks of the project's code. */

import { hashPasswords, passwordsIn } from "../../engine/documents/passwords.ts";
import { resolveRelations } from "../../engine/documents/relation-input.ts";
import type { Selection, WrittenRow } from "../../engine/documents/row-store.ts";
import type { Data, Hashes } from "../../engine/documents/rows.ts";
import { step, type Work } from "../../engine/documents/steps.ts";
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

/** Stores the data that hooks returned. */
type Store = (data: Data, hashes: Hashes) => number;

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

  /** `selection`: the fields to read of the new row, for the hooks and the response. */
  *create(data: Data, hashes: Hashes | undefined, selection: Selection | undefined, store: Store): Work<WrittenRow> {
    const hooks = this.#listening("create");
    if (!hooks) return { id: store(data, hashes ?? NO_HASHES) };
    const now = new Date(this.#context.clock.writeTime());
    const event = this.#writing("create", { createdAt: now, updatedAt: now, ...data }, hashes, selection);
    yield* hooks.before(event);
    const changed = event.params.data as Data;
    const id = store(this.#withRowIds(changed, data), yield* this.#hashes(changed));
    event.result = yield* this.read(id, selection);
    yield* hooks.after(event);
    return { id, document: event.result as Document };
  }

  /** `where`: the condition that hooks get, by default the id. */
  *update(
    id: number,
    data: Data,
    hashes: Hashes | undefined,
    selection: Selection | undefined,
    store: (data: Data, hashes: Hashes) => void,
    where: Where = { id },
  ): Work<WrittenRow> {
    const hooks = this.#listening("update");
    // only hooks can set it, which run later
    const stamped = { ...data, updatedAt: new Date(this.#context.clock.writeTime()) };
    if (!hooks) {
      store(stamped, hashes ?? NO_HASHES);
      return { id };
    }
    const event = this.#writing("update", stamped, hashes, selection, where);
    yield* hooks.before(event);
    const changed = event.params.data as Data;
    store(this.#withRowIds(changed, data), yield* this.#hashes(changed));
    event.result = yield* this.read(id, selection);
    yield* hooks.after(event);
    return { id, document: event.result as Document };
  }

  /** `remove` deletes the row; hooks get it as it was. `where`: as for `update`. */
  *delete(id: number, selection: CheckedQuery | undefined, remove: () => void, where: Where = { id }): Work<void> {
    const hooks = this.#listening("delete");
    if (!hooks) return remove();
    const event: RowEvent = { action: "delete", type: this.#schema, params: { where } };
    yield* hooks.before(event);
    event.result = yield* this.read(id, selection, where);
    remove();
    yield* hooks.after(event);
  }

  /** Reads a row by its id; a query with its own hooks. */
  *read(
    id: number,
    selection: Selection = trustedQuery(emptyQuery(this.#schema)),
    where: Where = { id },
  ): Work<Document | undefined> {
    const { storage, model } = this.#context;
    const hooks = this.#listening("findOne");
    const event: RowEvent = { action: "findOne", type: this.#schema, params: { where } };
    if (hooks) yield* hooks.before(event);
    const { fields, populate } = selection;
    const query = { ...selection, ...emptyQuery(this.#schema), fields, populate };
    const { status, listsVersions } = selection;
    const readContext = { storage, model, status, listsVersions };
    [event.result] = findRows(readContext, query, { locales: undefined, ids: [id] });
    if (hooks) yield* hooks.after(event);
    return event.result as Document | undefined;
  }

  /**
   * A query whose result only hooks get: rows by their ids. `meanwhile`: what else happens before the result is there.
   */
  *lookup(
    action: "findOne" | "findMany",
    params: Readonly<Record<string, unknown>>,
    ids: readonly number[],
    meanwhile?: Work<unknown>,
  ): Work<void> {
    const hooks = this.#listening(action);
    if (!hooks) return;
    const event: RowEvent = { action, type: this.#schema, params: { ...params } };
    yield* hooks.before(event);
    if (meanwhile) yield* meanwhile;
    const rows = this.#find(ids, params);
    event.result = action === "findMany" ? rows : (rows[0] ?? null);
    yield* hooks.after(event);
  }

  /** As `lookup`: the number of rows with these ids, which all exist. */
  *reportCount(ids: readonly unknown[]): Work<void> {
    const hooks = this.#listening("count");
    if (!hooks) return;
    const event: RowEvent = { action: "count", type: this.#schema, params: { where: { id: { $in: ids } } } };
    yield* hooks.before(event);
    event.result = ids.length;
    yield* hooks.after(event);
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
  *readAll(where: Where, read: () => Document[]): Work<Document[]> {
    const hooks = this.#listening("findMany");
    if (!hooks) return read();
    const event: RowEvent = { action: "findMany", type: this.#schema, params: { where } };
    yield* hooks.before(event);
    event.result = read();
    yield* hooks.after(event);
    return event.result as Document[];
  }

  listens(action: RowAction): boolean {
    return this.#listening(action) !== undefined;
  }

  #listening(action: RowAction): RowHooks | undefined {
    return this.#hooks.listens(this.#schema, action) ? this.#hooks : undefined;
  }

  #writing(
    action: "create" | "update",
    given: Data,
    hashes: Hashes | undefined,
    selection: CheckedQuery | undefined,
    where?: Where,
  ): RowEvent {
    // only if fields were selected, as in Strapi
    const isPart = selection && selection.fields.length < this.#schema.defaultFields.length;
    const params: Record<string, unknown> = {
      // as in Strapi, queries of components have no parameters of a request
      ...(where || this.#schema.modelType === "contentType" ? { where: where ?? {} } : {}),
      data: createHookData(this.#schema, given, hashes ?? NO_HASHES),
      ...(isPart ? { select: selection.fields.map(({ name }) => name) } : {}),
      ...(selection && selection.populate.length > 0 ? { populate: selection.populate.map(({ key }) => key) } : {}),
    };
    return { action, type: this.#schema, params };
  }

  /** Relations set by hooks may be ids or lists of ids and are resolved here; unchanged ones have row ids already. */
  #withRowIds(data: Data, resolved: Data): Data {
    const written = pickBy(data, (value, name) => value !== resolved[name]);
    const version = { locale: null, status: "draft" } as const;
    return { ...data, ...resolveRelations(this.#context, this.#schema, version, written, true) };
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
