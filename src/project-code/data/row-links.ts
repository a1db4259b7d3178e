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
  if (typeof id === "string" || Number.isInteger(id)) return id as number | string;
  throw new Error(`Invalid id, expected a string or integer, got ${String(isRecord(entry) ? entry : id)}`);
}

function isRow(storage: Storage, target: Schema, id: number | string): boolean {
  const number = typeof id === "number" || /^\d+$/.test(id) ? Number(id) : undefined;
  if (number === undefined) return false;
  return storage.first(`SELECT 1 FROM ${quote(target.table)} WHERE id = ?`, [number]) !== undefined;
}

/** The value, or undefined for one that is ignored. Throws an Error for a target that is no row. */
export function linksToRows(storage: Storage, model: Model, attribute: RelationAttribute, value: unknown): unknown {
  const target = attribute.link.polymorphic ? undefined : targetOf(model, attribute);
  if (!target) return value;
  const entries = entriesOf(value);
  if (!entries) return undefined;
  for (const entry of entries) {
    const id = idOf(entry);
    if (!isRow(storage, target, id)) throw new SqliteError(attribute.name, id);
  }
  return value;
}
