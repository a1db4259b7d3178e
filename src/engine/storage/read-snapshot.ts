/** The snapshot that reads use, and the version that changes when other processes write. */
import type { Database, Statement } from "bun:sqlite";

export class ReadSnapshot {
  readonly #db: Database;
  /** Other processes may use the database. */
  readonly #isShared: boolean;
  /** Every request runs it: it is kept instead of being looked up by its text. */
  #dataVersion: Statement<{ readonly data_version: number }, []> | undefined;
  /** Cached until the microtask ends. */
  #version: number | undefined;
  /** A read transaction is open. */
  #isOpen = false;
  #isPinned = false;

  constructor(db: Database, isShared: boolean) {
    this.#db = db;
    this.#isShared = isShared;
  }

  /** The snapshot is kept until `unpin`; nothing can be written. */
  get isPinned(): boolean {
    return this.#isPinned;
  }

  /**
   * Changes with every write of another process, but not within a microtask. It takes one statement, a snapshot three, so it
   * alone validates cached responses. What is read afterwards may be newer than the version, never older, so that at worst
   * a cached value is read again for the next version.
   */
  version(): number {
    if (!this.#isShared) return 0;
    if (this.#version !== undefined) return this.#version;
    this.#dataVersion ??= this.#db.query("PRAGMA data_version");
    const version = this.#dataVersion.get()!.data_version;
    this.#version = version;
    if (!this.#isPinned) queueMicrotask(this.end);
    return version;
  }

  /**
   * Opens a snapshot, from the next read until a write or the end of the current microtask, so that the next request sees
   * what other processes have committed before. One read transaction is also faster than one per statement.
   */
  hold(inTransaction: boolean): void {
    if (!this.#isShared || this.#isOpen || inTransaction) return;
    this.#db.query("BEGIN").run();
    this.#isOpen = true;
    try {
      this.version();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Keeps a snapshot until `unpin`, while another process changes the tables. */
  pin(): void {
    this.end();
    if (!this.#isShared) return;
    this.#isPinned = true;
    try {
      this.hold(false);
      // a snapshot begins with the first read
      this.#db.query("SELECT 1 FROM sqlite_schema LIMIT 1").values();
    } catch (error) {
      this.unpin();
      throw error;
    }
  }

  unpin(): void {
    this.#isPinned = false;
    this.end();
  }

  /** Called when the cached statements of the connection are finalized. */
  forgetStatement(): void {
    this.#dataVersion = undefined;
  }

  /** Ends the snapshot. Called in a microtask, where nobody would catch an error, so it never throws. */
  readonly end = (): void => {
    if (this.#isPinned) return;
    this.#version = undefined;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (!this.#db.inTransaction) return;
    try {
      this.#db.query("COMMIT").run();
    } catch {
      endFailed(this.#db);
    }
  };
}

/** SQLite keeps a transaction open whose commit failed. */
function endFailed(db: Database): void {
  try {
    if (db.inTransaction) db.query("ROLLBACK").run();
  } catch (error) {
    console.error(`galley: a read could not be ended: ${(error as Error).message}`);
  }
}
