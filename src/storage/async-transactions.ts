/**
 * Transactions that wait for asynchronous code, on a connection of their own: reads go on beside them, since SQLite's log
 * keeps what was committed before. One is open at a time; other writes wait for the lock of the database.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Storage } from "./storage.ts";

/** A transaction, or one inside another, as the code that runs in it sees it. */
interface Scope {
  readonly parent: Scope | undefined;
  state: "open" | "ended" | "cut off";
  /** The last of the transactions inside this one: they follow each other, as savepoints have to. */
  last: Promise<unknown>;
  readonly committed: (() => unknown)[];
  readonly rolledBack: (() => unknown)[];
}

export class CutOffError extends Error {
  override readonly name = "CutOffError";
}

const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => {});

export class AsyncTransactions {
  readonly #main: Storage;
  readonly #writer: Storage;
  readonly #limitMs: number;
  readonly #scopes = new AsyncLocalStorage<Scope>();
  #last: Promise<unknown> = Promise.resolve();
  #savepoints = 0;

  /** `limitMs`: a transaction that takes longer is rolled back. */
  constructor(main: Storage, writer: Storage, limitMs: number) {
    this.#main = main;
    this.#writer = writer;
    this.#limitMs = limitMs;
  }

  /** The connection to use now: the transaction's inside of one. Throws in code that was cut off. */
  get storage(): Storage {
    return this.#scope() ? this.#writer : this.#main;
  }

  /** Whether the code that runs now is inside a transaction. */
  get isInside(): boolean {
    return this.#scope() !== undefined;
  }

  #scope(): Scope | undefined {
    let scope = this.#scopes.getStore();
    while (scope && scope.state !== "open") {
      if (scope.state === "cut off") throw new CutOffError("The transaction took too long and was rolled back");
      // code that outlives its transaction goes on without one, or in the one around it
      scope = scope.parent;
    }
    return scope;
  }

  /** All of `work` or nothing of it. Inside a transaction, it is a part of that one that can fail alone. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#scope();
    return outer ? this.#inside(outer, work) : this.#turn(() => this.#outermost(work));
  }

  /** Calls `done` when the transaction around the running code is committed; returns false outside of one. */
  onCommit(done: () => unknown): boolean {
    return this.#remember("committed", done);
  }

  onRollback(done: () => unknown): boolean {
    return this.#remember("rolledBack", done);
  }

  #remember(list: "committed" | "rolledBack", done: () => unknown): boolean {
    let scope = this.#scope();
    while (scope?.parent) scope = scope.parent;
    scope?.[list].push(done);
    return scope !== undefined;
  }

  async #turn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      await before;
      return await work();
    } finally {
      resolve();
    }
  }

  async #outermost<T>(work: () => Promise<T>): Promise<T> {
    const scope = this.#open(undefined);
    await this.#writer.open();
    let result: T;
    try {
      result = await this.#limited(scope, work);
      // transactions inside that nobody has waited for belong to this one
      await settled(scope.last);
      this.#writer.commit();
    } catch (error) {
      if (scope.state === "open") scope.state = "ended";
      this.#writer.rollback();
      for (const done of scope.rolledBack) await done();
      throw error;
    }
    scope.state = "ended";
    this.#main.touch();
    for (const done of scope.committed) await done();
    return result;
  }

  #open(parent: Scope | undefined): Scope {
    return { parent, state: "open", last: Promise.resolve(), committed: [], rolledBack: [] };
  }

  async #limited<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        scope.state = "cut off";
        reject(new CutOffError(`A write waited for the project's code for more than ${this.#limitMs} ms`));
      }, this.#limitMs);
    });
    try {
      return await Promise.race([this.#scopes.run(scope, work), limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  #inside<T>(outer: Scope, work: () => Promise<T>): Promise<T> {
    const mine = outer.last.then(async () => {
      const scope = this.#open(outer);
      const name = `nested_${++this.#savepoints}`;
      this.#writer.run(`SAVEPOINT ${name}`);
      try {
        const result = await this.#scopes.run(scope, work);
        this.#writer.run(`RELEASE ${name}`);
        return result;
      } catch (error) {
        if (this.#writer.db.inTransaction) {
          this.#writer.run(`ROLLBACK TO ${name}`);
          this.#writer.run(`RELEASE ${name}`);
        }
        throw error;
      } finally {
        scope.state = "ended";
      }
    });
    outer.last = settled(mine);
    return mine;
  }

  /** The tables have changed. */
  refresh(): void {
    this.#writer.loadNumbers();
  }

  close(): void {
    this.#writer.close();
  }
}
