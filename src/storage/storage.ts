/** The open database: statements by their text, transactions, and the numbers that stand for fields and tables in links. */
import { Database } from "bun:sqlite";
import { dirname } from "node:path";
import type { SqlValue } from "../attributes/index.ts";
import { ProjectError } from "../errors.ts";
import { ensurePrivateDatabase, ensurePrivateFolder } from "./private-file.ts";
import { asProjectError, databaseBusy, isBusy, isOutdated, readOnly, tablesChanged } from "./problems.ts";
import { ReadSnapshot } from "./read-snapshot.ts";
import { WriteQueue } from "./write-queue.ts";

/** A row as an array, in the order of the selected columns. */
export type Row = SqlValue[];

/** The key of the tables' layout in `galley_meta`. */
export const LAYOUT = "layout";

/** Raised when tables are stored in a way that an older Galley would misread. */
const FORMAT = 1;

/** How long a statement may stop the process to wait for a lock: at the start, and while requests are answered. */
const START_WAIT_MS = 10_000;
const SERVING_WAIT_MS = 250;

/** A request that was begun before the tables changed has ended after so long. */
const OUTDATED_MS = 30_000;

const waitFor = (milliseconds: number): string => `PRAGMA busy_timeout = ${milliseconds}`;

/** Pragmas in this order: the busy timeout first, since switching to WAL may have to wait for another process. */
const PRAGMAS = [
  waitFor(START_WAIT_MS),
  "PRAGMA journal_mode = WAL",
  // survives a killed process; a power cut may lose the last writes but never damages the file
  "PRAGMA synchronous = NORMAL",
  "PRAGMA journal_size_limit = 67108864",
  // in pages of 4 KB: moving the log into the file waits for the disk, so that it is done once for many writes
  "PRAGMA wal_autocheckpoint = 4000",
  "PRAGMA cache_size = -64000",
  "PRAGMA temp_store = MEMORY",
];

// a write of a document alone runs more different statements than the 20 that are kept by default
Database.MAX_QUERY_CACHE_SIZE = 256;

function openFile(file: string): Database {
  ensurePrivateFolder(dirname(file));
  ensurePrivateDatabase(file);
  return new Database(file, { create: true });
}

export class Storage {
  readonly db: Database;
  /** Statements run since the database was opened; tests count with it. */
  statements = 0;
  readonly #numbers = new Map<string, number>();
  #depth = 0;
  /** Moves with every write of this process. */
  #writes = 0;
  #wait = START_WAIT_MS;
  #isFrozen = false;
  /** The tables, as they are kept in the database. */
  #layout: string | undefined;
  /** When they last changed while they were in use, in milliseconds of `performance.now()`. */
  #changedAt = Number.NEGATIVE_INFINITY;
  readonly #snapshot: ReadSnapshot;
  readonly #queue = new WriteQueue();

