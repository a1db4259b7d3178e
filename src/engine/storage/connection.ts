/** A connection to the database: cached statements, and retries while another process holds the lock. */
import { Database } from "bun:sqlite";
import type { SqlValue } from "../attributes/index.ts";
import { LockWait } from "./lock-holder.ts";
import { databaseBusy, isBusy, isOutdated, tablesChanged } from "./problems.ts";
import { ReadSnapshot } from "./read-snapshot.ts";

/** A row as an array, in the order of the selected columns. */
export type Row = SqlValue[];

/** How long a statement may block the process while it waits for a lock: at startup, and while requests are served. */
const START_WAIT_MS = 10_000;
const SERVING_WAIT_MS = 250;

/** The maximum duration of a request that began before the tables changed. */
const OUTDATED_MS = 30_000;

const waitFor = (milliseconds: number): string => `PRAGMA busy_timeout = ${milliseconds}`;

/** Pragmas in this order: the busy timeout first, since switching to WAL may have to wait for another process. */
const PRAGMAS = [
  waitFor(START_WAIT_MS),
  "PRAGMA journal_mode = WAL",
  // survives a killed process; a power cut may lose the last writes but never damages the file
  "PRAGMA synchronous = NORMAL",
  "PRAGMA journal_size_limit = 67108864",
  // in pages of 4 KB: a checkpoint waits for the disk, so it should serve many writes
  "PRAGMA wal_autocheckpoint = 4000",
  "PRAGMA cache_size = -40000",
  "PRAGMA temp_store = MEMORY",
  // rows that REPLACE removes fire triggers, too
  "PRAGMA recursive_triggers = ON",
];

// the default cache of 20 statements is too small for a single write
Database.MAX_QUERY_CACHE_SIZE = 256;
/** Longer texts come from unusual filters. Outside of the heap, a statement takes about 25 times its text. */
const MAX_CACHED_TEXT = 4_096;

export class Connection {
  readonly db: Database;
  /** Statements run since the database was opened; tests count with it. */
  statements = 0;
  #recorded: string[] | undefined;
  /** Nesting depth of transactions; inner ones join the outermost. */
  protected depth = 0;
  isClosed = false;
  /** The number of writes by this process. */
  #writes = 0;
  #version = { own: -1, others: -1, text: "" };
  /** By what makes them. */
  #ofVersion = new WeakMap<() => unknown, { readonly version: string; readonly value: unknown }>();
  #wait = START_WAIT_MS;
  /** When the tables last changed while they were in use, in milliseconds of `performance.now()`. */
  protected changedAt = Number.NEGATIVE_INFINITY;
  protected readonly readSnapshot: ReadSnapshot;
  protected readonly isShared: boolean;

  /** `isShared`: other processes may use the database. */
  protected constructor(db: Database, isShared: boolean) {
    this.db = db;
    this.isShared = isShared;
    this.readSnapshot = new ReadSnapshot(db, isShared);
    for (const pragma of PRAGMAS) db.run(pragma);
    db.run("CREATE TABLE IF NOT EXISTS galley_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
    // from now on, callers decide how to wait for a lock
    db.run(waitFor(0));
  }

  /** Called before requests are served: from now on, statements block the process for a short time only, and snapshots are kept. */
  serve(): void {
    this.#wait = SERVING_WAIT_MS;
    this.readSnapshot.keep();
  }

  /** The database, for code that may run any statement on it: no snapshot is open in its turn. */
  lend(): Database {
    this.readSnapshot.keepNoLonger();
    return this.db;
  }

  /** Runs `work`, and returns the reading statements of this connection meanwhile. */
  async recordReads<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly statements: readonly string[] }> {
    const statements: string[] = [];
    this.#recorded = statements;
    try {
      return { result: await work(), statements };
    } finally {
      this.#recorded = undefined;
    }
  }

  all(sql: string, params: readonly SqlValue[] = []): Row[] {
    this.refresh();
    this.statements++;
    this.#recorded?.push(sql);
    try {
      return this.#rows(sql, params);
    } catch (error) {
      return this.#retry(error, () => this.#rows(sql, params));
    }
  }

