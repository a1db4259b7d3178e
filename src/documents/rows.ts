/** Writes rows: a type's or component's own columns, its components below it, and its links. */
import type { SqlValue } from "../attributes/index.ts";
import { ApiError } from "../errors.ts";
import { isRecord } from "../query/key-check.ts";
import type { Status } from "../query/reading.ts";
import {
  type Attribute,
  type ComponentAttribute,
  type ContentType,
  component,
  type Schema,
  type ZoneAttribute,
} from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import type { DocumentsContext, Version } from "./context.ts";
import { NO_EDGES, type OwnEdges, ownEdges, ownFields, placeholders } from "./edges.ts";
import type { LinkedRow } from "./link-change.ts";
import { Links, writeLinks } from "./links.ts";

export type Data = Record<string, unknown>;

/** Hashes of the passwords in a request, by password; made before the transaction, since hashing takes its time. */
export type Hashes = ReadonlyMap<string, string>;

export interface RowIds {
  readonly id: number;
  readonly status: Status;
}

type PartAttribute = ComponentAttribute | ZoneAttribute;

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
      ...this.#columns(type, data, true),
    ]);
    this.#writeParts(type, { id, status: version.status }, data, true);
    this.#writeRelations(type, { id, status: version.status, isNew: true }, data);
    return id;
  }

  /** Changes what the data names. `republish`: the time of publication moves too, as in types without drafts. */
  update(type: ContentType, row: RowIds, data: Data, republish = false): void {
    const now = this.#context.clock.now();
    const times: [string, SqlValue][] = [["updated_at", now]];
    if (republish) times.push(["published_at", now]);
    this.#updateRow(type.table, row.id, [...times, ...this.#columns(type, data, false)]);
    this.#writeParts(type, row, data, false);
    this.#writeRelations(type, row, data);
  }

  /** Changes what the data names, and no time. */
  patch(type: ContentType, row: RowIds, data: Data): void {
    this.#updateRow(type.table, row.id, this.#columns(type, data, false));
    this.#writeParts(type, row, data, false);
    this.#writeRelations(type, row, data);
  }

  #writeRelations(schema: Schema, row: LinkedRow, data: Data): void {
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "relation" && attribute.kind !== "media") continue;
      if (attribute.kind === "relation" && attribute.virtual) continue;
      writeLinks(this.#context, schema, attribute, row, data[attribute.name]);
    }
  }

  #writeParts(schema: Schema, row: RowIds, data: Data, creating: boolean): void {
    const parts = [...schema.attributes.values()].filter(
      (attribute): attribute is PartAttribute =>
        (attribute.kind === "component" || attribute.kind === "zone") && data[attribute.name] !== undefined,
    );
    if (parts.length === 0) return;
    const own = creating ? NO_EDGES : ownEdges(this.#context, schema, row.id);
    for (const attribute of parts) {
      this.#writePart(attribute, row, data[attribute.name], creating, partsOf(this.#context, attribute, own));
    }
  }

  /** Makes a component attribute or zone what the value says: entries with an id are kept and changed, others are new. */
  #writePart(attribute: PartAttribute, row: RowIds, value: unknown, creating: boolean, old: readonly Part[]): void {
    const entries = (value === null ? [] : [value].flat()).filter(isRecord);
    const next: Part[] = [];
    const known = new Map(old.map((part) => [`${part.schema.uid}:${part.id}`, part]));
    const kept = creating ? new Set<string>() : this.#keptParts(attribute, entries, known);
    for (const part of old)
      if (!kept.has(`${part.schema.uid}:${part.id}`)) deletePart(this.#context, attribute, row.id, part);
    for (const entry of entries) {
      const schema = component(
        this.#context.model,
        attribute.kind === "zone" ? String(entry.__component) : attribute.component,
      );
      const id = creating || entry.id === undefined ? undefined : Number(entry.id);
      if (id === undefined) next.push({ schema, id: this.#createPart(schema, row.status, entry) });
      else {
        this.#updateRow(schema.table, id, this.#columns(schema, entry, false));
        this.#writeParts(schema, { id, status: row.status }, entry, false);
        this.#writeRelations(schema, { id, status: row.status }, entry);
        // the same id twice is one entry, with the last values
        if (!next.some((part) => part.id === id && part.schema === schema)) next.push({ schema, id });
      }
    }
    const before = old.filter((part) => kept.has(`${part.schema.uid}:${part.id}`));
    const same =
      before.length <= next.length &&
      before.every((part, index) => next[index]!.id === part.id && next[index]!.schema === part.schema);
    if (!same) unlinkParts(this.#context, attribute, row.id);
    let place = same ? lastPosition(this.#context, attribute, row.id) : 0;
    for (const part of same ? next.slice(before.length) : next) {
      linkPart(this.#context, attribute, row.id, part, ++place);
    }
  }

  /** Ids must belong to this very row and attribute. */
  #keptParts(attribute: PartAttribute, entries: readonly Data[], known: ReadonlyMap<string, Part>): Set<string> {
    const kept = new Set<string>();
    for (const entry of entries) {
      if (entry.id === undefined) continue;
      const key = `${attribute.kind === "zone" ? String(entry.__component) : attribute.component}:${String(entry.id)}`;
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
    this.#writeParts(schema, { id, status }, data, true);
    this.#writeRelations(schema, { id, status, isNew: true }, data);
    return id;
  }
}

/** A component's row below its owner. */
export interface Part {
  readonly schema: Schema;
  readonly id: number;
}

const kindOf = ({ storage }: DocumentsContext, attribute: PartAttribute, schema: Schema): number =>
  attribute.kind === "zone" ? storage.number(schema.table) : 0;

function lastPosition({ storage }: DocumentsContext, attribute: PartAttribute, row: number): number {
  return new Links(storage, attribute.link).lastPlace(row);
}

/** The component rows of an attribute, in order. */
export function partsOf({ storage, model }: DocumentsContext, attribute: PartAttribute, own: OwnEdges): Part[] {
  const edges = own.of(attribute.link.field);
  if (edges.length === 0) return [];
  if (attribute.kind === "component") {
    const schema = component(model, attribute.component);
    return edges.map(({ target }) => ({ schema, id: target }));
  }
  const tables = new Map([...model.components.values()].map((schema) => [schema.table, schema]));
  return edges.flatMap(({ target, kind }) => {
    const schema = tables.get(storage.nameOf(kind) ?? "");
    return schema ? [{ schema, id: target }] : [];
  });
}

/** The component rows that another version takes along: a zone's entry of a component that the zone does not list stays behind. */
export const listedPartsOf = (context: DocumentsContext, attribute: PartAttribute, own: OwnEdges): Part[] =>
  partsOf(context, attribute, own).filter(
    ({ schema }) => attribute.kind === "component" || attribute.components.includes(schema.uid),
  );

/** Makes a component row the entry at `place` of an owner's attribute. */
export function linkPart(
  context: DocumentsContext,
  attribute: PartAttribute,
  row: number,
  part: Part,
  place: number,
): void {
  const { storage } = context;
  const field = storage.number(attribute.link.field);
  storage.run("INSERT INTO galley_links VALUES (?, ?, ?, ?, ?, 1)", [
    field,
    row,
    place,
    part.id,
    kindOf(context, attribute, part.schema),
  ]);
}

function unlinkParts({ storage }: DocumentsContext, attribute: PartAttribute, row: number): void {
  storage.run("DELETE FROM galley_links WHERE field = ? AND owner = ?", [storage.number(attribute.link.field), row]);
}

function deletePart(context: DocumentsContext, attribute: PartAttribute, row: number, part: Part): void {
  const { storage } = context;
  storage.run("DELETE FROM galley_links WHERE field = ? AND owner = ? AND target = ? AND kind = ?", [
    storage.number(attribute.link.field),
    row,
    part.id,
    kindOf(context, attribute, part.schema),
  ]);
  deleteRow(context, part.schema, part.id);
}

/** Removes a row with its components and every link from or to it. */
export function deleteRow(
  context: DocumentsContext,
  schema: Schema,
  id: number,
  own = ownEdges(context, schema, id),
): void {
  const { storage } = context;
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind !== "component" && attribute.kind !== "zone") continue;
    for (const part of partsOf(context, attribute, own)) deleteRow(context, part.schema, part.id);
  }
  const fields = ownFields(storage, schema);
  if (fields.length > 0) {
    const where = `field IN (${placeholders(fields)}) AND owner = ?`;
    storage.run(`DELETE FROM galley_links WHERE ${where}`, [...fields, id]);
  }
  for (const [field, kind] of fieldsTo(context, schema)) {
    storage.run("DELETE FROM galley_links WHERE field = ? AND target = ? AND kind = ?", [field, id, kind]);
  }
  storage.run(`DELETE FROM ${quote(schema.table)} WHERE id = ?`, [id]);
}

/** By database, since the numbers of fields are its own. */
const incoming = new WeakMap<Storage, Map<Schema, [number, number][]>>();

/** The fields whose edges can end at rows of a type, with the kind that such edges have. */
export function fieldsTo({ storage, model }: DocumentsContext, schema: Schema): readonly [number, number][] {
  const known = incoming.get(storage) ?? new Map<Schema, [number, number][]>();
  incoming.set(storage, known);
  const found = known.get(schema);
  if (found) return found;
  const fields: [number, number][] = [];
  // no relation leads to a component
  const owners = schema.modelType === "component" ? [] : [...model.types.values(), ...model.components.values()];
  for (const owner of owners) {
    for (const attribute of owner.attributes.values()) {
      if (attribute.kind !== "relation" && attribute.kind !== "media") continue;
      if (attribute.link.field === "" || attribute.link.side !== "owner") continue;
      if (attribute.target === schema.uid) fields.push([storage.number(attribute.link.field), 0]);
      else if (!attribute.target) fields.push([storage.number(attribute.link.field), storage.number(schema.table)]);
    }
  }
  known.set(schema, fields);
  return fields;
}
