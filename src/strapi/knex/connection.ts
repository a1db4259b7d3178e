/**
 * `strapi.db.connection`: Knex's query builder on Galley's database. Statements run in the transaction of the calling code, if
 * there is one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Knex } from "knex";
import type { Model } from "../../engine/schema/model.ts";
import { type AsyncTransactions, RolledBack } from "../../engine/storage/async-transactions.ts";
import { postgresqlSyntax } from "./postgresql-syntax.ts";
import { createRunner, type KnexQuery, type OtherDatabase } from "./run-query.ts";
import { splitStatement } from "./split-statement.ts";

/** A connection in Knex's pool. */
interface Handle {
  /** Runs work in the open transaction of this connection. */
  runInside: ((work: () => unknown) => unknown) | undefined;
  end: ((error?: Error) => Promise<void>) | undefined;
}

/** Opens a transaction on a connection until it is committed or rolled back. */
async function begin(transactions: AsyncTransactions, handle: Handle): Promise<void> {
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const done = transactions.run(async () => {
    handle.runInside = AsyncLocalStorage.snapshot();
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

/** As those of Strapi's driver, with this name and no properties but `code`. The cause says what is wrong with SQL of PostgreSQL. */
function driverError(error: unknown, sql: string): unknown {
  if (!(error instanceof Error) || error.name !== "SQLiteError") return error;
  const { code } = error as Error & { readonly code?: unknown };
  const foreign = code === "SQLITE_ERROR" ? postgresqlSyntax(sql) : undefined;
  const reason = foreign && new Error(`${foreign} is PostgreSQL's, and the database is SQLite`, { cause: error });
  const own = Object.assign(new Error(error.message, { cause: reason || error }), { code });
  return Object.defineProperty(own, "name", { value: "SqliteError", configurable: true, writable: true });
}

/** The pool is practically unlimited: connections cost nothing, since all use the same database. */
const POOL = { min: 0, max: 10_000 };

interface Executor {
  readonly transactions: AsyncTransactions;
  readonly run: (query: KnexQuery, isRead: boolean) => Promise<void> | void;
}

async function execute({ transactions, run }: Executor, handle: Handle, query: KnexQuery): Promise<void> {
  const { keyword } = splitStatement(query.sql);
  if (keyword === "BEGIN") return begin(transactions, handle);
  if (keyword === "COMMIT" || (keyword === "ROLLBACK" && !/\sTO\s/i.test(query.sql)))
    return handle.end?.(keyword === "COMMIT" ? undefined : new RolledBack());
  const runInside = handle.runInside;
  const isRead = /^(SELECT|VALUES|PRAGMA|EXPLAIN)$/.test(keyword);
  if (runInside) await runInside(() => run(query, isRead));
  else if (isRead || transactions.isInside) await run(query, isRead);
  else await transactions.run(async () => run(query, isRead));
}

const transacting = new WeakMap<Knex, Knex>();

/**
 * The same connection as Knex's `transacting` takes it: statements run in the transaction of the calling code in any case, which is
 * committed when its function ends.
 */
export function asTransaction(knex: Knex, transactions: AsyncTransactions): Knex {
  const { makeKnex } = require("./library.ts") as typeof import("./library.ts");
  return transacting.getOrInsertComputed(knex, () =>
    Object.assign(
      makeKnex(Object.create(knex.client, { transacting: { value: true }, isOfRunningCode: { value: true } })),
      {
        isTransaction: true,
        isCompleted: () => !transactions.isInside,
        commit: async () => {},
        rollback: async () => transactions.rollBack(),
      },
    ),
  );
}

/** `openOther`: the database that has Strapi's other tables. */
export function createConnection(model: Model, transactions: AsyncTransactions, openOther: () => OtherDatabase): Knex {
  const { Dialect, makeKnex } = require("./library.ts") as typeof import("./library.ts");
  const executor: Executor = { transactions, run: createRunner(model, transactions, openOther) };

  class Client extends Dialect {
    _driver(): object {
      return {};
    }

    async acquireRawConnection(): Promise<Handle> {
      return { runInside: undefined, end: undefined };
    }

    async destroyRawConnection({ end }: Handle): Promise<void> {
      await end?.(new RolledBack());
    }

    validateConnection(): boolean {
      return true;
    }

    async _query(handle: Handle, query: KnexQuery): Promise<KnexQuery> {
      if (!query.sql) throw new Error("The query is empty");
      try {
        await execute(executor, handle, query);
      } catch (error) {
        throw driverError(error, query.sql);
      }
      return query;
    }
  }
  const connection = { filename: "galley" };
  return makeKnex(new Client({ client: "better-sqlite3", connection, useNullAsDefault: true, pool: POOL }));
}
