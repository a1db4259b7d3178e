/** Writes rows: a type's or component's own columns, its components below it, and its links. */

import type { SqlValue } from "../attributes/index.ts";
import { numberOf, textOf } from "../coerce.ts";
import { ApiError } from "../errors.ts";
import { isRecord } from "../query/key-check.ts";
import type { Status } from "../query/read-context.ts";
import { type Attribute, type ContentType, component, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext, Version } from "./context.ts";
import { deleteParts } from "./delete-row.ts";
import { NO_EDGES } from "./edges.ts";
import { changeOf, idOf, type LinkedRow } from "./link-change.ts";
import { writeLinks } from "./links.ts";
import {
  type EdgesBelow,
  edgesBelow,
  isPartAttribute,
  keyOf,
  lastPosition,
  linkPart,
  type Part,
  type PartAttribute,
  partsOf,
  unlinkParts,
} from "./parts.ts";

export type Data = Record<string, unknown>;

/** Hashes of the passwords in a request, by password; made before the transaction, since hashing takes its time. */
export type Hashes = ReadonlyMap<string, string>;

export interface RowIds {
  readonly id: number;
  readonly status: Status;
}

/** Relations that are kept in the row itself. */
const REFERENCES = ["createdBy", "updatedBy"];

export class RowWriter {
  readonly #context: DocumentsContext;
  readonly #hashes: Hashes;

  constructor(context: DocumentsContext, hashes: Hashes = new Map()) {
    this.#context = context;
    this.#hashes = hashes;
  }

