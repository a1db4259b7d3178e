/** Writes rows of types and components: columns, nested components, and links. */

import { toNumber } from "../../lib/coerce.ts";
import { ApiError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { SqlValue } from "../attributes/index.ts";
import type { Status } from "../query/reading.ts";
import { type ComponentOrZoneAttribute, entryUid, holdsComponents } from "../schema/entries.ts";
import {
  type Attribute,
  type Component,
  type ContentType,
  component,
  isLink,
  type ScalarAttribute,
  type Schema,
} from "../schema/model.ts";
import { INSERT, quote, UPDATE } from "../storage/sql.ts";
import {
  type ComponentRow,
  componentLink,
  keptKeys,
  type LinksBelow,
  linksBelow,
  listComponentRows,
  rowKey,
  unlinkComponents,
} from "./component-rows.ts";
import type { DocumentsContext } from "./context.ts";
import { deleteComponents } from "./delete-row.ts";
import type { Data, Hashes } from "./documents.ts";
import { type LinkRow, NO_OWN_LINKS, PendingLinks } from "./link-rows.ts";
import { Links, writeLinks } from "./links.ts";
import { type LinkedRow, parseChange, parseId } from "./relation-input.ts";
import type { Columns, Version } from "./row-store.ts";

export type { Data, Hashes };

export interface RowIds {
  readonly id: number;
  readonly status: Status;
}

/** The columns with the values of `others`, where they have any, and the rest of `others`. */
const replaced = (columns: Columns, others: Columns): Columns =>
  others.length === 0 ? columns : [...new Map([...columns, ...others])];

/** Relations that are stored in a column of the row. */
const REFERENCES = ["createdBy", "updatedBy"];

export class RowWriter {
  readonly #context: DocumentsContext;
  readonly #hashes: Hashes;
  readonly #pending: PendingLinks;
  /** A version and all below it are new: links are written once it is complete. */
  #isInserting = false;

  constructor(context: DocumentsContext, hashes: Hashes = new Map()) {
    this.#context = context;
    this.#hashes = hashes;
    this.#pending = new PendingLinks(context);
  }

  #stored(attribute: Attribute & { kind: "scalar" }, value: unknown): SqlValue {
    if (!attribute.type.isSecret || typeof value !== "string" || value === "") {
      try {
        return attribute.type.store(value);
      } catch (error) {
        if (error instanceof ApiError) error.attribute = attribute.name;
        throw error;
      }
    }
    const hash = this.#hashes.get(value);
    if (hash === undefined) throw new Error(`The value of ${attribute.name} was not hashed`);
    return hash;
  }

  /** Columns and values of the scalar attributes in the data; with `defaults`, also of attributes with a default. */
  #columns(schema: Schema, data: Data, defaults: boolean): [string, SqlValue][] {
    const columns: [string, SqlValue][] = [];
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "scalar" || attribute.system) continue;
      const input = schema.modelType === "component" ? this.#timed(attribute, data, defaults) : data[attribute.name];
      const value = input === undefined && defaults ? attribute.definition.default : input;
      if (value !== undefined) columns.push([attribute.column, this.#stored(attribute, value)]);
    }
    return columns;
  }

  /** The value of a component's attribute. As in Strapi, those with the names of the server's times are set by the server, too. */
  #timed({ name, type }: ScalarAttribute, data: Data, isNew: boolean): unknown {
    const given = data[name];
    const isReplaced = name === "updatedAt" && !isNew && Object.keys(data).length > 0;
    const isMissing = (name === "updatedAt" || name === "createdAt") && isNew && given === undefined;
    if (!(isReplaced || isMissing) || (type.name !== "datetime" && type.name !== "date")) return given;
    const now = new Date(this.#context.clock.writeTime()).toISOString();
    return type.name === "date" ? now.slice(0, 10) : now;
  }

  /** Disconnecting the target sets null. */
  #references(type: ContentType, data: Data): [string, SqlValue][] {
    const columns: [string, SqlValue][] = [];
    for (const name of REFERENCES) {
      const attribute = type.attributes.get(name);
      const value = data[name];
      const change =
        attribute?.kind === "relation" ? parseChange(typeof value === "number" ? { set: [value] } : value) : undefined;
      if (attribute?.kind !== "relation" || attribute.column === undefined || !change) continue;
      const [target] = "set" in change ? change.set : change.connect;
      columns.push([attribute.column, target === undefined ? null : parseId(target)]);
    }
    return columns;
  }

  #insertRow(table: string, columns: Columns): number {
    if (columns.length === 0) return this.#context.storage.run(`INSERT INTO ${quote(table)} DEFAULT VALUES`).id;
    const names = columns.map(([name]) => quote(name)).join(", ");
    const marks = columns.map(() => "?").join(", ");
    return this.#context.storage.run(
      `${INSERT} ${quote(table)} (${names}) VALUES (${marks})`,
      columns.map(([, value]) => value),
    ).id;
  }

  #updateRow(table: string, id: number, columns: Columns): void {
    if (columns.length === 0) return;
    const sets = columns.map(([name]) => `${quote(name)} = ?`).join(", ");
    this.#context.storage.run(`${UPDATE} ${quote(table)} SET ${sets} WHERE id = ?`, [
      ...columns.map(([, value]) => value),
      id,
    ]);
  }

  /** Inserts a version of a document. `system`: system columns with other values. Returns its row id. */
  insert(type: ContentType, version: Version, data: Data, system: Columns = []): number {
    const now = this.#context.clock.writeTime();
    const published = version.status === "published" ? now : null;
    const defaults: Columns = [
      ["document_id", version.documentId],
      ["locale", version.locale],
      ["status", version.status],
      ["created_at", now],
      ["updated_at", now],
      ["published_at", published],
    ];
    const id = this.#insertRow(type.table, [
      ...replaced(defaults, system),
      ...this.#references(type, data),
      ...this.#columns(type, data, true),
    ]);
    this.#isInserting = true;
    this.#pending.collect();
    this.#writeComponents(type, { id, status: version.status }, data, undefined);
    this.#writeRelations(type, { id, status: version.status, isNew: true }, data);
    this.#pending.flush();
    this.#isInserting = false;
    return id;
  }

  /** The links that the last inserted version and its components own, unless they have to be read. */
  get links(): readonly LinkRow[] | undefined {
    return this.#pending.written;
  }

  /**
   * Updates the attributes in the data. `republish`: also sets `publishedAt`, for types without drafts. `system`: as for
   * `insert`.
   */
  update(type: ContentType, row: RowIds, data: Data, republish = false, system: Columns = []): void {
    const now = this.#context.clock.writeTime();
    const times: Columns = republish
      ? [
          ["updated_at", now],
          ["published_at", now],
        ]
      : [["updated_at", now]];
    this.#updateRow(type.table, row.id, [
      ...replaced(times, system),
      ...this.#references(type, data),
      ...this.#columns(type, data, false),
    ]);
    this.#writeComponents(type, row, data, this.#below(type, row, data));
    this.#writeRelations(type, row, data);
  }

  /** Updates the attributes in the data and the `system` columns, without `updatedAt`. */
  patch(type: ContentType, row: RowIds, data: Data, system: Columns = []): void {
    this.#updateRow(type.table, row.id, [
      ...system,
      ...this.#references(type, data),
      ...this.#columns(type, data, false),
    ]);
    this.#writeComponents(type, row, data, this.#below(type, row, data));
    this.#writeRelations(type, row, data);
  }

  /** Inserts a row of a component that no other row links yet. Returns its id. */
  insertComponent(schema: Component, status: Status, data: Data, system: Columns = []): number {
    const id = this.#insertRow(schema.table, [...system, ...this.#columns(schema, data, true)]);
    this.#writeComponents(schema, { id, status }, data, undefined);
    this.#writeRelations(schema, { id, status, isNew: true }, data);
    return id;
  }

  /** Updates the attributes of a component's row that are in the data. */
  patchComponent(schema: Component, row: RowIds, data: Data): void {
    this.#updateComponent({ schema, id: row.id }, row.status, data, undefined);
  }

  #writeRelations(schema: Schema, row: LinkedRow, data: Data): void {
    for (const attribute of schema.attributes.values()) {
      if (!isLink(attribute)) continue;
      if (attribute.kind === "relation" && attribute.virtual) continue;
      const pending = this.#isInserting ? this.#pending : undefined;
      writeLinks(this.#context, schema, attribute, row, data[attribute.name], pending);
    }
  }

  /** `below`: the links of the row and of its components; undefined for a new row. */
  #writeComponents(schema: Schema, row: RowIds, data: Data, below: LinksBelow | undefined): void {
    const own = below?.of(schema, row.id) ?? NO_OWN_LINKS;
    for (const attribute of schema.attributes.values()) {
      if (!holdsComponents(attribute) || data[attribute.name] === undefined) continue;
      this.#writeEntries(attribute, row, data[attribute.name], below, listComponentRows(this.#context, attribute, own));
    }
    if (!this.#isInserting) this.#pending.flush();
  }

  #below(schema: Schema, row: RowIds, data: Data): LinksBelow | undefined {
    const isWritten = (attribute: Attribute) => holdsComponents(attribute) && data[attribute.name] !== undefined;
    return schema.attributes.values().some(isWritten)
      ? linksBelow(this.#context, new Map([[schema, [row.id]]]))
      : undefined;
  }

  /** Replaces the entries of a component or zone attribute: entries with an id are updated, others are created. */
  #writeEntries(
    attribute: ComponentOrZoneAttribute,
    row: RowIds,
    value: unknown,
    below: LinksBelow | undefined,
    old: readonly ComponentRow[],
  ): void {
    const entries = (value === null ? [] : [value].flat()).filter(isRecord);
    const next = new Map<string, ComponentRow>();
    const kept = below ? keptKeys(attribute, entries, new Set(old.map(rowKey))) : new Set<string>();
    const gone = old.filter((entry) => !kept.has(rowKey(entry)));
    if (gone.length > 0) deleteComponents(this.#context, attribute, row.id, gone);
    for (const entry of entries) {
      const schema = component(this.#context.model, entryUid(attribute, entry));
      const isKept = below !== undefined && entry.id !== undefined;
      const componentRow = {
        schema,
        id: isKept ? toNumber(entry.id) : this.insertComponent(schema, row.status, entry),
      };
      const key = rowKey(componentRow);
      // an id that occurs twice is one entry, with the last values
      if (isKept) this.#updateComponent(componentRow, row.status, entry, next.has(key) ? undefined : below);
      next.getOrInsert(key, componentRow);
    }
    const before = old.filter((entry) => kept.has(rowKey(entry)));
    const after = [...next.values()];
    const onlyAppends =
      before.length <= after.length &&
      before.every((entry, index) => after[index]!.id === entry.id && after[index]!.schema === entry.schema);
    if (!onlyAppends) unlinkComponents(this.#context, attribute, row.id);
    let position = onlyAppends && below ? new Links(this.#context.storage, attribute.link).lastPlace(row.id) : 0;
    for (const entry of onlyAppends ? after.slice(before.length) : after) {
      this.#pending.insert(componentLink(this.#context, attribute, row.id, entry, ++position));
    }
  }

  /** `below`: undefined if the entry was already changed by this write. */
  #updateComponent({ schema, id }: ComponentRow, status: Status, entry: Data, below: LinksBelow | undefined): void {
    const row = { id, status };
    this.#updateRow(schema.table, id, this.#columns(schema, entry, false));
    this.#writeComponents(schema, row, entry, below ?? this.#below(schema, row, entry));
    this.#writeRelations(schema, row, entry);
  }
}
