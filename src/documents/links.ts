/**
 * Edges between rows. An edge has a place in its owner's list (`position`) and one in its target's (`inverse`); a write
 * from either side orders its own list and appends to the other's.
 */
import type { SqlValue } from "../attributes/index.ts";
import { fieldsToFiles } from "../query/file-users.ts";
import { isRecord } from "../query/key-check.ts";
import { hasVersions, type Link, type MediaAttribute, type RelationAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import type { DocumentsContext } from "./context.ts";
import { placeholders } from "./edges.ts";
import { type Change, changeOf, idOf, type LinkedRow } from "./link-change.ts";
import { connectAt, type Placed } from "./link-order.ts";
import { writeMixed } from "./mixed-links.ts";
import type { Position, Target } from "./relation-input.ts";

type Side = Link["side"];
const columns = {
  owner: { near: "owner", far: "target", order: "position", farOrder: "inverse" },
  inverse: { near: "target", far: "owner", order: "inverse", farOrder: "position" },
} as const satisfies Record<Side, Record<string, string>>;

interface LinksOptions {
  readonly kind?: number;
  readonly versions?: string | undefined;
  readonly inverseFields?: readonly number[];
}

/** One side's view of the edges of a field. */
export class Links {
  readonly #storage: Storage;
  readonly #field: number;
  readonly #side: Side;
  readonly #kind: number;
  readonly #versions: string | undefined;
  readonly #inverseFields: readonly number[];

  /**
   * `kind`: the number of the table of a polymorphic target; 0 elsewhere. `versions`: this side's table, if its documents
   * have drafts. `inverseFields`: the fields whose links are one list at the other end; only this one unless stated.
   */
  constructor(storage: Storage, link: Link, { kind = 0, versions, inverseFields }: LinksOptions = {}) {
    this.#storage = storage;
    this.#field = storage.number(link.field);
    this.#side = link.side;
    this.#kind = kind;
    this.#versions = versions;
    this.#inverseFields = inverseFields ?? [this.#field];
  }

  /** Ids of the rows at the other end, in order. */
  list(row: number): number[] {
    const { near, far, order } = columns[this.#side];
    const sql = `SELECT ${far} FROM galley_links WHERE field = ? AND ${near} = ? AND kind = ? ORDER BY ${order}, ${far}`;
    return this.#storage.all(sql, [this.#field, row, this.#kind]).map(([id]) => id as number);
  }

  remove(row: number, others: readonly number[]): void {
    const { near, far } = columns[this.#side];
    for (const other of others) {
      this.#storage.run(`DELETE FROM galley_links WHERE field = ? AND ${near} = ? AND ${far} = ? AND kind = ?`, [
        this.#field,
        row,
        other,
        this.#kind,
      ]);
    }
  }

  /** Takes a row at the other end from every version of whomever it belongs to; the other version of `row` keeps it. */
  release(row: number, other: number): void {
    const { near, far } = columns[this.#side];
    const sql = `DELETE FROM galley_links WHERE field = ? AND ${far} = ? AND kind = ?`;
    const params = [this.#field, other, this.#kind];
    if (!this.#versions) return void this.#storage.run(sql, params);
    const table = quote(this.#versions);
    const own = `SELECT id FROM ${table} WHERE document_id = (SELECT document_id FROM ${table} WHERE id = ?)`;
    this.#storage.run(`${sql} AND ${near} NOT IN (${own})`, [...params, row]);
  }

  /** Appends an edge at the other end's list, at `place` of this one's. */
  add(row: number, other: number, place: number): void {
    const { near, far, order, farOrder } = columns[this.#side];
    const fields = this.#inverseFields;
    const last = `(SELECT coalesce(max(${farOrder}), 0) + 1 FROM galley_links WHERE field IN (${placeholders(fields)}) AND ${far} = ?)`;
    const params: SqlValue[] = [this.#field, row, other, place, ...fields, other, this.#kind];
    this.#storage.run(
      `INSERT INTO galley_links (field, ${near}, ${far}, ${order}, ${farOrder}, kind) VALUES (?, ?, ?, ?, ${last}, ?)`,
      params,
    );
  }

  move(row: number, other: number, place: number): void {
    const { near, far, order } = columns[this.#side];
    const sql = `UPDATE galley_links SET ${order} = ? WHERE field = ? AND ${near} = ? AND ${far} = ? AND kind = ? AND ${order} <> ?`;
    this.#storage.run(sql, [place, this.#field, row, other, this.#kind, place]);
  }

  lastPlace(row: number): number {
    const { near, order } = columns[this.#side];
    const sql = `SELECT coalesce(max(${order}), 0) FROM galley_links WHERE field = ? AND ${near} = ?`;
    return this.#storage.first(sql, [this.#field, row])![0] as number;
  }

  /** Makes `next` the row's list, in that order. `exclusive`: rows at the other end belong to one row at most. */
  replace(row: number, current: readonly number[], next: readonly number[], exclusive: boolean): void {
    const kept = new Set(next);
    const removed = current.filter((id) => !kept.has(id));
    this.remove(row, removed);
    const gone = new Set(removed);
    const rest = current.filter((id) => !gone.has(id));
    const known = new Set(rest);
    const appended = rest.every((id, index) => next[index] === id);
    // what only grows at its end keeps its places; anything else is numbered anew
    let place = appended ? (rest.length > 0 ? this.lastPlace(row) : 0) : 0;
    for (const id of appended ? next.slice(rest.length) : next) {
      place++;
      if (known.has(id)) this.move(row, id, place);
      else {
        if (exclusive) this.release(row, id);
        this.add(row, id, place);
      }
    }
  }
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];
/** Applies the normalised value of a relation or media attribute to a row. */
export function writeLinks(
  context: DocumentsContext,
  schema: Schema,
  attribute: RelationAttribute | MediaAttribute,
  row: LinkedRow,
  value: unknown,
): void {
  const { storage } = context;
  // a value that says nothing changes no relation, and empties a media field
  const change = changeOf(value) ?? (attribute.kind === "media" && value !== undefined ? { set: [] } : undefined);
  if (!change) return;
  // files can be connected to rows that are there already only, as in the reference; new rows take a set
  if (attribute.kind === "media" && row.isNew && "connect" in change) return;
  if (attribute.kind === "relation" && !attribute.target) return writeMixed(context, attribute, row, change);
  const kind = attribute.link.polymorphic ? storage.number(schema.table) : 0;
  const versions = hasVersions(schema) ? schema.table : undefined;
  if (attribute.kind === "media") {
    const inverseFields = [...fieldsToFiles(storage, context.model).keys()];
    return writeFiles(new Links(storage, attribute.link, { versions, inverseFields }), row.id, change);
  }
  const links = new Links(storage, attribute.link, { kind, versions });
  const current = row.isNew ? [] : links.list(row.id);
  links.replace(row.id, current, unique(nextTargets(attribute.many, current, change)), attribute.exclusive);
}

function nextTargets(many: boolean, current: readonly number[], change: Change): readonly number[] {
  if ("set" in change) return change.set.map(idOf);
  const added = change.connect.map((target): Placed<number> => ({ key: idOf(target), position: positionOf(target) }));
  const dropped = new Set(change.disconnect.map(idOf));
  if (many) return connectAt(current, added, dropped, change.strict);
  return added.length > 0 ? added.map(({ key }) => key) : current.filter((id) => !dropped.has(id));
}

/** Neighbours may be written as numbers or texts. */
function positionOf(target: unknown): Position<number> | undefined {
  const position = isRecord(target) ? (target as Partial<Target>).position : undefined;
  if (!isRecord(position)) return undefined;
  const { before, after } = position as Position;
  return {
    ...position,
    ...(before ? { before: Number(before) } : {}),
    ...(after ? { after: Number(after) } : {}),
  } as Position<number>;
}

/**
 * Files have no positions: connected ones come last. Those that are named are linked anew, so that their users are in the
 * order in which they were last named. A single field answers the first file that it has, and keeps the others until it
 * is set, or copied to another version.
 */
function writeFiles(links: Links, row: number, change: Change): void {
  const current = links.list(row);
  const named = unique(("set" in change ? change.set : change.connect).map(idOf));
  const gone = new Set("set" in change ? current : [...named, ...change.disconnect.map(idOf)]);
  const left = current.filter((id) => !gone.has(id));
  links.remove(
    row,
    current.filter((id) => gone.has(id)),
  );
  links.replace(row, left, [...left, ...named], false);
}
