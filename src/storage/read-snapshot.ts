/** The snapshot that everything is read from, and the number that changes when other processes write. */
import type { Database } from "bun:sqlite";

export class ReadSnapshot {
  readonly #db: Database;
  /** Other processes may have the database open. */
  readonly #isShared: boolean;
  /** Changes with every write of another process; undefined while no snapshot is held. */
  #version: number | undefined;
  /** A read transaction is open. */
  #isOpen = false;
  #isPinned = false;

  constructor(db: Database, isShared: boolean) {
    this.#db = db;
    this.#isShared = isShared;
  }

  /** The snapshot does not end with the next microtask; nothing can be written. */
  get isPinned(): boolean {
    return this.#isPinned;
  }

  /**
   * Changes with every write of another process, and stays the same until the current microtask ends. Alone it takes one
   * statement, where a snapshot takes three: enough for an answer from a cache. What is read afterwards may be newer than the
   * version, never older, so that whatever is cached for the version is at worst read anew with the next one.
   */
  version(): number {
    if (!this.#isShared) return 0;
    if (this.#version !== undefined) return this.#version;
    const [[version]] = this.#db.query<unknown, []>("PRAGMA data_version").values() as [[number]];
    this.#version = version;
    if (!this.#isPinned) queueMicrotask(this.end);
    return version;
  }

  /**
   * Reads from one snapshot, which begins with the next read, until something is written or the current microtask ends, so
   * that the next request sees what other processes have committed before it was sent. One read transaction is also faster
   * than one per statement.
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

  /** Keeps the snapshot of now until `unpin`, while another process changes the tables. */
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

  /** Called in a microtask, where nobody would catch an error: a database that cannot commit a read is left as it is. */
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

/** The last way out of a transaction: SQLite keeps one open whose commit failed. */
function endFailed(db: Database): void {
  try {
    if (db.inTransaction) db.query("ROLLBACK").run();
  } catch (error) {
    console.error(`galley: a read could not be ended: ${(error as Error).message}`);
  }
}
