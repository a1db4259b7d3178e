/** A connection to the database: cached statements, and retries while another process holds the lock. */
import type { Database, Statement } from "bun:sqlite";
import type { SqlValue } from "../attributes/index.ts";
import { busyTimeout, LockWait, runAtStart, START_WAIT_MS } from "./lock-holder.ts";
import { databaseBusy, isBusy, isOutdated, tablesChanged } from "./problems.ts";
import { ReadSnapshot } from "./read-snapshot.ts";

/** A row as an array, in the order of the selected columns. */
export type Row = SqlValue[];

/** How long a statement may block the process while it waits for a lock, once requests are served. */
const SERVING_WAIT_MS = 250;

/** The maximum duration of a request that began before the tables changed. */
const OUTDATED_MS = 30_000;

/** Pragmas in this order: the busy timeout first, since switching to WAL may have to wait for another process. */
const PRAGMAS = [
  busyTimeout(START_WAIT_MS),
  "PRAGMA journal_mode = WAL",
  // survives a killed process; a power cut may lose the last writes but never damages the file
  "PRAGMA synchronous = NORMAL",
  "PRAGMA journal_size_limit = 67108864",
  // in pages of 4 KB: a checkpoint waits for the disk, so it should serve many writes
  "PRAGMA wal_autocheckpoint = 4000",
  "PRAGMA cache_size = -48000",
  "PRAGMA temp_store = MEMORY",
  // for tables besides those of the model
  "PRAGMA foreign_keys = ON",
  // rows that REPLACE removes fire triggers, too
  "PRAGMA recursive_triggers = ON",
];

const MAX_STATEMENTS = 256;
/** Longer texts come from unusual filters. Outside of the heap, a statement takes about 25 times its text. */
const MAX_TEXT = 4_096;

interface PreparedStatement {
  readonly statement: Statement<unknown, SqlValue[]>;
  /** Whether it may change settings or tokens, or take such a change back. */
  readonly changesSettings: boolean;
}

const SETTINGS = /\bgalley_(?:meta|tokens)\b|^ROLLBACK/i;

/** The prepared statements by their text. Bun's own cache compares a text with those of all statements. */
class StatementCache {
  readonly #db: Database;
  readonly #statements = new Map<string, PreparedStatement>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Runs `work` with the statement, which must not be used afterwards. */
  use<T>(sql: string, work: (prepared: PreparedStatement) => T): T {
    const known = this.#statements.get(sql);
    if (known) return work(known);
    const statement = this.#db.prepare<unknown, SqlValue[]>(sql);
    const prepared = { statement, changesSettings: SETTINGS.test(sql) };
    if (sql.length <= MAX_TEXT) this.#add(sql, prepared);
    try {
      return work(prepared);
    } finally {
      // the collector does not see what it takes
      if (sql.length > MAX_TEXT) statement.finalize();
    }
  }

  #add(sql: string, prepared: PreparedStatement): void {
    if (this.#statements.size === MAX_STATEMENTS) {
      const [oldest, { statement }] = this.#statements.entries().next().value!;
      statement.finalize();
      this.#statements.delete(oldest);
    }
    this.#statements.set(sql, prepared);
  }

  /** Finalizes all statements. */
  clear(): void {
    for (const { statement } of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }
}

const readValues =
  (params: readonly SqlValue[]) =>
  ({ statement }: PreparedStatement): Row[] =>
    statement.values(...params) as Row[];

/** What is cached by what makes it, for one version. */
type Cached = WeakMap<(connection: never) => unknown, { readonly version: string; readonly value: unknown }>;

export class Connection {
  readonly db: Database;
  readonly #statements: StatementCache;
  /** Statements run since the database was opened; tests count with it. */
  statements = 0;
  #recorded: string[] | undefined;
  /** Nesting depth of transactions; inner ones join the outermost. */
  protected depth = 0;
  isClosed = false;
  /** The number of writes by this process. */
  #writes = 0;
  /** The number of those among them that may have changed settings or tokens. */
  settingsWrites = 0;
  #version = { own: -1, others: -1, text: "" };
  #cached: Cached = new WeakMap();
  #wait = START_WAIT_MS;
  /** When the tables last changed while they were in use, in milliseconds of `performance.now()`. */
  protected changedAt = Number.NEGATIVE_INFINITY;
  protected readonly readSnapshot: ReadSnapshot;
  protected readonly isShared: boolean;

