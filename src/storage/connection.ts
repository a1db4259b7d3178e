/** A connection to the database: statements by their text, and what happens when another process holds the lock. */
import { Database } from "bun:sqlite";
import type { SqlValue } from "../attributes/index.ts";
import { databaseBusy, isBusy, isOutdated, tablesChanged } from "./problems.ts";
import { ReadSnapshot } from "./read-snapshot.ts";

/** A row as an array, in the order of the selected columns. */
export type Row = SqlValue[];

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

export class Connection {
  readonly db: Database;
  /** Statements run since the database was opened; tests count with it. */
  statements = 0;
  /** How many transactions are open, one inside the other; the inner ones join the outermost. */
  protected depth = 0;
  /** Moves with every write of this process. */
  #writes = 0;
  #wait = START_WAIT_MS;
  /** When the tables last changed while they were in use, in milliseconds of `performance.now()`. */
  protected changedAt = Number.NEGATIVE_INFINITY;
  protected readonly readSnapshot: ReadSnapshot;

  /** `isShared`: other processes may open the database, too. */
  protected constructor(db: Database, isShared: boolean) {
    this.db = db;
    this.readSnapshot = new ReadSnapshot(db, isShared);
    for (const pragma of PRAGMAS) db.run(pragma);
    db.run("CREATE TABLE IF NOT EXISTS galley_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
    // from now on whoever finds a lock decides how to wait
    db.run(waitFor(0));
  }

  /** From now on requests are answered: no statement stops the process for long. */
  serve(): void {
    this.#wait = SERVING_WAIT_MS;
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
    if (this.depth === 0) this.#startWriting();
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
    if (isOutdated(error) && (performance.now() - this.changedAt < OUTDATED_MS || this.hasOtherTables()))
      throw tablesChanged();
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

  /** Whether another process has changed the tables since this one last looked at them. */
  protected hasOtherTables(): boolean {
    return false;
  }

  #startWriting(): void {
    if (this.readSnapshot.isPinned) throw databaseBusy();
    this.readSnapshot.end();
  }

  /** Another connection of this process has changed the content. */
  touch(): void {
    this.#writes++;
    this.readSnapshot.end();
  }

  /** Begins a transaction, if nobody else is writing. */
  protected begin(): boolean {
    if (this.readSnapshot.isPinned) return false;
    this.readSnapshot.end();
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

  /** Different whenever content may have changed, by this process or another. */
  version(): string {
    return `${this.#writes}.${this.readSnapshot.version()}`;
  }

  /** Reads from one snapshot until the next write or the end of the current microtask. */
  hold(): void {
    this.readSnapshot.hold(this.depth > 0);
  }

  /** Reads what is there now, and writes nothing, until `unpin`: another process changes the tables in the meantime. */
  pin(): void {
    this.readSnapshot.pin();
  }

  unpin(): void {
    this.readSnapshot.unpin();
  }

  /** Releases pages of the file that are kept in memory. */
  trim(): void {
    this.db.query("PRAGMA shrink_memory").run();
  }

  close(): void {
    this.readSnapshot.unpin();
    this.db.close();
  }
}
