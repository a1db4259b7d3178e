/** The open database: transactions and snapshots. */

import { Database } from "bun:sqlite";
import type { AsyncLocalStorage } from "node:async_hooks";
import type { Progress } from "../../lib/progress.ts";
import { CatalogConnection } from "./catalog.ts";
import type { Row } from "./connection.ts";
import { DatabaseFile } from "./database-file.ts";
import { ensureKnownFormat } from "./format.ts";
import { runAtStart } from "./lock-holder.ts";
import type { LongReads } from "./long-reads.ts";
import { PausedSnapshots } from "./paused-snapshots.ts";
import { asProjectError, readOnly, tablesChanged } from "./problems.ts";
import { SharedTransaction } from "./shared-transaction.ts";
import { WriteQueue } from "./write-queue.ts";

export type { Row };

/** Begins a transaction that takes no lock. */
const READS = "BEGIN";

/** In the header of a database's file: how it is written and read. */
const JOURNAL_VERSIONS: readonly [from: number, to: number] = [18, 20];
const ROLLBACK_JOURNAL = 1;

export class Storage extends CatalogConnection {
  #isFrozen = false;
  /** Undefined in memory. */
  #file: DatabaseFile | undefined;
  readonly #shared = new SharedTransaction({
    begin: () => this.#tryBegin(),
    commit: () => this.commit(),
    rollback: () => this.rollback(),
    run: (sql) => this.run(sql),
    isOpen: () => this.db.inTransaction,
  });
  readonly #queue = new WriteQueue(() => this.#shared.commit());
  /** Runs work between two transactions of the connection that writes for this one. */
  #betweenWrites: ((work: () => Promise<void>) => Promise<void>) | undefined;
  /** The connection for which this one writes. */
  #reader: Storage | undefined;
  /** Told how far a change of the tables is. */
  progress: Progress | undefined;
  /** Set where other processes can read the database. */
  createLongReads: (() => LongReads) | undefined;
  #longReads: LongReads | undefined;
  /**
   * For a paused read: those of the connection that serves requests. They may find newer content, of which the snapshot shows
   * what it has. The ids of rows are never used again.
   */
  #lentReads: LongReads | undefined;
  #snapshots: PausedSnapshots<Storage> | undefined;
  /** The asynchronous transaction that is open, and the one that the running code is inside of. */
  #open: symbol | undefined;
  #inside: AsyncLocalStorage<symbol> | undefined;

  /**
   * Opens or creates the file; `:memory:` keeps everything in memory. Throws a ProjectError for a file that cannot be
   * opened, is no database, or was written by a newer Galley.
   */
  static open(file: string): Storage {
    if (file === ":memory:") return new Storage(new Database(file), false);
    let opened: DatabaseFile | undefined;
    try {
      opened = new DatabaseFile(file);
      const { database } = opened;
      runAtStart(() => ensureKnownFormat(database, file));
      const storage = new Storage(database, true);
      opened.expectInPlace();
      storage.#file = opened;
      return storage;
    } catch (error) {
      opened?.database.close();
      throw asProjectError(error, file, true);
    }
  }

  /** A database in memory with the content of `template` (see `snapshot`). */
  static fromSnapshot(template: Uint8Array): Storage {
    // that of a file says that it has a log, which there is none of in memory
    template.fill(ROLLBACK_JOURNAL, ...JOURNAL_VERSIONS);
    return new Storage(Database.deserialize(template), false);
  }

  snapshot(): Uint8Array {
    this.readSnapshot.end();
    return this.db.serialize();
  }

  /** The connection for statements that cannot run in a transaction: the one that reads share has ended. */
  withoutSnapshot(): Database {
    this.readSnapshot.end();
    return this.db;
  }

  /** Whether other processes can read the database, at least later. */
  get hasLongReads(): boolean {
    return this.createLongReads !== undefined || this.#lentReads !== undefined;
  }

  /** Undefined while other processes would read something else: in a transaction, and in a pinned snapshot, unless it is that of a paused read. */
  get longReads(): LongReads | undefined {
    if (this.#lentReads) return this.#lentReads;
    if (this.depth > 0 || this.readSnapshot.isPinned) return undefined;
    this.#longReads ??= this.createLongReads?.();
    return this.#longReads;
  }

  /** For reads that pause, each on a connection of its own; undefined for a database in memory. */
  get snapshots(): PausedSnapshots<Storage> | undefined {
    if (!this.isShared) return undefined;
    this.#snapshots ??= new PausedSnapshots(() => this.#openReader());
    return this.#snapshots;
  }

  /** Throws ServiceUnavailableError while the tables change. */
  async #openReader(): Promise<Storage> {
    const reader = new Storage(new Database(this.db.filename, { readonly: true }), true);
    try {
      // the cache of the connection that serves requests is larger
      reader.db.run("PRAGMA cache_size = -8000");
      await reader.pin();
      reader.loadNumbers();
      reader.#lentReads = this.longReads;
      if (reader.layout !== this.layout) throw tablesChanged();
      return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  /**
   * Lets another connection of this process write for this one: not while a snapshot is pinned, whose readers would not see it.
   * `betweenWrites`: runs work between two transactions of that connection.
   */
  readBeside(writer: Storage, betweenWrites: (work: () => Promise<void>) => Promise<void>): void {
    writer.#reader = this;
    this.#betweenWrites = betweenWrites;
  }

  /**
   * A connection for a long transaction, during which this one serves reads; the caller closes it. Undefined for a database in
   * memory. Throws ServiceUnavailableError while the tables change.
   */
  openBeside(): Storage | undefined {
    if (!this.isShared) return undefined;
    const beside = Storage.open(this.db.filename);
    beside.loadNumbers();
    if (beside.layout === this.layout) return beside;
    beside.close();
    throw tablesChanged();
  }

  override close(): void {
    this.#queue.flush();
    this.#longReads?.close();
    super.close();
  }

  /** Refuses transactions of requests from now on. Internal writes, such as indexes for reads, are still allowed. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /**
   * Runs `work` in a transaction. Calls inside a transaction join it. The write lock is taken at the start, so that no other
   * process writes between the reads and the writes of `work`. Throws when `work` returns a promise, which would outlive the
   * transaction.
   */
  transaction<T>(work: () => T): T {
    if (this.depth > 0) return work();
    if (this.#isFrozen) throw readOnly();
    this.run("BEGIN IMMEDIATE");
    return this.#finish(work);
  }

  /**
   * As `transaction`, for requests: waits for the lock without blocking the process, and shares the transaction of writes that are
   * requested at the same time. Rejects with ServiceUnavailableError after a timeout.
   */
  async write<T>(work: () => T): Promise<T> {
    if (this.#joins) return work();
    if (this.#isFrozen) throw readOnly();
    const { layout } = this;
    return this.#queue.add((settle) =>
      this.#shared.run(() => {
        this.#expectSameTables(layout);
        return work();
      }, settle),
    );
  }

  /** Whether the running code is inside the open transaction; another one may be open, of code that waits for something. */
  get #joins(): boolean {
    return this.depth > 0 && (this.#open === undefined || this.#inside?.getStore() === this.#open);
  }

  /**
   * Throws ServiceUnavailableError if this process or another one has changed the tables, for which a write was prepared. Expects a
   * transaction, in which the version is exact; finding the layout's hash among large settings takes as long as a write.
   */
  #expectSameTables(layout = this.layout): void {
    if (this.layout !== layout) throw tablesChanged();
    const version = this.readSnapshot.version();
    if (version === this.sameTablesAt) return;
    if (this.hasOtherTables()) throw tablesChanged();
    this.sameTablesAt = version;
  }

  /** As `transaction`, if the lock is free. Returns whether `work` was run. */
  tryTransaction(work: () => unknown): boolean {
    if (this.#joins) {
      work();
      return true;
    }
    if (!this.#queue.isFree || !this.begin()) return false;
    this.#finish(() => {
      this.#expectSameTables();
      work();
    });
    return true;
  }

  /**
   * Waits for the lock and begins a transaction, which the caller commits or rolls back. `layout`: of the tables for which it was
   * prepared. Rejects with ServiceUnavailableError after a timeout.
   */
  async beginTransaction(layout = this.layout): Promise<void> {
    await this.#begun("BEGIN IMMEDIATE");
    try {
      this.#expectSameTables(layout);
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Begins a transaction that outlives this call, if no other one is open and the lock is free. */
  #tryBegin(sql?: string, own?: symbol): boolean {
    if (this.#reader?.readSnapshot.isPinned) return false;
    if (sql !== READS) this.#file?.expectInPlace();
    if (!this.begin(sql)) return false;
    this.depth++;
    this.#open = own;
    return true;
  }

  /** As `#tryBegin`, but waits. */
  async #begun(sql: string, own?: symbol): Promise<void> {
    // reads need not wait for the lock
    if ((sql === READS || this.#queue.isEmpty) && this.#tryBegin(sql, own)) return;
    await this.#queue.once(() => this.#tryBegin(sql, own));
  }

  /** Waits until no transaction is open, also of the connection that writes for this one. See `Connection`. */
  override async pin(): Promise<void> {
    // the writes before whose turn it would wait are waiting for `unpin`
    if (this.readSnapshot.isPinned) return;
    const attempt = (): boolean => {
      if (this.depth > 0) return false;
      super.pin();
      return true;
    };
    const pin = async (): Promise<void> => {
      if (!attempt()) await this.#queue.once(attempt);
    };
    await (this.#betweenWrites?.(pin) ?? pin());
  }

  commit(): void {
    this.run("COMMIT");
    this.depth--;
    this.readSnapshot.end();
  }

  rollback(): void {
    this.#rollback();
    this.depth--;
    this.readSnapshot.end();
  }

  #finish<T>(work: () => T): T {
    this.depth++;
    try {
      const result = work();
      if (result instanceof Promise) throw new Error("A transaction must not be asynchronous");
      this.run("COMMIT");
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    } finally {
      this.depth--;
      // others may have written while it waited for the lock
      this.readSnapshot.end();
    }
  }

  /** Never throws, so that the original error is not replaced. */
  #rollback(): void {
    try {
      if (this.db.inTransaction) this.run("ROLLBACK");
    } catch (error) {
      console.error(`galley: a transaction could not be taken back: ${(error as Error).message}`);
    }
  }

  /**
   * Runs an asynchronous transaction. Only for a connection that nobody else uses in the meantime, since every statement
   * on it joins the transaction.
   */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#runAsync("BEGIN IMMEDIATE", work);
  }

  /** Runs asynchronous reads in one snapshot. Only for a connection that nobody else uses in the meantime. */
  snapshotReads<T>(work: () => Promise<T>): Promise<T> {
    return this.#runAsync(READS, work);
  }

  async #runAsync<T>(begin: string, work: () => Promise<T>): Promise<T> {
    if (this.#open !== undefined && this.#joins) throw new Error("A transaction is open already");
    const own = Symbol(begin);
    await this.#begun(begin, own);
    // loaded when needed: most processes have none
    const { AsyncLocalStorage } = require("node:async_hooks") as typeof import("node:async_hooks");
    this.#inside ??= new AsyncLocalStorage();
    try {
      const result = await this.#inside.run(own, work);
      this.run("COMMIT");
      return result;
    } catch (error) {
      // synchronous writes of others may have joined reads
      if (begin === READS && this.db.inTransaction) this.run("COMMIT");
      else this.#rollback();
      throw error;
    } finally {
      this.#open = undefined;
      this.depth--;
      this.readSnapshot.end();
    }
  }

  /** Runs `work` and rolls it back; throws what it throws. It may join a transaction, which continues. */
  rehearse(work: () => unknown): Promise<void> {
    return this.write(() => this.#shared.rehearse(work));
  }
}
