/** Runs the statements of Knex on Galley's database. */
import type { Model } from "../../engine/schema/model.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { Value } from "./conflicts.ts";
import { prepareStatement } from "./statement.ts";
import { tableInfo } from "./table-info.ts";
import { type MappedTable, mappedTables } from "./tables.ts";
import { WRITTEN } from "./write-triggers.ts";

export interface KnexQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { readonly lastID: number; readonly changes: number };
}

type Tables = ReadonlyMap<string, MappedTable>;

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

/** The last id, and the number of rows. */
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

/** The function sets the response of a query, or throws the database's error. */
export function createRunner(model: Model, transactions: AsyncTransactions): (query: KnexQuery) => void {
  let tables: Tables | undefined;
  return (query) => {
    tables ??= mappedTables(model);
    const { storage } = transactions;
    const description = describe(query, tables, storage);
    if (description) query.response = description;
    else runStatement(query, tables, storage);
  };
}
