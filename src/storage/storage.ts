/** The open database: transactions, and the numbers that stand for fields and tables in links. */
import { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { ProjectError } from "../errors.ts";
import { Connection, type Row } from "./connection.ts";
import { ensurePrivateDatabase, ensurePrivateFolder } from "./private-file.ts";
import { asProjectError, readOnly, tablesChanged } from "./problems.ts";
import { WriteQueue } from "./write-queue.ts";

export type { Row };

/** The key of the tables' layout in `galley_meta`. */
export const LAYOUT = "layout";
/** The key of a short text that is another one for every layout. */
const LAYOUT_MARK = "layout_mark";

/** Raised when tables are stored in a way that an older Galley would misread. */
const FORMAT = 1;

/** In the header of a database's file: how it is written and read. */
const JOURNAL_VERSIONS: readonly [from: number, to: number] = [18, 20];
const ROLLBACK_JOURNAL = 1;

function openFile(file: string): Database {
  ensurePrivateFolder(dirname(file));
  ensurePrivateDatabase(file);
  return new Database(file, { create: true });
}

export class Storage extends Connection {
  readonly #numbers = new Map<string, number>();
  #isFrozen = false;
  /** The tables that this process knows, as they are kept in the database. */
  #layout: string | undefined;
  #mark: string | undefined;
  readonly #queue = new WriteQueue();

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
    // that of a file says that it has a log, which there is none of in memory
    template.fill(ROLLBACK_JOURNAL, ...JOURNAL_VERSIONS);
    return new Storage(Database.deserialize(template), false);
  }

  snapshot(): Uint8Array {
    this.readSnapshot.end();
    return this.db.serialize();
  }

  /**
   * From now on transactions of requests are refused. What the storage writes for itself, such as indexes for reads, goes
   * on.
   */
  freeze(): void {
    this.#isFrozen = true;
  }

  /**
   * All of `work` or nothing. Calls inside a transaction join it. The lock is taken at the start, so that what the
   * work reads is still true when it writes. Throws when `work` returns a promise: it would outlive the transaction.
   */
  transaction<T>(work: () => T): T {
    if (this.depth > 0) return work();
    if (this.#isFrozen) throw readOnly();
    this.run("BEGIN IMMEDIATE");
    return this.#finish(work);
  }

  /**
   * As `transaction`, for requests: waits for the lock without stopping others. Rejects with ServiceUnavailableError when
   * the lock is not there in time.
   */
  async write<T>(work: () => T): Promise<T> {
    if (this.depth > 0) return work();
    if (this.#isFrozen) throw readOnly();
    // what was prepared for other tables must not write to these
    const finish = () =>
      this.#queue.timed(() =>
        this.#finish(() => {
          this.#expectKnownTables();
          return work();
        }),
      );
    if (this.#queue.isFree && this.begin()) return finish();
    const layout = this.#layout;
    return this.#queue.add(() => {
      if (this.#layout !== layout) throw tablesChanged();
      return this.begin() ? { result: finish() } : undefined;
    });
  }

  /** Throws ServiceUnavailableError when another process has changed the tables. */
  #expectKnownTables(): void {
    if (this.hasOtherTables()) throw tablesChanged();
  }

  protected override hasOtherTables(): boolean {
    if (this.#layout === undefined) return false;
    const sql = "SELECT value FROM galley_meta WHERE key = ?";
    return this.db.query<unknown, string[]>(sql).values(LAYOUT_MARK)[0]?.[0] !== this.#mark;
  }

  /** As `transaction`, if the lock is there; otherwise nothing is done. Returns whether it was. */
  tryTransaction(work: () => unknown): boolean {
    if (this.depth > 0) {
      work();
      return true;
    }
    if (!this.#queue.isFree || !this.begin()) return false;
    this.#finish(() => {
      this.#expectKnownTables();
      work();
    });
    return true;
  }

  /**
   * Begins a transaction that is bound to no function, once the lock is there; the caller commits it or rolls it back.
   * Rejects with ServiceUnavailableError when the lock is not there in time.
   */
  async open(): Promise<void> {
    if (!(this.#queue.isFree && this.begin())) {
      await this.#queue.add(() => (this.begin() ? { result: undefined } : undefined));
    }
    this.depth++;
    try {
      this.#expectKnownTables();
    } catch (error) {
      this.rollback();
      throw error;
    }
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
      // it may have waited for the lock while others wrote
      this.readSnapshot.end();
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
    if (this.depth > 0) throw new Error("A transaction is open already");
    this.run(begin);
    this.depth++;
    try {
      const result = await work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    } finally {
      this.depth--;
      this.readSnapshot.end();
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

  /** Part of the transaction that changes the tables. */
  setLayout(layout: string): void {
    this.setMeta(LAYOUT, layout);
    this.setMeta(LAYOUT_MARK, Bun.hash(layout).toString(36));
  }

  /** Called when the tables may have changed. Takes over the numbers that the database has for fields and tables. */
  loadNumbers(): void {
    const layout = this.meta(LAYOUT) ?? "";
    if (this.#layout !== undefined && this.#layout !== layout) this.changedAt = performance.now();
    this.#layout = layout;
    this.#mark = this.meta(LAYOUT_MARK);
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
}
