/**
 * Writes links between rows. A link has an order in its owner's list (`position`) and one in its target's list (`inverse`).
 * A write from either side orders its own list, and appends to the other one.
 */
import { toNumber } from "../../lib/coerce.ts";
import { isRecord } from "../../lib/is-record.ts";
import { mediaFields } from "../query/file-users.ts";
import {
  findType,
  hasVersions,
  type Link,
  type MediaAttribute,
  type RelationAttribute,
  type Schema,
} from "../schema/model.ts";
import { INSERT, quote } from "../storage/sql.ts";
import type { Storage } from "../storage/storage.ts";
import type { DocumentsContext } from "./context.ts";
import { connectAt } from "./link-order.ts";
import { among, documentRows, linkColumns, linkedIds, listed, MAX_PENDING, type PendingLinks } from "./link-rows.ts";
import type { Placed } from "./link-slots.ts";
import { writeOtherSide } from "./polymorphic-other-side.ts";
import { writePolymorphic } from "./polymorphic-owner-side.ts";
import { type Change, type LinkedRow, type Position, parseChange, parseId, type Target } from "./relation-input.ts";

interface LinksOptions {
  readonly documents?: string | undefined;
  readonly inverseFields?: readonly number[];
}

/** The links of a field, seen from one side. */
export class Links {
  readonly #storage: Storage;
  readonly #field: number;
  readonly #link: Link;
  readonly #documents: string | undefined;
  readonly #inverseFields: readonly number[];

  /**
   * `documents`: this side's table, if its documents have several rows. `inverseFields`: the fields that share one list at the
   * other end; by default only this one.
   */
  constructor(storage: Storage, link: Link, { documents, inverseFields }: LinksOptions = {}) {
    this.#storage = storage;
    this.#field = storage.number(link.field);
    this.#link = link;
    this.#documents = documents;
    this.#inverseFields = inverseFields ?? [this.#field];
  }

  /** Ids of the rows at the other end, in order. */
  list(row: number): number[] {
    return linkedIds(this.#storage, this.#link, row);
  }

  remove(row: number, others: readonly number[]): void {
    if (others.length === 0) return;
    const { near, far } = linkColumns[this.#link.side];
    const [those, param] = among(others);
    this.#storage.run(`DELETE FROM galley_links WHERE field = ? AND ${near} = ? AND ${far} ${those}`, [
      this.#field,
      row,
      param,
    ]);
  }

