/**
 * Transactions around asynchronous code, on a separate connection. Reads continue on the main one, since SQLite's log
 * (WAL) has the committed content. One is open at a time; other writes wait for the database's lock.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { withTimeout } from "../../lib/with-timeout.ts";
import type { Storage } from "./storage.ts";

/** An open transaction or savepoint, found by async context. */
interface Scope {
  readonly parent: Scope | undefined;
  /** The transaction around all savepoints. */
  readonly outermost: Scope | undefined;
  readonly depth: number;
  state: "open" | "ended" | "cut off";
  /** Whether the transaction is rolled back when its work is done. */
  rollsBack: boolean;
  /** The last nested transaction. They run one after the other, since savepoints are a stack. */
  lastNested: Promise<unknown>;
  readonly committed: (() => unknown)[];
  readonly rolledBack: (() => unknown)[];
}

export class CutOffError extends Error {
  override readonly name = "CutOffError";
}

/** The end of a transaction that code has rolled back. */
export class RolledBack extends Error {
  constructor() {
    super("The transaction was rolled back");
  }
}

/** The limit for writes inside of writes: deeper ones are a recursion without an end. */
const MAX_DEPTH = 200;
/** Work that only writes never waits for input: after this number of writes, timers and requests get a turn. */
const RUNS_PER_TURN = 50;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => {});

/** Whose transaction the running code was called in: one process may serve several projects. */
const running = new AsyncLocalStorage<AsyncTransactions>();

export const runningTransactions = (): AsyncTransactions | undefined => running.getStore();

export class AsyncTransactions {
  readonly #main: Storage;
  readonly #writer: Storage;
  readonly #limitMs: number;
  readonly #scopes = new AsyncLocalStorage<Scope>();
  #last: Promise<unknown> = Promise.resolve();
  #savepoints = 0;
  #runs = 0;

  /** `limitMs`: a transaction that takes longer is rolled back. */
  constructor(main: Storage, writer: Storage, limitMs: number) {
    this.#main = main;
    this.#writer = writer;
    main.readBeside(writer, (work) => this.#runInTurn(work));
    this.#limitMs = limitMs;
  }

  /** The connection for the running code: the transaction's, inside one. Throws in code whose transaction timed out. */
  get storage(): Storage {
    return this.#scope() ? this.#writer : this.#main;
  }

  /** Whether the running code is inside a transaction. */
  get isInside(): boolean {
    return this.#scope() !== undefined;
  }

  #scope(): Scope | undefined {
    let scope = this.#scopes.getStore();
    if ((scope?.outermost ?? scope)?.state === "cut off")
      throw new CutOffError("The transaction took too long and was rolled back");
    while (scope && scope.state !== "open") {
      // code that outlives its transaction continues in the outer one, if any
      scope = scope.parent;
    }
    return scope;
  }

  /** Runs `work` in a transaction; inside a transaction, as a savepoint that can be rolled back alone. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#scope();
    if (outer && outer.depth >= MAX_DEPTH)
      return Promise.reject(new Error(`Writes call each other more than ${MAX_DEPTH} levels deep`));
    return outer ? this.#runNested(outer, work) : this.#runOutermost(work);
  }

  /** Calls `done` after the current transaction has been committed; returns false outside of a transaction. */
  onCommit(done: () => unknown): boolean {
    return this.#addCallback("committed", done);
  }

  onRollback(done: () => unknown): boolean {
    return this.#addCallback("rolledBack", done);
  }

  /** Rolls the current transaction back, with those around it, when its work is done. */
  rollBack(): void {
    const scope = this.#scope();
    if (scope) (scope.outermost ?? scope).rollsBack = true;
  }

  /** Runs work outside of the current transaction. Its writes begin when that has ended. */
  outside<T>(work: () => T): T {
    return running.exit(() => this.#scopes.exit(work));
  }

  #addCallback(list: "committed" | "rolledBack", done: () => unknown): boolean {
    let scope = this.#scope();
    while (scope?.parent) scope = scope.parent;
    scope?.[list].push(done);
    return scope !== undefined;
  }

  async #runInTurn<T>(work: () => Promise<T>): Promise<T> {
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      await previous;
      await this.#giveTurn();
      return await work();
    } finally {
      resolve();
    }
  }

  #giveTurn(): Promise<void> | undefined {
    return ++this.#runs % RUNS_PER_TURN === 0 ? turn() : undefined;
  }

  async #runOutermost<T>(work: () => Promise<T>): Promise<T> {
    const scope = this.#open(undefined);
    const { layout } = this.#writer;
    // callbacks begin before the next transaction, which does not wait for their end, since they may write
    const done: Promise<unknown>[] = [];
    const call = (callbacks: Scope["committed"]): void =>
      void done.push(...callbacks.map(async (callback) => callback()));
    try {
      return await this.#runInTurn(async () => {
        await this.#writer.beginTransaction(layout);
        return await this.#transact(scope, work, call);
      });
    } finally {
      await Promise.all(done);
    }
  }

  async #transact<T>(scope: Scope, work: () => Promise<T>, call: (callbacks: Scope["committed"]) => void): Promise<T> {
    let result: T;
    try {
      result = await this.#limited(scope, work);
      // wait for nested transactions that the code has not awaited
      await settled(scope.lastNested);
      if (scope.rollsBack) throw new RolledBack();
      this.#writer.commit();
    } catch (error) {
      if (scope.state === "open") scope.state = "ended";
      this.#writer.rollback();
      call(scope.rolledBack);
      throw error;
    }
    scope.state = "ended";
    this.#main.touch();
    call(scope.committed);
    return result;
  }

  #open(parent: Scope | undefined): Scope {
    return {
      parent,
      outermost: parent?.outermost ?? parent,
      depth: (parent?.depth ?? 0) + 1,
      state: "open",
      rollsBack: false,
      lastNested: Promise.resolve(),
      committed: [],
      rolledBack: [],
    };
  }

  #limited<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    const ended = running.run(this, () => this.#scopes.run(scope, work));
    return withTimeout(ended, this.#limitMs, () => {
      scope.state = "cut off";
      throw new CutOffError(`A write waited for asynchronous work for more than ${this.#limitMs} ms`);
    });
  }

  #runNested<T>(outer: Scope, work: () => Promise<T>): Promise<T> {
    const nested = outer.lastNested.then(async () => {
      await this.#giveTurn();
      // it may have been cut off meanwhile
      this.#scope();
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
    outer.lastNested = settled(nested);
    return nested;
  }

  /** Called when the tables have changed. */
  refresh(): void {
    this.#writer.loadNumbers();
  }

  close(): void {
    this.#writer.close();
  }
}
