/**
 * `strapi.db.connection`: Knex's query builder on Galley's database. Statements run in the transaction of the calling code, if
 * there is one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Knex } from "knex";
import type { Model } from "../../schema/model.ts";
import type { AsyncTransactions } from "../../storage/async-transactions.ts";
import { prepareStatement } from "./statement.ts";
import { tableInfo } from "./table-info.ts";
import { type MappedTable, mappedTables } from "./tables.ts";

/** A connection in Knex's pool. All of them use the same database. */
interface Handle {
  /** Runs work in the open transaction of this connection. */
  runInside: ((work: () => unknown) => unknown) | undefined;
  end: ((error?: Error) => Promise<void>) | undefined;
}

interface KnexQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { readonly lastID: number; readonly changes: number };
}

class RolledBack extends Error {}

type Value = string | number | bigint | Uint8Array | null;

const toBinding = (value: unknown): Value => {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.getTime();
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "object" && !(value instanceof Uint8Array)) return JSON.stringify(value);
  return value as Value;
};

/** The reference's driver gives errors this name, and no properties but `code`. */
function driverError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "SQLiteError") return error;
  const { code } = error as Error & { readonly code?: unknown };
  const own = Object.assign(new Error(error.message, { cause: error }), { code });
  return Object.defineProperty(own, "name", { value: "SqliteError", configurable: true, writable: true });
}

const TABLE_INFO = /^\s*PRAGMA\s+table_info\s*\(\s*[`"']?([\w$]+)/i;

/** The pool is practically unlimited: connections cost nothing, since all use the same database. */
const POOL = { min: 0, max: 10_000 };

export function createConnection(model: Model, transactions: AsyncTransactions): Knex {
  const { Dialect, makeKnex } = require("./library.ts") as typeof import("./library.ts");
  let tables: ReadonlyMap<string, MappedTable> | undefined;

  function run(query: KnexQuery): void {
    tables ??= mappedTables(model);
    const name = /\bsqlite_master\b/.test(query.sql)
      ? tables.get(String(query.bindings?.[0]).toLowerCase())?.name
      : undefined;
    if (name !== undefined) {
      // the builder checks whether the table exists
      query.response = [{ type: "table", name }];
      return;
    }
    const { storage } = transactions;
    const described = tables.get((TABLE_INFO.exec(query.sql)?.[1] ?? "").toLowerCase());
    if (described) {
      query.response = tableInfo(described, storage);
      return;
    }
    const { sql, isMapped } = prepareStatement(query.sql, tables, storage);
    const statement = storage.db.prepare(sql);
    try {
      const values = (query.bindings ?? []).map(toBinding);
      const totalChanges = () => Number(storage.first("SELECT total_changes()")![0]);
      const before = isMapped ? totalChanges() : 0;
      if (statement.columnNames.length > 0) {
        query.response = statement.all(...values);
        query.context = { lastID: 0, changes: 0 };
        return;
      }
      const { lastInsertRowid, changes } = statement.run(...values);
      query.context = { lastID: Number(lastInsertRowid), changes: isMapped ? totalChanges() - before : changes };
    } finally {
      statement.finalize();
    }
  }

  /** Stays open until it is committed or rolled back. */
  async function begin(handle: Handle): Promise<void> {
    const opened = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const done = transactions.run(async () => {
      handle.runInside = AsyncLocalStorage.snapshot() as Handle["runInside"];
      opened.resolve();
      await ended.promise;
    });
    done.catch(opened.reject);
    handle.end = async (error) => {
      handle.runInside = undefined;
      handle.end = undefined;
      if (error) ended.reject(error);
      else ended.resolve();
      await done.catch((reason: unknown) => {
        if (!(reason instanceof RolledBack)) throw reason;
      });
    };
    await opened.promise;
  }

  async function execute(handle: Handle, query: KnexQuery): Promise<void> {
    const [keyword = ""] = query.sql.trim().toUpperCase().split(/[\s;]/);
    if (keyword === "BEGIN") return begin(handle);
    if (keyword === "COMMIT" || (keyword === "ROLLBACK" && !/\sTO\s/i.test(query.sql)))
      return handle.end?.(keyword === "COMMIT" ? undefined : new RolledBack("The transaction was rolled back"));
    const runInside = handle.runInside;
    if (runInside) return void runInside(() => run(query));
    const isRead = /^(SELECT|WITH|VALUES|PRAGMA|EXPLAIN)$/.test(keyword);
    if (isRead || transactions.isInside) run(query);
    else await transactions.run(async () => run(query));
  }

  class Client extends Dialect {
    _driver(): object {
      return {};
    }

    async acquireRawConnection(): Promise<Handle> {
      return { runInside: undefined, end: undefined };
    }

    async destroyRawConnection({ end }: Handle): Promise<void> {
      await end?.(new RolledBack("The connection was closed"));
    }

    validateConnection(): boolean {
      return true;
    }

    async _query(handle: Handle, query: KnexQuery): Promise<KnexQuery> {
      if (!query.sql) throw new Error("The query is empty");
      try {
        await execute(handle, query);
      } catch (error) {
        throw driverError(error);
      }
      return query;
    }
  }
  const connection = { filename: "galley" };
  return makeKnex(new Client({ client: "sqlite3", connection, useNullAsDefault: true, pool: POOL }));
}
