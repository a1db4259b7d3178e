/** Writes and reads single rows, and calls the lifecycle hooks of the project's code. */
import { trustedQuery } from "../query/check-query.ts";
import type { ReadContext } from "../query/read-context.ts";
import { findRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { type CheckedQuery, emptyQuery } from "../query/tree.ts";
import type { ContentType } from "../schema/model.ts";
import type { DocumentsContext } from "./context.ts";
import { asHashes, hookDataOf } from "./hook-data.ts";
import type { RowAction, RowEvent, RowHooks } from "./own-code.ts";
import { hashPasswords, passwordsIn } from "./passwords.ts";
import { RelationInput } from "./relation-input.ts";
import type { Data, Hashes } from "./rows.ts";
import { step, type Work } from "./steps.ts";

export interface WrittenRow {
  readonly id: number;
  /** The row that hooks returned; undefined if no hook was called. */
  readonly document?: Document | undefined;
}

/** The fields to read of a row. `status`: the version of documents behind links; undefined: both. */
export type Selection = CheckedQuery & Partial<Pick<ReadContext, "status" | "listsVersions">>;

/** Stores the data that hooks returned. */
type Store = (data: Data, hashes: Hashes) => number;

const NO_HASHES: Hashes = new Map();

export class HookedRows {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #hooks: RowHooks | undefined;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#hooks = context.rowHooks;
  }

  /** `selection`: the fields to read of the new row, for the hooks and the response. */
  *create(data: Data, hashes: Hashes | undefined, selection: Selection | undefined, store: Store): Work<WrittenRow> {
    const hooks = this.#listening("create");
    if (!hooks) return { id: store(data, hashes ?? NO_HASHES) };
    const now = new Date(this.#context.clock.now());
    const { event, restore } = this.#writing("create", { createdAt: now, updatedAt: now, ...data }, hashes, selection);
    yield* hooks.before(event);
    const changed = restore();
    const id = store(this.#withRowIds(changed, data), yield* this.#hashes(changed));
    event.result = yield* this.read(id, selection);
    yield* hooks.after(event);
    return { id, document: event.result as Document };
  }

  *update(
    id: number,
    data: Data,
    hashes: Hashes | undefined,
    selection: Selection | undefined,
    store: (data: Data, hashes: Hashes) => void,
  ): Work<WrittenRow> {
    const hooks = this.#listening("update");
    // only hooks can set it, which run later
    const stamped = this.#hooks ? { ...data, updatedAt: new Date(this.#context.clock.now()) } : data;
    if (!hooks) {
      store(stamped, hashes ?? NO_HASHES);
      return { id };
    }
    const { event, restore } = this.#writing("update", stamped, hashes, selection, id);
    yield* hooks.before(event);
    const changed = restore();
    store(this.#withRowIds(changed, data), yield* this.#hashes(changed));
    event.result = yield* this.read(id, selection);
    yield* hooks.after(event);
    return { id, document: event.result as Document };
  }

  /** `remove` deletes a row; hooks get it as it was. As in the reference, all of `ids` are deleted before the first after-hook. */
  *delete(ids: readonly number[], selection: CheckedQuery | undefined, remove: (id: number) => void): Work<Document[]> {
    const hooks = this.#listening("delete");
    if (!hooks) {
      for (const id of ids) remove(id);
      return [];
    }
    const events = ids.map((id): RowEvent => ({ action: "delete", type: this.#type, params: { where: { id } } }));
    for (const event of events) yield* hooks.before(event);
    for (const [index, event] of events.entries()) event.result = yield* this.read(ids[index]!, selection);
    for (const id of ids) remove(id);
    for (const event of events) yield* hooks.after(event);
    return events.map(({ result }) => result as Document);
  }

  /** Reads a row by its id; a query with its own hooks. */
  *read(id: number, selection: Selection = trustedQuery(emptyQuery(this.#type))): Work<Document | undefined> {
    const { storage, model } = this.#context;
    const hooks = this.#listening("findOne");
    const event: RowEvent = { action: "findOne", type: this.#type, params: { where: { id } } };
    if (hooks) yield* hooks.before(event);
    const { fields, populate } = selection;
    const query = { ...selection, ...emptyQuery(this.#type), fields, populate };
    const { status, listsVersions } = selection;
    const readContext = { storage, model, status, listsVersions };
    [event.result] = findRows(readContext, query, { locales: undefined, ids: [id] });
    if (hooks) yield* hooks.after(event);
    return event.result as Document | undefined;
  }

  /** Rows of a document, as one query. */
  *readAll(documentId: string, read: () => Document[]): Work<Document[]> {
    const hooks = this.#listening("findMany");
    if (!hooks) return read();
    const event: RowEvent = { action: "findMany", type: this.#type, params: { where: { documentId } } };
    yield* hooks.before(event);
    event.result = read();
    yield* hooks.after(event);
    return event.result as Document[];
  }

  listens(action: RowAction): boolean {
    return this.#listening(action) !== undefined;
  }

  #listening(action: RowAction): RowHooks | undefined {
    return this.#hooks?.listens(this.#type, action) ? this.#hooks : undefined;
  }

  #writing(
    action: "create" | "update",
    given: Data,
    hashes: Hashes | undefined,
    selection: CheckedQuery | undefined,
    id?: number,
  ) {
    const { data, restore } = hookDataOf(this.#type, given, hashes ?? NO_HASHES);
    // only if fields were selected, as in the reference
    const isPart = selection && selection.fields.length < this.#type.defaultFields.length;
    const params: Record<string, unknown> = {
      where: id === undefined ? {} : { id },
      data,
      ...(isPart ? { select: selection.fields.map(({ name }) => name) } : {}),
      ...(selection && selection.populate.length > 0 ? { populate: selection.populate.map(({ key }) => key) } : {}),
    };
    const event: RowEvent = { action, type: this.#type, params };
    // hooks may replace the data object
    const after = (): Data => (event.params.data === data ? restore() : (event.params.data as Data));
    return { event, restore: after };
  }

  /** Relations set by hooks may be ids or lists of ids and are resolved here; unchanged ones have row ids already. */
  #withRowIds(data: Data, resolved: Data): Data {
    const written = Object.fromEntries(Object.entries(data).filter(([name, value]) => value !== resolved[name]));
    const version = { locale: null, status: "draft" } as const;
    const input = new RelationInput(this.#context, this.#type, version, true);
    return { ...data, ...input.resolve(this.#type, written) };
  }

  *#hashes(data: Data): Work<Hashes> {
    const passwords = passwordsIn(this.#context.model, this.#type, data);
    if (passwords.size === 0) return NO_HASHES;
    const existing = asHashes(passwords);
    const plain = new Set([...passwords].filter((password) => !existing.has(password)));
    const created = plain.size === 0 ? NO_HASHES : yield* step(() => hashPasswords(plain));
    return new Map([...existing, ...created]);
  }
}
