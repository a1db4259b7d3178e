/** The statements that create and change tables, their columns and their indexes. */
import { type Column, type Table, versionIndexName } from "./layout.ts";
import { quote } from "./quote.ts";
import type { Storage } from "./storage.ts";

const SYSTEM = `
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id TEXT NOT NULL,
  locale TEXT,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  published_at TEXT`;

const columnSql = (name: string, column: Column): string => `${quote(name)} ${column.affinity}`;

export function createTable(storage: Storage, name: string, table: Table): void {
  const columns = Object.entries(table.columns).map(([column, definition]) => columnSql(column, definition));
  const system = table.modelType === "contentType" ? SYSTEM : "id INTEGER PRIMARY KEY AUTOINCREMENT";
  storage.run(`CREATE TABLE ${quote(name)} (${[system, ...columns].join(", ")})`);
}

/** Indexes are named after their table: a table that is not served any more must not be in the way of one that is. */
export function dropIndexes(storage: Storage, table: string): void {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL";
  for (const [index] of storage.all(sql, [table])) storage.run(`DROP INDEX ${quote(index as string)}`);
}

/** Tables and indexes share one set of names: drops what would be in the way of tables with these names. */
export function dropIndexesCalled(storage: Storage, tables: readonly string[]): void {
  const wanted = new Set(tables.map((name) => name.toLowerCase()));
  for (const [index] of storage.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"))
    if (wanted.has((index as string).toLowerCase())) storage.run(`DROP INDEX ${quote(index as string)}`);
}

/** Without its indexes, which have its old name. */
export function renameTable(storage: Storage, from: string, to: string): void {
  storage.run(`ALTER TABLE ${quote(from)} RENAME TO ${quote(to)}`);
  dropIndexes(storage, to);
}

const uniqueIndexName = (table: string, column: string): string => `${table}_${column}_index`;

/** Every name that an index of the table has, whatever its columns are. */
export const indexNames = (name: string, table: Table): string[] => [
  `${name}_document`,
  versionIndexName(name),
  ...Object.keys(table.columns).map((column) => uniqueIndexName(name, column)),
];

/** Creates the indexes that the table needs and has not, and drops those of columns that are no longer unique. */
export function syncIndexes(storage: Storage, name: string, table: Table, isNew: boolean): void {
  const create = (index: string, columns: readonly string[]) =>
    storage.run(
      `CREATE INDEX IF NOT EXISTS ${quote(index)} ON ${quote(name)} (${columns.map((column) => quote(column)).join(", ")})`,
    );
  if (table.modelType === "contentType") {
    create(`${name}_document`, ["document_id", "locale", "status"]);
    create(versionIndexName(name), ["status", "locale"]);
  }
  for (const [column, { indexed }] of Object.entries(table.columns)) {
    const index = uniqueIndexName(name, column);
    if (indexed) create(index, [column]);
    else if (!isNew) storage.run(`DROP INDEX IF EXISTS ${quote(index)}`);
  }
}

export const addColumn = (storage: Storage, table: string, name: string, column: Column): unknown =>
  storage.run(`ALTER TABLE ${quote(table)} ADD COLUMN ${columnSql(name, column)}`);

export const renameColumn = (storage: Storage, table: string, from: string, to: string): unknown =>
  storage.run(`ALTER TABLE ${quote(table)} RENAME COLUMN ${quote(from)} TO ${quote(to)}`);

/** Drops all indexes that a column is part of. */
export function dropIndexesOf(storage: Storage, table: string, column: string): void {
  const sql = `SELECT DISTINCT m.name FROM sqlite_schema m, pragma_index_info(m.name) i
    WHERE m.type = 'index' AND m.sql IS NOT NULL AND m.tbl_name = ? AND i.name = ?`;
  for (const [index] of storage.all(sql, [table, column])) storage.run(`DROP INDEX ${quote(index as string)}`);
}

export function columnNames(storage: Storage, table: string): Set<string> {
  return new Set(storage.all("SELECT name FROM pragma_table_info(?)", [table]).map(([name]) => name as string));
}
