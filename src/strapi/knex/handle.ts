/** The connections in Knex's pool, which all use the same database, and their transactions. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type AsyncTransactions, RolledBack } from "../../engine/storage/async-transactions.ts";

/** A connection in Knex's pool. */
export interface Handle {
  /** Runs work in the open transaction of this connection. */
  runInside: ((work: () => unknown) => unknown) | undefined;
  end: ((error?: Error) => Promise<void>) | undefined;
}

/** Opens a transaction on a connection until it is committed or rolled back. */
export async function begin(transactions: AsyncTransactions, handle: Handle): Promise<void> {
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
