/** A transaction that several writes share, since a commit takes as long as a write. Each of them can fail alone. */
import type { Settle } from "./write-queue.ts";

/** The connection's transactions. */
interface Transactions {
  /** Begins one, if the lock is free. Returns whether it was. */
  readonly begin: () => boolean;
  readonly commit: () => void;
  readonly rollback: () => void;
  /** Runs a statement in the open one. */
  readonly run: (sql: string) => unknown;
  /** An error of the disk may have ended it. */
  readonly isOpen: () => boolean;
}

export class SharedTransaction {
  readonly #transactions: Transactions;
  /** What to tell those that have written. */
  #written: { readonly done: () => void; readonly reject: Settle<never>["reject"] }[] = [];

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  /** Runs a write, whose promise is settled with that of the transaction. Returns false while the lock is taken. */
  run<T>(work: () => T, { resolve, reject }: Settle<T>): boolean {
    const { begin, rollback, run, isOpen } = this.#transactions;
    // a savepoint costs something, and the first one is alone so far
    const isFirst = this.#written.length === 0;
    if (isFirst && !begin()) return false;
    try {
      if (!isFirst) run("SAVEPOINT shared");
      const result = work();
      if (result instanceof Promise) throw new Error("A transaction must not be asynchronous");
      if (!isFirst) run("RELEASE shared");
      this.#written.push({ done: () => resolve(result), reject });
    } catch (error) {
      reject(error);
      if (isFirst) rollback();
      else if (!isOpen()) this.#fail(error);
      else this.#undo("shared");
    }
    return true;
  }

  /** Runs work in the open transaction, and takes it back. */
  rehearse(work: () => unknown): void {
    const { run, isOpen } = this.#transactions;
    run("SAVEPOINT rehearsal");
    try {
      work();
    } finally {
      // a full disk may have ended the transaction
      if (isOpen()) this.#undo("rehearsal");
    }
  }

  #undo(savepoint: "shared" | "rehearsal"): void {
    this.#transactions.run(`ROLLBACK TO ${savepoint}`);
    this.#transactions.run(`RELEASE ${savepoint}`);
  }

  #fail(error: unknown): void {
    this.#transactions.rollback();
    const written = this.#written;
    this.#written = [];
    for (const { reject } of written) reject(error);
  }

  /** Commits what was written. Returns whether there was anything. */
  commit(): boolean {
    if (this.#written.length === 0) return false;
    try {
      this.#transactions.commit();
    } catch (error) {
      this.#fail(error);
      return true;
    }
    const written = this.#written;
    this.#written = [];
    for (const { done } of written) done();
    return true;
  }
}
