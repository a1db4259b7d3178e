/** `strapi.db.transaction`. */
import type { Knex } from "knex";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";

export interface TransactionHandle {
  readonly trx: unknown;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  readonly onCommit: (done: () => unknown) => void;
  readonly onRollback: (done: () => unknown) => void;
}

class RolledBack extends Error {}

/** Opens a transaction until `commit` or `rollback` is called. `get()` is Knex's: it runs statements inside. */
async function openTransaction(connection: () => unknown): Promise<unknown> {
  const trx = await (connection() as Knex).transaction();
  return {
    commit: async () => void (await trx.commit()),
    rollback: async () => void (await trx.rollback()),
    get: () => trx,
  };
}

/** The function runs another one in a transaction. Without one, it opens a transaction that the caller ends. */
export const createTransaction =
  (transactions: AsyncTransactions, connection: () => unknown) =>
  async (work?: (handle: TransactionHandle) => unknown): Promise<unknown> => {
    if (!work) return openTransaction(connection);
    let isRolledBack = false;
    let result: unknown;
    const run = async (): Promise<void> => {
      const handle: TransactionHandle = {
        get trx() {
          const { asTransaction } = require("../knex/connection.ts") as typeof import("../knex/connection.ts");
          return asTransaction(connection() as Knex);
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
    // as in Strapi, a rollback that the function asks for is no error
    await transactions.run(run).catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    return result;
  };
