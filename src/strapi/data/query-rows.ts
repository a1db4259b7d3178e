/** Writes single rows for `strapi.db.query`, without hooks and without validating them. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { changeRowId } from "../../engine/documents/delete-row.ts";
import { hashPasswords, passwordsIn } from "../../engine/documents/passwords.ts";
import { resolveRelations } from "../../engine/documents/relation-input.ts";
import {
  type Columns,
  newSystemColumns,
  type SystemValues,
  systemColumns,
  versionWith,
} from "../../engine/documents/row-store.ts";
import { type Data, type Hashes, RowWriter } from "../../engine/documents/rows.ts";
import type { Status } from "../../engine/query/reading.ts";
import { type ComponentOrZoneAttribute, holdsComponents } from "../../engine/schema/entries.ts";
import {
  type Attribute,
  type Component,
  type ContentType,
  findTarget,
  type MediaAttribute,
  type RelationAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { ApiError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { errors, SqliteError } from "../packages/database-errors.ts";
import { linkEntries } from "../rows/component-links.ts";
import { asHashes } from "../rows/hook-data.ts";
import { readSystemValues } from "../rows/read-system-values.ts";
import { idOfEntry, listEntries, refuseText, toList } from "../rows/row-entries.ts";
import type { RawContext } from "../rows/row-hooks.ts";
import { columnValue } from "./column-values.ts";

/** The first id without a row, in a list. */
function missingId(
  storage: Storage,
  target: Schema,
  ids: readonly (number | string)[],
): readonly unknown[] | undefined {
  const row = `SELECT 1 FROM ${quote(target.table)} WHERE id = given.value`;
  const sql = `SELECT given.value FROM json_each(?) AS given WHERE typeof(given.value) <> 'integer' OR NOT EXISTS (${row}) LIMIT 1`;
  return storage.first(sql, [JSON.stringify(ids)]);
}

/** A row that is related to one other takes the first of several. */
const limited = (many: boolean, value: unknown): unknown =>
  !many && Array.isArray(value) ? toList(value).slice(0, 1) : Array.isArray(value) ? toList(value) : value;

function polymorphicValue({ model }: DocumentsContext, { many }: RelationAttribute, value: unknown): unknown {
  const isOne = isRecord(value) && "id" in value && "__type" in value;
  if (!many && value !== null && value !== undefined && !isOne)
    throw new Error("Expects properties __type an id to make a morph association");
  const entries = many ? (listEntries(value) ?? []) : toList(value);
  for (const entry of entries) {
    const uid = String(isRecord(entry) ? entry.__type : undefined);
    if (!model.types.has(uid)) throw new Error(`Metadata for "${uid}" not found`);
  }
  return value;
}

/** The value, or undefined for one that is ignored. Throws an Error for a target that is not a row. */
function linksToRows(
  context: DocumentsContext,
  attribute: RelationAttribute | MediaAttribute,
  value: unknown,
  isNew: boolean,
): unknown {
  if (attribute.kind === "relation" && attribute.link.polymorphic)
    return attribute.target === undefined ? polymorphicValue(context, attribute, value) : value;
  const target = findTarget(context.model, attribute);
  if (!target) return value;
  const entries = listEntries(value);
  if (!entries) return undefined;
  if (entries.length === 0) return limited(attribute.many, value);
  const ids = entries.map(idOfEntry);
  refuseText(ids, isNew);
  const missing = missingId(context.storage, target, ids);
  if (missing)
    throw new SqliteError(
      `${attribute.name}: no row has the id ${String(missing[0])} - FOREIGN KEY constraint failed`,
      "SQLITE_CONSTRAINT_FOREIGNKEY",
    );
  return limited(attribute.many, value);
}

/** Runs a write, of which only the positions of relations can still be refused. */
function written<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof ApiError && error.name === "ValidationError")
      throw new errors.InvalidRelationError(error.message);
    throw error;
  }
}

