/**
 * Reads the values of relations, media and components in the data of `strapi.db.query`: there they are rows by their ids, and the
 * reference's database refuses links to others.
 */
import type { ComponentOrZoneAttribute } from "../../documents/component-rows.ts";
import type { DocumentsContext } from "../../documents/context.ts";
import type { Change } from "../../documents/link-change.ts";
import { isRecord } from "../../query/key-check.ts";
import { type MediaAttribute, type RelationAttribute, type Schema, targetOf } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";
import type { Storage } from "../../storage/storage.ts";
import { SqliteError } from "./database-errors.ts";

const listOf = (value: unknown): unknown[] => [value].flat().filter((entry) => entry !== undefined && entry !== null);

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

/** Text that is no number has no rows, and only an update compares it with the ids of the rows that it replaces. */
function refuseText(ids: readonly (number | string)[], isNew: boolean): void {
  const text = isNew ? undefined : ids.find((id) => typeof id === "string");
  if (text !== undefined) throw new Error(`Expected a valid Number, got ${text}`);
}

/** A row that is related to one other takes the first of several. */
const limited = (many: boolean, value: unknown): unknown =>
  !many && Array.isArray(value) ? listOf(value).slice(0, 1) : Array.isArray(value) ? listOf(value) : value;

function morphValue({ model }: DocumentsContext, { many }: RelationAttribute, value: unknown): unknown {
  const isOne = isRecord(value) && "id" in value && "__type" in value;
  if (!many && value !== null && value !== undefined && !isOne)
    throw new Error("Expects properties __type an id to make a morph association");
  const entries = many ? (entriesOf(value) ?? []) : listOf(value);
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
    return attribute.target === undefined ? morphValue(context, attribute, value) : value;
  const target = targetOf(context.model, attribute);
  if (!target) return value;
  const entries = entriesOf(value);
  if (!entries) return undefined;
  if (entries.length === 0) return limited(attribute.many, value);
  const ids = entries.map(idOf);
  refuseText(ids, isNew);
  const missing = missingId(context.storage, target, ids);
  if (missing)
    throw new SqliteError(
      `${attribute.name}: no row has the id ${String(missing[0])} - FOREIGN KEY constraint failed`,
      "SQLITE_CONSTRAINT_FOREIGNKEY",
    );
  return limited(attribute.many, value);
}

const linkable = (value: unknown): unknown[] => listOf(value).filter((entry) => Number.isInteger(idOf(entry)));

/** The rows of components to link; undefined for a value that changes nothing. Throws an Error for an entry without an id. */
export function componentChange(
  attribute: ComponentOrZoneAttribute,
  value: unknown,
  isNew: boolean,
): Change | undefined {
  const entries = value === undefined ? undefined : entriesOf(value);
  if (!entries) return undefined;
  const ids = entries.map(idOf);
  // the reference looks up the component of each entry first
  if (attribute.kind === "component") refuseText(ids, isNew);
  else if (entries.some((entry) => !isRecord(entry) || typeof entry.__component !== "string"))
    throw new Error('Metadata for "undefined" not found');
  if (!isRecord(value) || "id" in value) return { set: linkable(value) };
  if (value.set !== undefined) return { set: linkable(value.set) };
  const isStrict = !(isRecord(value.options) && value.options.strict === false);
  return { connect: linkable(value.connect), disconnect: linkable(value.disconnect), strict: isStrict };
}