  /** `isShared`: other processes may open the database, too. */
  private constructor(db: Database, isShared: boolean) {
    this.db = db;
    this.#snapshot = new ReadSnapshot(db, isShared);
    for (const pragma of PRAGMAS) db.run(pragma);
    db.run("CREATE TABLE IF NOT EXISTS galley_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
    // from now on whoever finds a lock decides how to wait
    db.run(waitFor(0));
  }

  /**
   * Opens or creates the file; `:memory:` keeps everything in memory. Throws a ProjectError for a file that cannot be
   * opened, is no database, or was written by a newer Galley.
   */
  static open(file: string): Storage {
    if (file === ":memory:") return new Storage(new Database(file), false);
    let db: Database | undefined;
    try {
      db = openFile(file);
      const [[format]] = db.query("PRAGMA user_version").values() as [[number]];
      if (format > FORMAT) throw new ProjectError(file, undefined, "was written by a newer Galley; use that one");
      return new Storage(db, true);
    } catch (error) {
      db?.close();
      throw asProjectError(error, file);
    }
  }

  /** A database in memory with the content of `template` (see `snapshot`). */
  static fromSnapshot(template: Uint8Array): Storage {
    return new Storage(Database.deserialize(template), false);
  }

  snapshot(): Uint8Array {
    this.#snapshot.end();
    return this.db.serialize();
  }

  /** From now on requests are answered: no statement stops the process for long. */
  serve(): void {
    this.#wait = SERVING_WAIT_MS;
  }

  /**
   * From now on transactions of requests are refused. What the storage writes for itself, such as indexes for reads, goes
   * on.
   */
  freeze(): void {
    this.#isFrozen = true;
  }

  all(sql: string, params: readonly SqlValue[] = []): Row[] {
    this.statements++;
    try {
      return this.db.query<unknown, SqlValue[]>(sql).values(...params) as Row[];
    } catch (error) {
      return this.#retry(error, () => this.db.query<unknown, SqlValue[]>(sql).values(...params) as Row[]);
    }
  }

  first(sql: string, params: readonly SqlValue[] = []): Row | undefined {
    return this.all(sql, params)[0];
  }

  /** Runs a statement that changes something; returns the id of the last inserted row and the number of changed rows. */
  run(sql: string, params: readonly SqlValue[] = []): { id: number; changes: number } {
    if (this.#depth === 0) this.#startWriting();
    this.statements++;
    this.#writes++;
    const statement = () => this.db.query<unknown, SqlValue[]>(sql).run(...params);
    let done: { lastInsertRowid: number | bigint; changes: number };
    try {
      done = statement();
    } catch (error) {
      done = this.#retry(error, statement);
    }
    return { id: Number(done.lastInsertRowid), changes: done.changes };
  }

  /** Runs a statement that found a lock again, and stops the process until the lock is gone or it was long enough. */
  #retry<T>(error: unknown, statement: () => T): T {
    if (isOutdated(error) && performance.now() - this.#changedAt < OUTDATED_MS) throw tablesChanged();
    if (!isBusy(error)) throw error;
    this.db.run(waitFor(this.#wait));
    try {
      return statement();
    } catch (last) {
      throw isBusy(last) ? databaseBusy() : last;
    } finally {
      this.db.run(waitFor(0));
    }
  }

  #startWriting(): void {
    if (this.#snapshot.isPinned) throw databaseBusy();
    this.#snapshot.end();
  }

  /**
   * All of `work` or nothing. Calls inside a transaction join it. The lock is taken at the start, so that what the
   * work reads is still true when it writes. Throws when `work` returns a promise: it would outlive the transaction.
   */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    if (this.#isFrozen) throw readOnly();
    this.run("BEGIN IMMEDIATE");
    return this.#finish(work);
  }

  /**
   * As `transaction`, for requests: waits for the lock without stopping others. Rejects with ServiceUnavailableError when
   * the lock is not there in time.
   */
  async write<T>(work: () => T): Promise<T> {
    if (this.#depth > 0) return work();
    if (this.#isFrozen) throw readOnly();
    if (this.#queue.isFree && this.#begin()) return this.#queue.timed(() => this.#finish(work));
    const layout = this.#layout;
    return this.#queue.add(() => {
      // what was prepared for other tables must not write to these
      if (this.#layout !== layout) throw tablesChanged();
      return this.#begin() ? { result: this.#queue.timed(() => this.#finish(work)) } : undefined;
    });
  }

  /** As `transaction`, if the lock is there; otherwise nothing is done. Returns whether it was. */
  tryTransaction(work: () => unknown): boolean {
    if (this.#depth > 0) {
      work();
      return true;
    }
    if (!this.#queue.isFree || !this.#begin()) return false;
    this.#finish(work);
    return true;
  }

  /**
   * Begins a transaction that is bound to no function, once the lock is there; the caller commits it or rolls it back.
   * Rejects with ServiceUnavailableError when the lock is not there in time.
   */
  async open(): Promise<void> {
    if (!(this.#queue.isFree && this.#begin())) {
      await this.#queue.add(() => (this.#begin() ? { result: undefined } : undefined));
    }
    this.#depth++;
  }

  commit(): void {
    this.run("COMMIT");
    this.#depth--;
    this.#snapshot.end();
  }

  rollback(): void {
    this.#rollback();
    this.#depth--;
    this.#snapshot.end();
  }

  /** Another connection of this process has changed the content. */
  touch(): void {
    this.#writes++;
    this.#snapshot.end();
  }

  /** Begins a transaction, if nobody else is writing. */
  #begin(): boolean {
    if (this.#snapshot.isPinned) return false;
    this.#snapshot.end();
    this.statements++;
    this.#writes++;
    try {
      this.db.query("BEGIN IMMEDIATE").run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  #finish<T>(work: () => T): T {
    this.#depth++;
    try {
      const result = work();
      if (result instanceof Promise) throw new Error("A transaction must not be asynchronous");
      this.run("COMMIT");
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    } finally {
      this.#depth--;
      // it may have waited for the lock while others wrote
      this.#snapshot.end();
    }
  }

  /** Never throws: the error that led here matters more. */
  #rollback(): void {
    try {
      if (this.db.inTransaction) this.run("ROLLBACK");
    } catch (error) {
      console.error(`galley: a transaction could not be taken back: ${(error as Error).message}`);
    }
  }

  /**
   * An asynchronous transaction, for a connection that nobody else uses meanwhile: whatever runs on it joins. Rolls back
   * and throws what `work` throws.
   */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#hold("BEGIN IMMEDIATE", work);
  }

  /** Everything that `work` reads is of one moment; for a connection that nobody else uses meanwhile. */
  snapshotReads<T>(work: () => Promise<T>): Promise<T> {
    return this.#hold("BEGIN", work);
  }

  async #hold<T>(begin: string, work: () => Promise<T>): Promise<T> {
    if (this.#depth > 0) throw new Error("A transaction is open already");
    this.run(begin);
    this.#depth++;
    try {
      const result = await work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    } finally {
      this.#depth--;
      this.#snapshot.end();
    }
  }

  /** Runs `work` and takes back all that it did; throws what it throws. */
  async rehearse(work: () => unknown): Promise<void> {
    const done = new Error("rehearsed");
    try {
      await this.write(() => {
        work();
        throw done;
      });
    } catch (error) {
      if (error !== done) throw error;
    }
  }

  /** Different whenever content may have changed, by this process or another. */
  version(): string {
    return `${this.#writes}.${this.#snapshot.hold(this.#depth > 0)}`;
  }

  /** Reads from one snapshot until the next write or the end of the current microtask. */
  hold(): void {
    this.#snapshot.hold(this.#depth > 0);
  }

  /** Reads what is there now, and writes nothing, until `unpin`: another process changes the tables in the meantime. */
  pin(): void {
    this.#snapshot.pin();
  }

  unpin(): void {
    this.#snapshot.unpin();
  }

  /** Marks the database as one that this version has written. */
  setFormat(): void {
    this.run(`PRAGMA user_version = ${FORMAT}`);
  }

  meta(key: string): string | undefined {
    return this.first("SELECT value FROM galley_meta WHERE key = ?", [key])?.[0] as string | undefined;
  }

  setMeta(key: string, value: string): void {
    this.run("INSERT INTO galley_meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", [
      key,
      value,
    ]);
  }

  /** The keys that start with `prefix`. */
  metaKeys(prefix: string): readonly string[] {
    const sql = "SELECT key FROM galley_meta WHERE key >= ?1 AND key < ?1 || char(1114111)";
    return this.all(sql, [prefix]).map(([key]) => key as string);
  }

  dropMeta(key: string): void {
    this.run("DELETE FROM galley_meta WHERE key = ?", [key]);
  }

  /** Called when the tables may have changed. Takes over the numbers that the database has for fields and tables. */
  loadNumbers(): void {
    const layout = this.meta(LAYOUT) ?? "";
    if (this.#layout !== undefined && this.#layout !== layout) this.#changedAt = performance.now();
    this.#layout = layout;
    this.#numbers.clear();
    for (const [id, name] of this.all("SELECT id, name FROM galley_names"))
      this.#numbers.set(name as string, id as number);
  }

  /** The number that stands for a link's field, or for a table as the kind of a polymorphic target. */
  number(name: string): number {
    const number = this.#numbers.get(name);
    if (number === undefined) throw new Error(`The database has no number for ${name}`);
    return number;
  }

  nameOf(number: number): string | undefined {
    for (const [name, id] of this.#numbers) if (id === number) return name;
    return undefined;
  }

  /** Releases pages of the file that are kept in memory. */
  trim(): void {
    this.db.query("PRAGMA shrink_memory").run();
  }

  close(): void {
    this.#snapshot.unpin();
    this.db.close();
  }
}
