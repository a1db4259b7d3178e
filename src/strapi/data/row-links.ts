/**
 * Reads the values of relations and media in the data of `strapi.db.query`: there they are rows by their ids, and Strapi's
 * database refuses links to others.
 */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { findTarget, type MediaAttribute, type RelationAttribute, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { isRecord } from "../../lib/is-record.ts";
import { SqliteError } from "../packages/database-errors.ts";
import { idOfEntry, listEntries, refuseText, toList } from "../rows/row-entries.ts";

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

/** The value, or undefined for one that is ignored. Throws an Error for a target that is no row. */
export function linksToRows(
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
