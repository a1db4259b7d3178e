/** `transactionCtx` of `@strapi/database`: the transaction of the running code, of any project that this process serves. */
import type { Knex } from "knex";
import { type AsyncTransactions, runningTransactions } from "../../engine/storage/async-transactions.ts";

interface TransactionClient {
  readonly transacting?: boolean;
  readonly isOfRunningCode?: boolean;
  readonly acquireConnection: () => Promise<{ readonly runInside: ((work: () => unknown) => unknown) | undefined }>;
}

/** Runs work in a transaction of Knex. Anything else is ignored: code inside a transaction is part of it already. */
export async function insideTransaction<T>(given: unknown, work: () => Promise<T>): Promise<T> {
  const trx = given as (Knex.Transaction & { readonly client: TransactionClient }) | null | undefined;
  if (!trx?.client?.transacting || trx.client.isOfRunningCode) return work();
  if (trx.isCompleted()) throw new Error("Transaction query already complete, run with DEBUG=knex:tx for more info");
  const { runInside } = await trx.client.acquireConnection();
  return runInside ? (runInside(work) as Promise<T>) : work();
}

/** Return the transaction of the running code as Knex has it, by project. */
const handles = new WeakMap<AsyncTransactions, () => Knex>();

export function provideHandle(transactions: AsyncTransactions, handle: () => Knex): void {
  handles.set(transactions, handle);
}

export const transactionCtx = {
  /** As in Strapi, without a transaction the function runs outside of the current one. */
  run: async (trx: unknown, work: () => unknown): Promise<unknown> => {
    const run = async () => work();
    const running = runningTransactions();
    return !trx && running ? running.outside(run) : insideTransaction(trx, run);
  },
  get: (): Knex | undefined => {
    const running = runningTransactions();
    return running?.isInside ? handles.get(running)?.() : undefined;
  },
  commit: async (trx: Knex.Transaction): Promise<void> => {
    if (!trx.isCompleted()) await trx.commit();
  },
  rollback: async (trx: Knex.Transaction): Promise<void> => {
    if (!trx.isCompleted()) await trx.rollback();
  },
  onCommit: (done: () => unknown): void => void runningTransactions()?.onCommit(done),
  onRollback: (done: () => unknown): void => void runningTransactions()?.onRollback(done),
};