  /** `isShared`: other processes may use the database. */
  protected constructor(db: Database, isShared: boolean) {
    this.db = db;
    this.#statements = new StatementCache(db);
    this.isShared = isShared;
    this.readSnapshot = new ReadSnapshot(db, isShared);
    runAtStart(() => {
      for (const pragma of PRAGMAS) db.run(pragma);
      db.run("CREATE TABLE IF NOT EXISTS galley_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
    });
    // from now on, callers decide how to wait for a lock
    db.run(busyTimeout(0));
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
      return this.#statements.use(sql, readValues(params));
    } catch (error) {
      return this.#retry(error, () => this.#statements.use(sql, readValues(params)));
    }
  }

  first(sql: string, params: readonly SqlValue[] = []): Row | undefined {
    return this.all(sql, params)[0];
  }

  /** Runs a writing statement; returns the id of the last inserted row and the number of changed rows. */
  run(sql: string, params: readonly SqlValue[] = []): { id: number; changes: number } {
    const { lastInsertRowid, changes } = this.#write(sql, ({ statement }) => statement.run(...params));
    return { id: Number(lastInsertRowid), changes };
  }

  /** Runs a writing statement with RETURNING; returns the rows. */
  returning(sql: string, params: readonly SqlValue[]): Row[] {
    return this.#write(sql, readValues(params));
  }

  #write<T>(sql: string, work: (prepared: PreparedStatement) => T): T {
    if (this.depth === 0) this.#startWriting();
    this.statements++;
    this.#writes++;
    const counted = (prepared: PreparedStatement): T => {
      if (prepared.changesSettings) this.settingsWrites++;
      return work(prepared);
    };
    let done: T;
    try {
      done = this.#statements.use(sql, counted);
    } catch (error) {
      done = this.#retry(error, () => this.#statements.use(sql, counted));
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
    return new LockWait(this.db.filename, this.#wait).run(this.db, statement, this.#wait !== SERVING_WAIT_MS);
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
    this.invalidate();
    this.readSnapshot.end();
  }

  /** Begins a transaction, if the lock is free and none is open. `sql`: for one that takes the lock. */
  protected begin(sql = "BEGIN IMMEDIATE"): boolean {
    if (this.depth > 0 || this.readSnapshot.isPinned) return false;
    this.readSnapshot.end();
    this.statements++;
    this.#writes++;
    try {
      this.#statements.use(sql, ({ statement }) => statement.run());
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
    const others = this.othersVersion();
    // the same string again is compared without reading it
    if (own !== this.#version.own || others !== this.#version.others)
      this.#version = { own, others, text: `${own}.${others}` };
    return this.#version.text;
  }

  /** See `perVersion`. */
  ofVersion<T>(make: () => T): T {
    return this.#ofCached(make, this.version());
  }

  /** See `perSettings`. */
  ofSettings<T>(make: (connection: this) => T): T {
    return this.#ofCached(make, `${this.settingsWrites}.${this.othersVersion()}`);
  }

  #ofCached<T>(make: (connection: this) => T, version: string): T {
    const cached = this.#cached.get(make);
    if (cached?.version === version) return cached.value as T;
    const value = make(this);
    this.#cached.set(make, { version, value });
    return value;
  }

  /** Changes the version, since results depend on something else that has changed. */
  invalidate(): void {
    this.#writes++;
    this.settingsWrites++;
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
    this.#cached = new WeakMap();
    this.#statements.clear();
    this.db.clearQueryCache();
    this.readSnapshot.forgetStatement();
    this.db.run("PRAGMA shrink_memory");
  }

  close(): void {
    this.isClosed = true;
    this.readSnapshot.unpin();
    this.#statements.clear();
    this.db.close();
  }
}

/** Caches a value per database until content may have changed, by this process or another, or the connection is trimmed. */
export const perVersion =
  <T>(make: () => T): ((connection: Connection) => T) =>
  (connection) =>
    connection.ofVersion(make);

/** As `perVersion`, until settings or tokens may have changed: writes of content by this process are none. */
export const perSettings =
  <C extends Connection, T>(make: (connection: C) => T): ((connection: C) => T) =>
  (connection) =>
    connection.ofSettings(make);
