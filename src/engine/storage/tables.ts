/** The statements that create and change tables, their columns and their indexes. */
import { ProjectError } from "../../lib/errors.ts";
import type { DeclaredIndex } from "../schema/declared-indexes.ts";
import { type Column, type Table, versionIndexName } from "./layout.ts";
import { quote } from "./sql.ts";
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

/** Whether Galley has created an index by itself. Others are of the project. */
const isGalleys = (table: string, index: string): boolean =>
  index.startsWith(`${table}_`) && /_(?:document|version|index|listed|looked_up)$/.test(index);

/** Drops all indexes of a table. Their names contain its name, so those of an unused table could clash with new ones. */
export function dropIndexes(storage: Storage, table: string, isDropped: (index: string) => boolean = () => true): void {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL";
  for (const [index] of storage.all(sql, [table]) as [string][])
    if (isDropped(index)) storage.run(`DROP INDEX ${quote(index)}`);
}

/** Drops indexes with the names of tables: tables and indexes share a namespace. */
export function dropIndexesCalled(storage: Storage, tables: readonly string[]): void {
  const wanted = new Set(tables.map((name) => name.toLowerCase()));
  for (const [index] of storage.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"))
    if (wanted.has((index as string).toLowerCase())) storage.run(`DROP INDEX ${quote(index as string)}`);
}

/** Renames a table and drops Galley's indexes of it, whose names contain the old one. */
export function renameTable(storage: Storage, from: string, to: string): void {
  storage.run(`ALTER TABLE ${quote(from)} RENAME TO ${quote(to)}`);
  dropIndexes(storage, to, (index) => isGalleys(from, index));
}

const uniqueIndexName = (table: string, column: string): string => `${table}_${column}_index`;

/** The names of all possible indexes of a table. */
export const indexNames = (name: string, table: Table): string[] => [
  `${name}_document`,
  versionIndexName(name),
  ...Object.keys(table.columns).map((column) => uniqueIndexName(name, column)),
];

/** Creates missing indexes, and drops those of columns that are no longer unique, or that are no longer declared. */
export function syncIndexes(storage: Storage, name: string, table: Table, last: Table | undefined): void {
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
    else if (last) storage.run(`DROP INDEX IF EXISTS ${quote(index)}`);
  }
  syncDeclared(storage, name, table, last?.indexes ?? []);
}

/** Throws a ProjectError for a unique index that the rows violate, and for a name that is taken. */
function syncDeclared(
  storage: Storage,
  name: string,
  { uid, indexes = [] }: Table,
  last: readonly DeclaredIndex[],
): void {
  const isIn = (list: readonly DeclaredIndex[], index: DeclaredIndex) => list.some((own) => Bun.deepEquals(own, index));
  for (const index of last) if (!isIn(indexes, index)) storage.run(`DROP INDEX IF EXISTS ${quote(index.name)}`);
  for (const index of indexes) {
    const [owner] = storage.first("SELECT tbl_name FROM sqlite_schema WHERE name = ?", [index.name]) ?? [];
    if (owner === name) continue;
    const columns = index.columns.map((column) => quote(column)).join(", ");
    try {
      storage.run(`CREATE ${index.unique ? "UNIQUE " : ""}INDEX ${quote(index.name)} ON ${quote(name)} (${columns})`);
    } catch (error) {
      throw new ProjectError(uid, "indexes", `"${index.name}": ${(error as Error).message}`);
    }
  }
}

export const addColumn = (storage: Storage, table: string, name: string, column: Column): unknown =>
  storage.run(`ALTER TABLE ${quote(table)} ADD COLUMN ${columnSql(name, column)}`);

export const renameColumn = (storage: Storage, table: string, from: string, to: string): unknown =>
  storage.run(`ALTER TABLE ${quote(table)} RENAME COLUMN ${quote(from)} TO ${quote(to)}`);

/** Drops all indexes on a column. Returns those of the project, with the statements that create them. */
export function dropColumnIndexes(
  storage: Storage,
  table: string,
  column: string,
): readonly { readonly name: string; readonly sql: string }[] {
  const query = `SELECT DISTINCT m.name, m.sql FROM sqlite_schema m, pragma_index_info(m.name) i
    WHERE m.type = 'index' AND m.sql IS NOT NULL AND m.tbl_name = ? AND i.name = ?`;
  const all = (storage.all(query, [table, column]) as [string, string][]).map(([name, sql]) => ({ name, sql }));
  for (const { name } of all) storage.run(`DROP INDEX ${quote(name)}`);
  return all.filter(({ name }) => !isGalleys(table, name));
}

/** A free name, such as `posts$1`. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let number = 1;
  while (isTaken(`${name}$${number}`)) number++;
  return `${name}$${number}`;
}

export function columnNames(storage: Storage, table: string): Set<string> {
  return new Set(storage.all("SELECT name FROM pragma_table_info(?)", [table]).map(([name]) => name as string));
}
