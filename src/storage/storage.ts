/** The open database: statements by their text, transactions, and the numbers that stand for fields and tables in links. */
import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { SqlValue } from "../attributes/index.ts";
import { ReadMoment } from "./read-moment.ts";

/** A row as an array, in the order of the selected columns. */
export type Row = SqlValue[];

const BUSY_TIMEOUT_MS = 10_000;

/** Pragmas in this order: the busy timeout first, since switching to WAL may have to wait for another process. */
const PRAGMAS = [
  `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`,
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

export class Storage {
  readonly db: Database;
  /** Statements run since the database was opened; tests count with it. */
  statements = 0;
  readonly #numbers = new Map<string, number>();
  #depth = 0;
  /** Moves with every write of this process. */
  #writes = 0;
  readonly #moment: ReadMoment;

  /** `file`: where other processes may open the database, too. */
  private constructor(db: Database, file: string | undefined) {
    this.db = db;
    this.#moment = new ReadMoment(db, file);
    for (const pragma of PRAGMAS) db.run(pragma);
    db.run("CREATE TABLE IF NOT EXISTS galley_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
  }

  /** Opens or creates the file; `:memory:` keeps everything in memory. */
  static open(file: string): Storage {
    const isMemory = file === ":memory:";
    if (!isMemory) mkdirSync(dirname(file), { recursive: true });
    return new Storage(new Database(file, { create: true }), isMemory ? undefined : file);
  }

  /** A database in memory with the content of `template` (see `snapshot`). */
  static fromSnapshot(template: Uint8Array): Storage {
    return new Storage(Database.deserialize(template), undefined);
  }

  snapshot(): Uint8Array {
    this.#moment.end();
    return this.db.serialize();
  }

  all(sql: string, params: readonly SqlValue[] = []): Row[] {
    this.statements++;
    return this.db.query<unknown, SqlValue[]>(sql).values(...params) as Row[];
  }

  first(sql: string, params: readonly SqlValue[] = []): Row | undefined {
    return this.all(sql, params)[0];
  }

  /** Runs a statement that changes something; answers the id of the last inserted row and the number of changed rows. */
  run(sql: string, params: readonly SqlValue[] = []): { id: number; changes: number } {
    if (this.#depth === 0) this.#moment.end();
    this.statements++;
    this.#writes++;
    const { lastInsertRowid, changes } = this.db.query<unknown, SqlValue[]>(sql).run(...params);
    return { id: Number(lastInsertRowid), changes };
  }

  /**
   * All of `work` or nothing. Calls inside a transaction join it. The lock is taken at the start, so that what the
   * work reads is still true when it writes. Throws when `work` returns a promise: it would outlive the transaction.
   */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.run("BEGIN IMMEDIATE");
    this.#depth++;
    try {
      const result = work();
      if (result instanceof Promise) throw new Error("A transaction must not be asynchronous");
      this.run("COMMIT");
      return result;
    } catch (error) {
      if (this.db.inTransaction) this.run("ROLLBACK");
      throw error;
    } finally {
      this.#depth--;
      // it may have waited for the lock while others wrote
      this.#moment.end();
    }
  }

  /** Runs `work` and takes back all that it did; throws what it throws. */
  rehearse(work: () => unknown): void {
    const done = new Error("rehearsed");
    try {
      this.transaction(() => {
        work();
        throw done;
      });
    } catch (error) {
      if (error !== done) throw error;
    }
  }

  /** Different whenever content may have changed, by this process or another. */
  version(): string {
    return `${this.#writes}.${this.#moment.version(this.#depth > 0)}`;
  }

  /** Everything that is read until the next write, or until this process does something else, is of one moment. */
  hold(): void {
    this.#moment.hold(this.#depth > 0);
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

  dropMeta(key: string): void {
    this.run("DELETE FROM galley_meta WHERE key = ?", [key]);
  }

  /** Takes over the numbers that the database has for fields and tables. */
  loadNumbers(): void {
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

  /** Lets go of pages of the file that are kept in memory. */
  trim(): void {
    this.db.query("PRAGMA shrink_memory").run();
  }

  close(): void {
    this.#moment.end();
    this.db.close();
  }
}
