/** `strapi.db.transaction`. */
import type { Knex } from "knex";
import { type AsyncTransactions, RolledBack } from "../../engine/storage/async-transactions.ts";
import { provideHandle } from "../packages/transaction-context.ts";

export interface TransactionHandle {
  readonly trx: unknown;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  readonly onCommit: (done: () => unknown) => void;
  readonly onRollback: (done: () => unknown) => void;
}

type Connection = () => unknown;

/** Opens a transaction until `commit` or `rollback` is called. `get()` is Knex's: it runs statements inside. */
async function openTransaction(connection: Connection): Promise<unknown> {
  const trx = await (connection() as Knex).transaction();
  return {
    commit: async () => void (await trx.commit()),
    rollback: async () => void (await trx.rollback()),
    get: () => trx,
  };
}

/** The function runs another one in a transaction. Without one, it opens a transaction that the caller ends. */
export function createTransaction(transactions: AsyncTransactions, connection: Connection) {
  const createHandle = (): Knex => {
    const { asTransaction } = require("../knex/connection.ts") as typeof import("../knex/connection.ts");
    return asTransaction(connection() as Knex, transactions);
  };
  provideHandle(transactions, createHandle);
  return async (work?: (handle: TransactionHandle) => unknown): Promise<unknown> => {
    if (!work) return openTransaction(connection);
    let isRolledBack = false;
    let result: unknown;
    const run = async (): Promise<void> => {
      const handle: TransactionHandle = {
        get trx() {
          return createHandle();
        },
        commit: async () => {},
        rollback: async () => {
          isRolledBack = true;
        },
        onCommit: (done) => void transactions.onCommit(done),
        onRollback: (done) => void transactions.onRollback(done),
      };
      result = await work(handle);
      if (isRolledBack) throw new RolledBack();
    };
    // as in Strapi, a rollback that the function asks for is no error
    await transactions.run(run).catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    return result;
  };
}
