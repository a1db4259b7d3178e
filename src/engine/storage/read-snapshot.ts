/** The snapshot that reads of a connection share, and how long it is kept; what other processes have committed ends it. */
import type { Database, Statement } from "bun:sqlite";
import { once } from "../../lib/once.ts";
import { CommitCounter } from "./commit-counter.ts";

/**
 * Snapshots are kept for so long, and then not for a while, in which the log that other processes write can be emptied. Programs
 * besides Galley do not count their commits: their writes are seen so much later at most.
 */
const KEPT_MS = 50;
const PERIOD_MS = 55;

const NOT_KEPT = { commits: 0, until: 0 };

export class ReadSnapshot {
  readonly #db: Database;
  /** Other processes may use the database. */
  readonly #isShared: boolean;
  readonly #counter: () => CommitCounter | undefined;
  /** Undefined where snapshots end with their microtask. */
  #commits: CommitCounter | undefined;
  /** It is kept instead of being looked up by its text. */
  #dataVersion: Statement<{ readonly data_version: number }, []> | undefined;
  #version = 0;
  /** The version is that of the running microtask. */
  #isCurrent = false;
  /** A read transaction is open. */
  #isOpen = false;
  /**
   * The number of commits before the snapshot, and until when it is kept, in milliseconds of `performance.now()`; 0: to the end of the
   * microtask.
   */
  #kept = NOT_KEPT;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPinned = false;

  constructor(db: Database, isShared: boolean) {
    this.#db = db;
    this.#isShared = isShared;
    this.#counter = once(() => (isShared ? CommitCounter.open(db.filename) : undefined));
  }

  /** The snapshot is kept until `unpin`; nothing can be written. */
  get isPinned(): boolean {
    return this.#isPinned;
  }

  /** Called after every write: other processes of Galley read it from now on. */
  countCommit(): void {
    this.#counter()?.add();
  }

  /** From now on, snapshots may be kept from one microtask to the next. */
  keep(): void {
    this.#commits = this.#counter();
  }

  /** From now on, they end with their microtask. */
  keepNoLonger(): void {
    this.#commits = undefined;
    this.end();
  }

  /**
   * Changes with every write of another process, but not within a microtask. What is read afterwards may be newer than the version,
   * never older, so that at worst a cached value is read again for the next version.
   */
  version(): number {
    if (this.#isShared && !this.#isCurrent) this.#look(false);
    return this.#version;
  }

  /**
   * Opens a snapshot, from the next read until a write or the end of the current microtask at least, so that the next request sees
   * what other processes have committed before. One read transaction is also faster than one per statement.
   */
  hold(inTransaction: boolean): void {
    if (!this.#isShared || inTransaction) return;
    if (!this.#isCurrent) this.#look(true);
    else if (!this.#isOpen) this.#begin();
  }

  /** Ends a kept snapshot that is out of date, for reads that neither hold one nor ask for the version. */
  refresh(): void {
    if (this.#kept.until !== 0 && !this.#isCurrent) this.#look(false);
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

  /** Continues with the snapshot of earlier microtasks if nobody has written since, or finds the version anew. */
  #look(holds: boolean): void {
    const now = performance.now();
    if (!this.#isPinned) queueMicrotask(this.#settle);
    if (now < this.#kept.until && this.#commits?.value === this.#kept.commits) {
      this.#isCurrent = true;
      return;
    }
    this.end();
    const phase = now % PERIOD_MS;
    const keeps = this.#commits !== undefined && phase < KEPT_MS && !this.#db.inTransaction;
    // read before the snapshot begins, so that a commit in between is noticed afterwards
    const commits = this.#commits?.value ?? 0;
    if (keeps || holds) this.#begin();
    try {
      this.#dataVersion ??= this.#db.query("PRAGMA data_version");
      this.#version = this.#dataVersion.get()!.data_version;
    } catch (error) {
      this.end();
      throw error;
    }
    this.#isCurrent = true;
    if (!keeps) return;
    this.#kept = { commits, until: now - phase + KEPT_MS };
    this.#timer ??= setTimeout(this.#endKept, KEPT_MS).unref();
  }

  #begin(): void {
    this.#db.query("BEGIN").run();
    this.#isOpen = true;
  }

  readonly #settle = (): void => {
    if (this.#isPinned) return;
    this.#isCurrent = false;
    if (this.#kept.until === 0) this.end();
  };

  /** Without requests, nothing else would end it. */
  readonly #endKept = (): void => {
    this.#timer = undefined;
    if (this.#kept.until === 0) return;
    const left = this.#kept.until - performance.now();
    if (left <= 0) this.end();
    else this.#timer = setTimeout(this.#endKept, left).unref();
  };

  /** Ends the snapshot. Called in a microtask, where nobody would catch an error, so it never throws. */
  readonly end = (): void => {
    if (this.#isPinned) return;
    this.#isCurrent = false;
    this.#kept = NOT_KEPT;
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
