/** `strapi.db.transaction`. */
import type { AsyncTransactions } from "../../storage/async-transactions.ts";

export interface TransactionHandle {
  readonly trx: unknown;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  readonly onCommit: (done: () => unknown) => void;
  readonly onRollback: (done: () => unknown) => void;
}

class RolledBack extends Error {}

/** Opens a transaction until `commit` or `rollback` is called. */
function openTransaction(transactions: AsyncTransactions, connection: () => unknown): Promise<unknown> {
  const opened = Promise.withResolvers<unknown>();
  const end = Promise.withResolvers<void>();
  const done = transactions.run(async () => {
    opened.resolve({
      commit: async () => {
        end.resolve();
        await done;
      },
      rollback: async () => {
        end.reject(new RolledBack("The transaction was rolled back"));
        await done.catch((error: unknown) => {
          if (!(error instanceof RolledBack)) throw error;
        });
      },
      get: () => connection(),
    });
    await end.promise;
  });
  // reported by commit and rollback
  done.catch(opened.reject);
  return opened.promise;
}

/** The function runs another one in a transaction. Without one, it opens a transaction that the caller ends. */
export const createTransaction =
  (transactions: AsyncTransactions, connection: () => unknown) =>
  async (work?: (handle: TransactionHandle) => unknown): Promise<unknown> => {
    if (!work) return openTransaction(transactions, connection);
    let isRolledBack = false;
    let result: unknown;
    const run = async (): Promise<void> => {
      const handle: TransactionHandle = {
        get trx() {
          return connection();
        },
        commit: async () => {},
        rollback: async () => {
          isRolledBack = true;
        },
        onCommit: (done) => void transactions.onCommit(done),
        onRollback: (done) => void transactions.onRollback(done),
      };
      result = await work(handle);
      if (isRolledBack) throw new RolledBack("The transaction was rolled back");
    };
    // as in the reference, a rollback that the function asks for is no error
    await transactions.run(run).catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    return result;
  };
