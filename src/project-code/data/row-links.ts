/**
 * Checks the targets of relations in the data of `strapi.db.query`: there they are rows by their ids, and the reference's
 * database refuses links to others.
 */
import { isRecord } from "../../query/key-check.ts";
import { type Model, type RelationAttribute, type Schema, targetOf } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";
import type { Storage } from "../../storage/storage.ts";

/** As the error of the reference's database. */
class SqliteError extends Error {
  readonly code = "SQLITE_CONSTRAINT_FOREIGNKEY";

  constructor(field: string, id: unknown) {
    super(`${field}: no row has the id ${String(id)} - FOREIGN KEY constraint failed`);
    this.name = "SqliteError";
  }
}

const listOf = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

/** The entries that are linked; undefined for a value that links none, which is ignored. */
function entriesOf(value: unknown): unknown[] | undefined {
  if (typeof value === "boolean" || value instanceof Date) return undefined;
  if (!isRecord(value) || "id" in value) return listOf(value);
  const isChange = ["set", "connect", "disconnect"].some((key) => key in value);
  return isChange ? [...listOf(value.set), ...listOf(value.connect)] : undefined;
}

function idOf(entry: unknown): number | string {
  const id = isRecord(entry) ? entry.id : entry;
  if (typeof id === "string") return /^\d+$/.test(id) ? Number(id) : id;
  if (Number.isInteger(id)) return id as number;
  throw new Error(`Invalid id, expected a string or integer, got ${String(isRecord(entry) ? entry : id)}`);
}

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

/** The value, or undefined for one that is ignored. Throws an Error for a target that is no row. */
export function linksToRows(storage: Storage, model: Model, attribute: RelationAttribute, value: unknown): unknown {
  const target = attribute.link.polymorphic ? undefined : targetOf(model, attribute);
  if (!target) return value;
  const entries = entriesOf(value);
  if (!entries) return undefined;
  if (entries.length === 0) return value;
  const missing = missingId(storage, target, entries.map(idOf));
  if (missing) throw new SqliteError(attribute.name, missing[0]);
  return value;
}
