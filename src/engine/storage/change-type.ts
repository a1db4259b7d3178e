/**
 * Changes the type of a column. The column of each earlier type is kept as `<column>$<type>`, so that values are restored
 * when the attribute gets an earlier type back, unless they were edited in between.
 */
import type { SqlValue } from "../attributes/index.ts";
import { isScalarTypeName } from "../attributes/index.ts";
import { changedValue, readSql } from "./conversions.ts";
import type { Column } from "./layout.ts";
import { quote } from "./sql.ts";
import type { Storage } from "./storage.ts";
import { addColumn, columnNames, dropColumnIndexes, renameColumn } from "./tables.ts";

/** Rows per statement. */
const BATCH = 2000;

const keptName = (column: string, type: string): string => `${column}$${type}`;

/** The earlier types of a column whose values are kept. */
function keptTypes(names: ReadonlySet<string>, column: string): string[] {
  const prefix = keptName(column, "");
  return [...names].flatMap((name) => {
    const type = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    return isScalarTypeName(type) ? [type] : [];
  });
}

/** Converts all values into the new column. `types`: the current type, then earlier ones. */
function convertRows(storage: Storage, table: string, column: string, types: readonly string[], to: string) {
  const counts = { values: 0, lost: 0 };
  const kept = types.map((type) => keptName(column, type));
  const columns = [...types.map((type, index) => readSql(kept[index]!, type)), readSql(column, to)];
  const present = [...kept, column].map((name) => `${quote(name)} IS NOT NULL`).join(" OR ");
  const select = `SELECT id, ${columns.join(", ")} FROM ${quote(table)} WHERE id > ? AND (${present}) ORDER BY id LIMIT ${BATCH}`;
  const update = `UPDATE ${quote(table)} SET ${quote(column)} = ? WHERE id = ?`;
  const [from] = types as [string];
  const total = storage.progress && (storage.first(`SELECT count(*) FROM ${quote(table)}`)![0] as number);
  let done = 0;
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = storage.all(select, [last]) as [number, ...SqlValue[]][];
    for (const [id, ...stored] of rows) {
      last = id;
      const earlier = stored.at(-1) ?? null;
      const values = new Map([...types.map((type, index) => [type, stored[index] ?? null] as const)]);
      if (earlier !== null) values.set(to, earlier);
      const value = changedValue(values, from, to);
      if (stored[0] !== null) counts.values++;
      if (value === undefined) counts.lost++;
      const next = value ?? null;
      if (next !== earlier) storage.run(update, [next, id]);
    }
    done += rows.length;
    storage.progress?.(`rows of ${table}`, rows.length < BATCH ? total! : done, total);
    if (rows.length < BATCH) return counts;
  }
}

/** Returns a message for the command line. */
export function changeType(storage: Storage, table: string, column: string, from: Column, to: Column): string {
  const kept = keptName(column, from.type);
  const earlier = keptName(column, to.type);
  const indexes = dropColumnIndexes(storage, table, column);
  renameColumn(storage, table, column, kept);
  const names = columnNames(storage, table);
  if (names.has(earlier)) renameColumn(storage, table, earlier, column);
  else addColumn(storage, table, column, to);
  const others = keptTypes(names, column).filter((type) => type !== from.type && type !== to.type);
  const { values, lost } = convertRows(storage, table, column, [from.type, ...others], to.type);
  const failed = restoreIndexes(storage, indexes);
  const rest = lost > 0 ? `; ${lost} did not and stay in the column ${kept}` : "";
  return `${column} is ${to.type} instead of ${from.type}: ${values - lost} of ${values} values converted${rest}${failed}`;
}

/** Returns a message about those that the converted values violate. */
function restoreIndexes(storage: Storage, indexes: ReturnType<typeof dropColumnIndexes>): string {
  return indexes
    .map(({ name, sql }) => {
      try {
        storage.run(sql);
        return "";
      } catch (error) {
        return `; the index ${name} is gone: ${(error as Error).message}`;
      }
    })
    .join("");
}