/** Relations of a component that no document has lead to published documents. */
const COMPONENT_STATUS: Status = "published";

export class QueryRows {
  readonly #context: RawContext;
  readonly #type: Schema;

  constructor(context: RawContext, type: Schema) {
    this.#context = context;
    this.#type = type;
  }

  /** Hashes passwords, except for values that are hashes already. */
  readonly hashPasswords = async (data: Data): Promise<Hashes> => {
    const passwords = passwordsIn(this.#context.model, this.#type, data);
    const storedHashes = asHashes(passwords);
    const plain = new Set([...passwords].filter((password) => !storedHashes.has(password)));
    return plain.size === 0 ? storedHashes : new Map([...storedHashes, ...(await hashPasswords(plain))]);
  };

  /** Returns the id of the new row. Without a locale, localized types have a row that no locale shows, as in Strapi. */
  insert(input: Data, hashes: Hashes): number {
    const type = this.#type;
    const writer = new RowWriter(this.#context, hashes);
    if (type.modelType === "component") return this.#insertComponent(type, writer, input);
    const own = readSystemValues(this.#context, type, input);
    const documentId = own.documentId ?? this.#context.ids.documentId();
    const version = versionWith(type, { documentId, locale: null, status: "published" }, own);
    const data = this.#columnValues(input, version.status, true);
    const id = written(() => writer.insert(type, version, data, newSystemColumns(type, own)));
    linkEntries(this.#context, type, { id, status: version.status, isNew: true }, input);
    return id;
  }

  #insertComponent(type: Component, writer: RowWriter, input: Data): number {
    const { id: given } = readSystemValues(this.#context, type, { id: input.id });
    const data = this.#columnValues(input, COMPONENT_STATUS, true);
    const columns: Columns = given === undefined ? [] : [["id", given]];
    const id = written(() => writer.insertComponent(type, COMPONENT_STATUS, data, columns));
    linkEntries(this.#context, type, { id, status: COMPONENT_STATUS, isNew: true }, input);
    return id;
  }

  update(id: number, input: Data, hashes: Hashes): void {
    const type = this.#type;
    const writer = new RowWriter(this.#context, hashes);
    if (type.modelType === "component") {
      const row = { id, status: COMPONENT_STATUS };
      const data = this.#columnValues(input, row.status, false);
      written(() => writer.patchComponent(type, row, data));
      linkEntries(this.#context, type, row, input);
      return;
    }
    const own = readSystemValues(this.#context, type, input);
    const row = { id, status: this.#readStatus(type, id, own) };
    const data = this.#columnValues(input, row.status, false);
    written(() => writer.patch(type, row, data, systemColumns(type, own)));
    linkEntries(this.#context, type, row, input);
    if (own.id !== undefined) changeRowId(this.#context, type, id, own.id);
  }

  #readStatus(type: ContentType, id: number, own: SystemValues): Status {
    const sql = `SELECT status FROM ${quote(type.table)} WHERE id = ?`;
    const status = this.#context.storage.first(sql, [id])?.[0] as Status;
    return versionWith(type, { documentId: "", locale: null, status }, own).status;
  }

  /** Converts values for columns and links, without validating them. */
  #columnValues(input: Data, status: Status, isNew: boolean): Data {
    const data: Data = {};
    for (const [name, value] of Object.entries(input)) {
      const attribute = this.#type.attributes.get(name);
      if (!attribute || holdsComponents(attribute) || (attribute.system && attribute.kind === "scalar")) continue;
      data[name] = this.#columnValue(attribute, value, isNew);
    }
    const version = { locale: null, status };
    return resolveRelations(this.#context, this.#type, version, data, { allowsMissing: true });
  }

  #columnValue(attribute: Exclude<Attribute, ComponentOrZoneAttribute>, value: unknown, isNew: boolean): unknown {
    if (attribute.kind === "scalar") return columnValue(attribute.type, value);
    if (attribute.system) return value;
    return linksToRows(this.#context, attribute, value, isNew);
  }
}
