/** The open database: statements by their text, transactions, and the numbers that stand for fields and tables in links. */
import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { SqlValue } from "../attributes/index.ts";

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
  "PRAGMA cache_size = -16000",
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
  /** Moves with every write of this process; other processes' writes show in `PRAGMA data_version`. */
  #writes = 0;
  /** The version by other processes' writes, for as long as nothing else can happen in this process. */
  #others: number | undefined;
  readonly #forgetOthers = (): void => {
    this.#others = undefined;
  };

  #isReading = false;
  readonly #afterReading: (() => void)[] = [];
  /** Whether other processes may have the database open, too. */
  readonly #isShared: boolean;

  private constructor(db: Database, isShared: boolean) {
    this.db = db;
    this.#isShared = isShared;
    for (const pragma of PRAGMAS) db.run(pragma);
    db.run("CREATE TABLE IF NOT EXISTS galley_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
  }

  /** Opens or creates the file; `:memory:` keeps everything in memory. */
  static open(file: string): Storage {
    const isShared = file !== ":memory:";
    if (isShared) mkdirSync(dirname(file), { recursive: true });
    return new Storage(new Database(file, { create: true }), isShared);
  }

  /** A database in memory with the content of `template` (see `snapshot`). */
  static fromSnapshot(template: Uint8Array): Storage {
    return new Storage(Database.deserialize(template), false);
  }

  snapshot(): Uint8Array {
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
    // others may have written while this waited for the lock
    this.#forgetOthers();
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
    return `${this.#writes}.${this.#others ?? this.#readOthers()}`;
  }

  /**
   * Runs `work` on the content of one moment: what other processes write in the meantime does not show. What it leaves
   * to `afterReading` runs before this returns.
   */
  steady<T>(work: () => T): T {
    // a transaction of its own sees nothing of others either
    if (this.#isReading || this.#depth > 0) return work();
    this.#isReading = true;
    if (this.#isShared) this.db.query("BEGIN").run();
    // it must be of the same moment
    this.#forgetOthers();
    try {
      return work();
    } finally {
      this.#isReading = false;
      if (this.#isShared) this.db.query("COMMIT").run();
      for (const task of this.#afterReading.splice(0)) task();
    }
  }

  /** Runs a task that writes: now, or at the end of `steady`. */
  afterReading(task: () => void): void {
    if (this.#isReading) this.#afterReading.push(task);
    else task();
  }

  /**
   * Looked up once for everything that runs without a break. The next request begins after that, so that it sees
   * what any other process wrote before it was sent.
   */
  #readOthers(): number {
    const [others] = this.db.query<unknown, []>("PRAGMA data_version").values()[0] as [number];
    this.#others = others;
    queueMicrotask(this.#forgetOthers);
    return others;
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

  close(): void {
    this.db.close();
  }
}
