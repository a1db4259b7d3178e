/** The moment of which everything is read, and how versions of content are told apart when other processes write. */
import type { Database } from "bun:sqlite";
import { WalIndex } from "./wal-index.ts";

export class ReadMoment {
  readonly #db: Database;
  /** Undefined: no other process can have the database open. */
  readonly #file: string | undefined;
  /** Opened with the first moment; undefined where there is none. */
  #walIndex: WalIndex | undefined | null = null;
  /** The number of the content as other processes left it; undefined between moments. */
  #version: number | undefined;
  #lastVersion = 0;
  /** A read transaction is open. */
  #isHeld = false;

  constructor(db: Database, file: string | undefined) {
    this.#db = db;
    this.#file = file;
  }

  /**
   * Different after every write of another process. No moment begins for it as long as nobody can have written since the
   * last one.
   */
  version(inTransaction: boolean): number {
    if (this.#version === undefined && this.#walIndex?.hasMoved() === false) return this.#lastVersion;
    return this.hold(inTransaction);
  }

  /**
   * Everything that is read from now on is of one moment, until something is written or this process does something
   * else: whatever it does next, the next request for one, sees what others wrote before that was sent. One read
   * transaction is also faster than one for each statement. Answers the version.
   */
  hold(inTransaction: boolean): number {
    if (this.#file === undefined) return 0;
    if (this.#version !== undefined) return this.#version;
    if (this.#walIndex === null) this.#walIndex = WalIndex.open(this.#file);
    this.#walIndex?.see();
    if (!inTransaction) {
      this.#db.query("BEGIN").run();
      this.#isHeld = true;
    }
    const [[version]] = this.#db.query<unknown, []>("PRAGMA data_version").values() as [[number]];
    this.#version = version;
    this.#lastVersion = version;
    queueMicrotask(this.end);
    return version;
  }

  readonly end = (): void => {
    this.#version = undefined;
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (this.#db.inTransaction) this.#db.query("COMMIT").run();
  };
}
