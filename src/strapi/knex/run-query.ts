/** Runs the statements of Knex on Galley's database. */
import type { ScalarTypeName } from "../../engine/attributes/index.ts";
import type { Model } from "../../engine/schema/model.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { Value } from "./conflicts.ts";
import { namedTables, prepareStatement, type Tables } from "./statement.ts";
import { type MappedTable, mappedTables } from "./tables.ts";
import { WRITTEN } from "./write-triggers.ts";

const TEXT = "varchar(255)";
const ID = "INTEGER";

/** Strapi's column types. */
const sqlTypes: Readonly<Record<ScalarTypeName, string>> = {
  string: TEXT,
  uid: TEXT,
  email: TEXT,
  password: TEXT,
  enumeration: TEXT,
  text: "TEXT",
  richtext: "TEXT",
  json: "json",
  blocks: "json",
  integer: "INTEGER",
  biginteger: "bigint",
  float: "float",
  decimal: "float",
  date: "date",
  time: "time",
  datetime: "datetime",
  timestamp: "datetime",
  boolean: "boolean",
};

interface ColumnInfo {
  readonly cid: number;
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: null;
  readonly pk: number;
}

/** The type of a column that belongs to no attribute. */
const otherType = (name: string): string =>
  name === "order" || name.endsWith("_ord") ? "float" : /(^|_)id$/.test(name) && name !== "document_id" ? ID : TEXT;

/** `PRAGMA table_info` of Strapi's tables. */
function tableInfo({ columns, select }: MappedTable, storage: Storage): ColumnInfo[] {
  const types = new Map(columns.map(({ name, type }) => [name, sqlTypes[type as ScalarTypeName]]));
  const statement = storage.db.prepare(`SELECT * FROM (${select(storage)}) LIMIT 0`);
  const names = [...statement.columnNames];
  statement.finalize();
  return names.map((name, cid) => {
    const isKey = Number(name === "id");
    return { cid, name, type: types.get(name) ?? otherType(name), notnull: isKey, dflt_value: null, pk: isKey };
  });
}

export interface KnexQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { readonly lastID: number; readonly changes: number };
}

const toBinding = (value: unknown): Value => {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.getTime();
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "object" && !(value instanceof Uint8Array)) return JSON.stringify(value);
  return value as Value;
};

const TABLE_INFO = /^\s*PRAGMA\s+table_info\s*\(\s*[`"']?([\w$]+)/i;

/** The response to a statement about Strapi's tables instead of their rows; undefined for others. */
function describe({ sql, bindings }: KnexQuery, tables: Tables, storage: Storage): unknown[] | undefined {
  if (/\bsqlite_master\b/.test(sql)) {
    // the builder checks whether the table exists
    const table = tables.get(String(bindings?.[0]).toLowerCase());
    if (table) return [{ type: "table", name: table.name }];
  }
  const described = tables.get((TABLE_INFO.exec(sql)?.[1] ?? "").toLowerCase());
  return described && tableInfo(described, storage);
}

function writtenRows(storage: Storage): { lastID: number; changes: number } {
  const [id, changes] = storage.first(`SELECT max(id), count(*) FROM temp.${WRITTEN}`)!;
  return { lastID: Number(id), changes: Number(changes) };
}

function runStatement(query: KnexQuery, tables: Tables, storage: Storage): void {
  const bindings = (query.bindings ?? []).map(toBinding);
  storage.refresh();
  const { sql, isMapped, returning, values } = prepareStatement(query.sql, tables, storage, bindings);
  const statement = storage.db.prepare(sql);
  try {
    if (statement.columnNames.length > 0) {
      query.response = statement.all(...values);
      query.context = { lastID: 0, changes: 0 };
      return;
    }
    const { lastInsertRowid, changes } = statement.run(...values);
    query.context = isMapped ? writtenRows(storage) : { lastID: Number(lastInsertRowid), changes };
    // what `raw` returns
    query.response = { changes: query.context.changes, lastInsertRowid: query.context.lastID };
    if (returning !== undefined) query.response = storage.db.query(returning).all();
  } finally {
    statement.finalize();
  }
}

/** A database of its own, in which other tables of Strapi are. */
export interface OtherDatabase {
  readonly model: Model;
  readonly run: (isRead: boolean, work: (storage: Storage) => void) => Promise<void>;
}

const OTHER_TABLE = /\b(admin|strapi)_\w/;

/** The function sets the response of a query, or throws the database's error. A statement names tables of one database only. */
export function createRunner(model: Model, transactions: AsyncTransactions, openOther: () => OtherDatabase) {
  let tables: Tables | undefined;
  let otherTables: Tables | undefined;
  const run = (query: KnexQuery, own: Tables, storage: Storage): void => {
    const description = describe(query, own, storage);
    if (description) query.response = description;
    else runStatement(query, own, storage);
  };
  const namesOther = ({ sql, bindings }: KnexQuery, own: Tables): boolean => {
    const named = /\bsqlite_master\b/.test(sql) ? String(bindings?.[0]) : sql;
    if (!OTHER_TABLE.test(named) || namedTables(named, own).length > 0) return false;
    otherTables ??= mappedTables(openOther().model);
    return namedTables(named, otherTables).length > 0;
  };
  return (query: KnexQuery, isRead: boolean): Promise<void> | void => {
    tables ??= mappedTables(model);
    if (!namesOther(query, tables)) return run(query, tables, transactions.storage);
    return openOther().run(isRead, (storage) => run(query, otherTables!, storage));
  };
}