  #rows(sql: string, params: readonly SqlValue[]): Row[] {
    if (sql.length <= MAX_CACHED_TEXT) return this.db.query<unknown, SqlValue[]>(sql).values(...params) as Row[];
    // finalized at once: the collector does not see what it takes
    using statement = this.db.prepare<unknown, SqlValue[]>(sql);
    return statement.values(...params) as Row[];
  }

  first(sql: string, params: readonly SqlValue[] = []): Row | undefined {
    return this.all(sql, params)[0];
  }

  /** Runs a writing statement; returns the id of the last inserted row and the number of changed rows. */
  run(sql: string, params: readonly SqlValue[] = []): { id: number; changes: number } {
    const { lastInsertRowid, changes } = this.#write(() => this.db.query<unknown, SqlValue[]>(sql).run(...params));
    return { id: Number(lastInsertRowid), changes };
  }

  /** Runs a writing statement with RETURNING; returns the rows. */
  returning(sql: string, params: readonly SqlValue[]): Row[] {
    return this.#write(() => this.db.query<unknown, SqlValue[]>(sql).values(...params)) as Row[];
  }

  #write<T>(statement: () => T): T {
    if (this.depth === 0) this.#startWriting();
    this.statements++;
    this.#writes++;
    let done: T;
    try {
      done = statement();
    } catch (error) {
      done = this.#retry(error, statement);
    }
    if (!this.db.inTransaction) this.readSnapshot.countCommit();
    return done;
  }

  /**
   * Runs a statement again that failed because of a lock, and blocks the process until the lock is free or a timeout. At startup the
   * time begins anew while the holder of the lock works.
   */
  #retry<T>(error: unknown, statement: () => T): T {
    if (isOutdated(error) && (performance.now() - this.changedAt < OUTDATED_MS || this.hasOtherTables()))
      throw tablesChanged();
    if (!isBusy(error)) throw error;
    const wait = new LockWait(this.db.filename, this.#wait);
    this.db.run(waitFor(wait.sliceMs));
    try {
      for (;;) {
        try {
          return statement();
        } catch (last) {
          if (!isBusy(last)) throw last;
          if (this.#wait === SERVING_WAIT_MS || !wait.goesOn()) throw databaseBusy(wait.holder);
        }
      }
    } finally {
      this.db.run(waitFor(0));
    }
  }

  /** Whether another process has changed the tables since this one loaded them. */
  protected hasOtherTables(): boolean {
    return false;
  }

  #startWriting(): void {
    if (this.readSnapshot.isPinned) throw databaseBusy();
    this.readSnapshot.end();
  }

  /** Called when another connection of this process has changed the content. */
  touch(): void {
    this.#writes++;
    this.readSnapshot.end();
  }

  /** Begins a transaction, if the lock is free and none is open. `sql`: for one that takes the lock. */
  protected begin(sql = "BEGIN IMMEDIATE"): boolean {
    if (this.depth > 0 || this.readSnapshot.isPinned) return false;
    this.readSnapshot.end();
    this.statements++;
    this.#writes++;
    try {
      this.db.query(sql).run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** Changes when another process may have written. */
  othersVersion(): number {
    return this.readSnapshot.version();
  }

  /** A cache key that changes whenever content may have changed, by this process or another. */
  version(): string {
    const own = this.#writes;
    const others = this.readSnapshot.version();
    // the same string again is compared without reading it
    if (own !== this.#version.own || others !== this.#version.others)
      this.#version = { own, others, text: `${own}.${others}` };
    return this.#version.text;
  }

  /** See `perVersion`. */
  ofVersion<T>(make: () => T): T {
    const version = this.version();
    const cached = this.#ofVersion.get(make);
    if (cached?.version === version) return cached.value as T;
    const value = make();
    this.#ofVersion.set(make, { version, value });
    return value;
  }

  /** Changes the version, since results depend on something else that has changed. */
  invalidate(): void {
    this.#writes++;
  }

  /** Runs work that changes no content, such as that on an index: what was read before is still valid for others. */
  keepingVersion<T>(work: () => T): T {
    const writes = this.#writes;
    try {
      return work();
    } finally {
      this.#writes = writes;
    }
  }

  /** Whether a transaction is open on this connection. */
  get isWriting(): boolean {
    return this.depth > 0;
  }

  /** Reads from one snapshot until the next write or the end of the current microtask. */
  hold(): void {
    this.readSnapshot.hold(this.depth > 0);
  }

  /** Called before a read: a snapshot of earlier microtasks goes on only if no Galley has committed since. */
  refresh(): void {
    this.readSnapshot.refresh();
  }

  /** Keeps the current snapshot and refuses writes until `unpin`, while another process changes the tables. */
  pin(): void {
    this.readSnapshot.pin();
  }

  unpin(): void {
    this.readSnapshot.unpin();
  }

  /** The size of the database, without its log. */
  bytes(): number {
    return this.first("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")![0] as number;
  }

  /** Releases what is cached: results, statements and pages of the file. It may be called when the connection is closed, since a timer does. */
  trim(): void {
    if (this.isClosed) return;
    this.#ofVersion = new WeakMap();
    this.db.clearQueryCache();
    this.readSnapshot.forgetStatement();
    this.db.run("PRAGMA shrink_memory");
  }

  close(): void {
    this.isClosed = true;
    this.readSnapshot.unpin();
    this.db.close();
  }
}

/** Caches a value per database until content may have changed, by this process or another, or the connection is trimmed. */
export const perVersion =
  <T>(make: () => T): ((connection: Connection) => T) =>
  (connection) =>
    connection.ofVersion(make);
