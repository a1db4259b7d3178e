/**
 * A lock that the operating system releases when the process ends, even if it is killed. A file with the process id is not
 * enough: ids are reused, and are the same in every container. SQLite's file locks work on every system.
 */
import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { findErrorCode } from "../../lib/error-code.ts";

/** Creates the file for its owner only. An existing one is not opened, since closing it would release a lock of this process. */
function ensureFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (findErrorCode(error) !== "EEXIST") throw error;
  }
}

export class FileLock {
  readonly #path: string;
  readonly #db: Database;

  private constructor(path: string, db: Database) {
    this.#path = path;
    this.#db = db;
  }

  /** Undefined while the lock is held, by this process or another. */
  static acquire(path: string): FileLock | undefined {
    ensureFile(path);
    const db = new Database(path, { readwrite: true });
    try {
      db.run("PRAGMA busy_timeout = 0");
      // nothing is written, so avoid a journal file beside the lock
      db.run("PRAGMA journal_mode = MEMORY");
      db.run("BEGIN EXCLUSIVE");
      // if the previous holder has removed the file in between, this lock protects nothing
      if (existsSync(path)) return new FileLock(path, db);
    } catch (error) {
      if (findErrorCode(error) !== "SQLITE_BUSY") throw error;
    }
    db.close();
    return undefined;
  }

  /** Removes the file as well. */
  release(): void {
    // removed before the lock is released, so that nobody acquires it in between; Windows cannot remove an open file
    const isWindows = process.platform === "win32";
    if (!isWindows) rmSync(this.#path, { force: true });
    this.#db.close();
    if (isWindows) rmSync(this.#path, { force: true });
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