  /** Removes the links of other documents to the rows at the other end; all rows of that of `row` keep theirs. */
  #release(row: number, others: readonly number[]): void {
    const { near, far } = linkColumns[this.#link.side];
    const [those, param] = among(others);
    const sql = `DELETE FROM galley_links WHERE field = ? AND ${far} ${those}`;
    const params = [this.#field, param];
    if (!this.#documents) return void this.#storage.run(`${sql} AND ${near} <> ?`, [...params, row]);
    const own = documentRows(quote(this.#documents));
    this.#storage.run(`${sql} AND ${near} NOT IN (${own})`, [...params, row]);
  }

  /** Adds links from `position` on, and at the end of the lists of the other rows. */
  #append(row: number, others: readonly number[], position: number): void {
    const { near, far, order, farOrder } = linkColumns[this.#link.side];
    const fields = this.#inverseFields;
    const last = `(SELECT coalesce(max(${farOrder}), 0) + 1 FROM galley_links WHERE field IN (${fields.join(", ")}) AND ${far} = e.value)`;
    const [table, param] = listed(others);
    this.#storage.run(
      `${INSERT} galley_links (field, ${near}, ${far}, ${order}, ${farOrder}, kind)
       SELECT ?, ?, e.value, ? + e.key, ${last}, 0 FROM ${table} e`,
      [this.#field, row, position, param],
    );
  }

  /** Replaces all positions of a list. In bulk: updating thousands of rows one by one would take quadratic time. */
  #renumber(row: number, positions: readonly (readonly [other: number, position: number])[]): void {
    const { near, far, order, farOrder } = linkColumns[this.#link.side];
    const own = `field = ? AND ${near} = ?`;
    const params = [this.#field, row];
    const links = this.#storage.all(`SELECT ${far}, ${farOrder} FROM galley_links WHERE ${own}`, params);
    const orders = new Map(links as [number, number][]);
    this.#storage.run(`DELETE FROM galley_links WHERE ${own}`, params);
    const moved = positions.map(([other, position]) => [other, position, orders.get(other)]);
    this.#storage.run(
      `${INSERT} galley_links (field, ${near}, kind, ${far}, ${order}, ${farOrder})
       SELECT ?, ?, 0, e.value ->> 0, e.value ->> 1, e.value ->> 2 FROM json_each(?) e`,
      [...params, JSON.stringify(moved)],
    );
  }

  lastPlace(row: number): number {
    const { near, order } = linkColumns[this.#link.side];
    const sql = `SELECT coalesce(max(${order}), 0) FROM galley_links WHERE field = +? AND ${near} = +?`;
    return this.#storage.first(sql, [this.#field, row])![0] as number;
  }

  /**
   * Replaces the row's list. `exclusive`: a row at the other end belongs to at most one row. Others may have been cloned with a link to
   * it, which they lose when it is `named` again.
   */
  replace(
    row: number,
    current: readonly number[],
    next: readonly number[],
    { exclusive = false, named = [] }: { readonly exclusive?: boolean; readonly named?: readonly number[] } = {},
  ): void {
    const wanted = new Set(next);
    this.remove(
      row,
      current.filter((id) => !wanted.has(id)),
    );
    const kept = current.filter((id) => wanted.has(id));
    const linked = new Set(kept);
    const added = next.filter((id) => !linked.has(id));
    const taken = exclusive ? [...added, ...named.filter((id) => linked.has(id))] : [];
    if (taken.length > 0) this.#release(row, taken);
    // a list that only grows at its end keeps its positions; any other is renumbered
    if (kept.every((id, index) => next[index] === id)) {
      if (added.length > 0) this.#append(row, added, kept.length > 0 ? this.lastPlace(row) + 1 : 1);
      return;
    }
    if (added.length > 0) this.#append(row, added, 1);
    this.#renumber(
      row,
      next.map((id, index) => [id, index + 1]),
    );
  }
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];

/** Whether documents have several rows: versions or locales. */
const hasSeveralRows = (schema: Schema): boolean =>
  hasVersions(schema) || (schema.modelType === "contentType" && schema.localized);

/** Applies the normalised value of a relation or media attribute to a row. `pending`: for the links of a new row. */
export function writeLinks(
  context: DocumentsContext,
  schema: Schema,
  attribute: RelationAttribute | MediaAttribute,
  row: LinkedRow,
  value: unknown,
  pending?: PendingLinks,
): void {
  const { storage } = context;
  // a value without operations does not change a relation, but empties a media field
  const change = parseChange(value) ?? (attribute.kind === "media" && value !== undefined ? { set: [] } : undefined);
  if (!change) return;
  // as in Strapi, `connect` on media works for existing rows only; new rows take `set`
  if (attribute.kind === "media" && row.isNew && "connect" in change) return;
  if (attribute.kind === "relation" && attribute.link.polymorphic) {
    pending?.interrupt();
    const write = attribute.link.side === "owner" ? writePolymorphic : writeOtherSide;
    return write(context, schema, attribute, row, change);
  }
  const documents = hasSeveralRows(schema) ? schema.table : undefined;
  if (attribute.kind === "media") {
    pending?.interrupt();
    const inverseFields = [...mediaFields(storage, context.model).keys()];
    return writeFiles(new Links(storage, attribute.link, { documents, inverseFields }), row.id, change);
  }
  const links = new Links(storage, attribute.link, { documents });
  const current = row.isNew ? [] : links.list(row.id);
  const siblings = (ids: readonly number[], of: number) => rowsOfDocument(context, attribute, ids, of);
  const next = unique(nextTargets(attribute.many, current, change, siblings));
  if (pending && attribute.link.side === "owner" && !attribute.exclusive && next.length <= MAX_PENDING) {
    const link = { field: storage.number(attribute.link.field), owner: row.id, kind: 0, targetAttribute: null };
    for (const [index, target] of next.entries()) pending.insert({ ...link, target, position: index + 1 });
    return;
  }
  pending?.interrupt();
  const named = attribute.relation === "oneToOne" ? ("set" in change ? change.set : change.connect).map(parseId) : [];
  links.replace(row.id, current, next, { exclusive: attribute.exclusive, named });
}

/** Those of the rows that are of the same document as another one. */
function rowsOfDocument(
  { storage, model }: DocumentsContext,
  { target }: RelationAttribute,
  ids: readonly number[],
  other: number,
): number[] {
  const type = target === undefined ? undefined : findType(model, target);
  if (ids.length === 0 || !type || !hasSeveralRows(type)) return [];
  const table = quote(type.table);
  const [those, param] = among(ids);
  const document = `SELECT document_id FROM ${table} WHERE id = ?`;
  const rows = storage.all(`SELECT id FROM ${table} WHERE id ${those} AND document_id = (${document})`, [param, other]);
  const found = new Set(rows.map(([id]) => id));
  return ids.filter((id) => found.has(id));
}

/** `siblings`: those of the rows that are of the same document as another one. */
function nextTargets(
  many: boolean,
  current: readonly number[],
  change: Change,
  siblings: (ids: readonly number[], of: number) => readonly number[],
): readonly number[] {
  if ("set" in change) return change.set.map(parseId);
  const added = change.connect.map(
    (target): Placed<number> => ({ key: parseId(target), position: parsePosition(target) }),
  );
  const dropped = new Set(change.disconnect.map(parseId));
  if (many) return connectAt(current, added, dropped, change.strict);
  const connected = new Set(added.map(({ key }) => key));
  const left = current.filter((id) => !dropped.has(id) && !connected.has(id));
  // a to-one relation can have both versions of its target, which are connected one after the other
  return added.length > 0 ? [...siblings(left, added[0]!.key), ...connected] : left;
}

/** Neighbours are numbers or strings. */
function parsePosition(target: unknown): Position<number> | undefined {
  const position = isRecord(target) ? (target as Partial<Target>).position : undefined;
  if (!isRecord(position)) return undefined;
  const { before, after } = position as Position;
  return {
    ...position,
    ...(before ? { before: toNumber(before) } : {}),
    ...(after ? { after: toNumber(after) } : {}),
  };
}

/**
 * Positions do not apply to media: connected files are appended. Named files are linked again, so that `related` of a file
 * has its users in the order of their last write. A single media field returns its first file; further files are kept until
 * it is set, or copied to another version.
 */
function writeFiles(links: Links, row: number, change: Change): void {
  const current = links.list(row);
  const named = unique(("set" in change ? change.set : change.connect).map(parseId));
  const gone = new Set("set" in change ? current : [...named, ...change.disconnect.map(parseId)]);
  const left = current.filter((id) => !gone.has(id));
  links.remove(
    row,
    current.filter((id) => gone.has(id)),
  );
  links.replace(row, left, [...left, ...named]);
}