  #stored(attribute: Attribute & { kind: "scalar" }, value: unknown): SqlValue {
    if (!attribute.type.secret || typeof value !== "string" || value === "") return attribute.type.store(value);
    const hash = this.#hashes.get(value);
    if (hash === undefined) throw new Error(`The value of ${attribute.name} was not hashed`);
    return hash;
  }

  /** Columns and values of the scalar attributes that the data has; with `defaults`, also of those that have one. */
  #columns(schema: Schema, data: Data, defaults: boolean): [string, SqlValue][] {
    const columns: [string, SqlValue][] = [];
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "scalar" || attribute.system) continue;
      const given = data[attribute.name];
      const value = given === undefined && defaults ? attribute.definition.default : given;
      if (value !== undefined) columns.push([attribute.column, this.#stored(attribute, value)]);
    }
    return columns;
  }

  /** A target that is disconnected leaves none. */
  #references(type: ContentType, data: Data): [string, SqlValue][] {
    const columns: [string, SqlValue][] = [];
    for (const name of REFERENCES) {
      const attribute = type.attributes.get(name);
      const change = attribute?.kind === "relation" ? changeOf(data[name]) : undefined;
      if (attribute?.kind !== "relation" || attribute.column === undefined || !change) continue;
      const [target] = "set" in change ? change.set : change.connect;
      columns.push([attribute.column, target === undefined ? null : idOf(target)]);
    }
    return columns;
  }

  #insertRow(table: string, columns: readonly [string, SqlValue][]): number {
    if (columns.length === 0) return this.#context.storage.run(`INSERT INTO ${quote(table)} DEFAULT VALUES`).id;
    const names = columns.map(([name]) => quote(name)).join(", ");
    const marks = columns.map(() => "?").join(", ");
    return this.#context.storage.run(
      `INSERT INTO ${quote(table)} (${names}) VALUES (${marks})`,
      columns.map(([, value]) => value),
    ).id;
  }

  #updateRow(table: string, id: number, columns: readonly [string, SqlValue][]): void {
    if (columns.length === 0) return;
    const sets = columns.map(([name]) => `${quote(name)} = ?`).join(", ");
    this.#context.storage.run(`UPDATE ${quote(table)} SET ${sets} WHERE id = ?`, [
      ...columns.map(([, value]) => value),
      id,
    ]);
  }

  /** A new version of a document. Answers its row id. */
  insert(type: ContentType, version: Version, data: Data): number {
    const now = this.#context.clock.now();
    const id = this.#insertRow(type.table, [
      ["document_id", version.documentId],
      ["locale", version.locale],
      ["status", version.status],
      ["created_at", now],
      ["updated_at", now],
      ["published_at", version.status === "published" ? now : null],
      ...this.#references(type, data),
      ...this.#columns(type, data, true),
    ]);
    this.#writeParts(type, { id, status: version.status }, data, undefined);
    this.#writeRelations(type, { id, status: version.status, isNew: true }, data);
    return id;
  }

  /** Changes what the data names. `republish`: the time of publication moves too, as in types without drafts. */
  update(type: ContentType, row: RowIds, data: Data, republish = false): void {
    const now = this.#context.clock.now();
    const times: [string, SqlValue][] = [["updated_at", now]];
    if (republish) times.push(["published_at", now]);
    this.#updateRow(type.table, row.id, [
      ...times,
      ...this.#references(type, data),
      ...this.#columns(type, data, false),
    ]);
    this.#writeParts(type, row, data, this.#below(type, row, data));
    this.#writeRelations(type, row, data);
  }

  /** Changes what the data names, and no time. */
  patch(type: ContentType, row: RowIds, data: Data): void {
    this.#updateRow(type.table, row.id, [...this.#references(type, data), ...this.#columns(type, data, false)]);
    this.#writeParts(type, row, data, this.#below(type, row, data));
    this.#writeRelations(type, row, data);
  }

  #writeRelations(schema: Schema, row: LinkedRow, data: Data): void {
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "relation" && attribute.kind !== "media") continue;
      if (attribute.kind === "relation" && attribute.virtual) continue;
      writeLinks(this.#context, schema, attribute, row, data[attribute.name]);
    }
  }

  /** `below`: what the row and the entries below it have; undefined for a new row. */
  #writeParts(schema: Schema, row: RowIds, data: Data, below: EdgesBelow | undefined): void {
    const own = below?.of(schema, row.id) ?? NO_EDGES;
    for (const attribute of schema.attributes.values()) {
      if (!isPartAttribute(attribute) || data[attribute.name] === undefined) continue;
      this.#writePart(attribute, row, data[attribute.name], below, partsOf(this.#context, attribute, own));
    }
  }

  #below(schema: Schema, row: RowIds, data: Data): EdgesBelow | undefined {
    const isWritten = (attribute: Attribute) => isPartAttribute(attribute) && data[attribute.name] !== undefined;
    return schema.attributes.values().some(isWritten)
      ? edgesBelow(this.#context, new Map([[schema, [row.id]]]))
      : undefined;
  }

  /** Makes a component attribute or zone what the value says: entries with an id are kept and changed, others are new. */
  #writePart(
    attribute: PartAttribute,
    row: RowIds,
    value: unknown,
    below: EdgesBelow | undefined,
    old: readonly Part[],
  ): void {
    const entries = (value === null ? [] : [value].flat()).filter(isRecord);
    const next = new Map<string, Part>();
    const kept = below ? this.#keptParts(attribute, entries, new Set(old.map(keyOf))) : new Set<string>();
    const gone = old.filter((part) => !kept.has(keyOf(part)));
    if (gone.length > 0) deleteParts(this.#context, attribute, row.id, gone);
    for (const entry of entries) {
      const schema = component(
        this.#context.model,
        attribute.kind === "zone" ? textOf(entry.__component) : attribute.component,
      );
      const isKept = below !== undefined && entry.id !== undefined;
      const part = { schema, id: isKept ? numberOf(entry.id) : this.#createPart(schema, row.status, entry) };
      const key = keyOf(part);
      // the same id twice is one entry, with the last values
      if (isKept) this.#changePart(part, row.status, entry, next.has(key) ? undefined : below);
      next.getOrInsert(key, part);
    }
    const before = old.filter((part) => kept.has(keyOf(part)));
    const after = [...next.values()];
    const same =
      before.length <= after.length &&
      before.every((part, index) => after[index]!.id === part.id && after[index]!.schema === part.schema);
    if (!same) unlinkParts(this.#context, attribute, row.id);
    let place = same && below ? lastPosition(this.#context, attribute, row.id) : 0;
    for (const part of same ? after.slice(before.length) : after) {
      linkPart(this.#context, attribute, row.id, part, ++place);
    }
  }

  /** `below` undefined: the entry has been changed since it was read. */
  #changePart({ schema, id }: Part, status: Status, entry: Data, below: EdgesBelow | undefined): void {
    const row = { id, status };
    this.#updateRow(schema.table, id, this.#columns(schema, entry, false));
    this.#writeParts(schema, row, entry, below ?? this.#below(schema, row, entry));
    this.#writeRelations(schema, row, entry);
  }

  /** Ids must belong to this very row and attribute. */
  #keptParts(attribute: PartAttribute, entries: readonly Data[], known: ReadonlySet<string>): Set<string> {
    const kept = new Set<string>();
    for (const entry of entries) {
      if (entry.id === undefined) continue;
      const uid = attribute.kind === "zone" ? textOf(entry.__component) : attribute.component;
      const key = `${uid}:${textOf(entry.id)}`;
      if (!known.has(key)) {
        const kind = attribute.kind === "zone" ? "ForeignEntryError" : "ApplicationError";
        throw new ApiError(kind, `Some of the provided components in ${attribute.name} are not related to the entity`);
      }
      kept.add(key);
    }
    return kept;
  }

  #createPart(schema: Schema, status: Status, data: Data): number {
    const id = this.#insertRow(schema.table, this.#columns(schema, data, true));
    this.#writeParts(schema, { id, status }, data, undefined);
    this.#writeRelations(schema, { id, status, isNew: true }, data);
    return id;
  }
}
