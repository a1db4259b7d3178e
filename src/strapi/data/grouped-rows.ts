/** `groupBy` of queries: one row for each combination of values of columns. */

import type { Document } from "../../engine/query/select.ts";
import type { Schema } from "../../engine/schema/model.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { SqliteError } from "../packages/database-errors.ts";

/** The attributes with these columns; as in Strapi, columns are named as in the database. Throws a SqliteError for others. */
export function groupAttributes(schema: Schema, groupBy: unknown): string[] | undefined {
  if (groupBy === undefined || groupBy === null) return undefined;
  const names = ["id", "documentId", ...schema.attributes.keys()].filter((name) => {
    const attribute = schema.attributes.get(name);
    return !attribute || attribute.kind === "scalar";
  });
  const byColumn = new Map(names.map((name) => [snakeCase(name), name]));
  return [groupBy].flat().map((column) => {
    const name = byColumn.get(String(column));
    if (name === undefined) throw new SqliteError(`no such column: ${String(column)}`);
    return name;
  });
}

const rankOf = (value: unknown): number => (value === null ? 0 : typeof value === "string" ? 2 : 1);

/** Compares values in the order of SQLite: null, numbers, text. */
function compare(a: unknown, b: unknown): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  const [x, y] = [a as number | string, b as number | string];
  return x === y ? 0 : x < y ? -1 : 1;
}

/** The last row of each group by id, as SQLite selects it; sorted by the groups' values unless the rows are sorted. */
export function groupRows(rows: readonly Document[], attributes: readonly string[], isSorted: boolean): Document[] {
  const listValues = (row: Document): unknown[] => attributes.map((name) => row[name] ?? null);
  const last = new Map<string, Document>();
  for (const row of rows) {
    const key = JSON.stringify(listValues(row));
    const other = last.get(key);
    if (!other || (other.id as number) < (row.id as number)) last.set(key, row);
  }
  const chosen = new Set(last.values());
  const groups = rows.filter((row) => chosen.has(row));
  if (isSorted) return groups;
  return groups.sort((a, b) => {
    const others = listValues(b);
    return listValues(a).reduce<number>((order, value, index) => order || compare(value, others[index]), 0);
  });
}
