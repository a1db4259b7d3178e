/**
 * A lock that the system releases when its process ends, however it ends. A process id would not do: it is taken again by
 * other processes, and is the same in every container. SQLite locks files in the same way on every system.
 */
import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";

export class FileLock {
  readonly #path: string;
  readonly #db: Database;

  private constructor(path: string, db: Database) {
    this.#path = path;
    this.#db = db;
  }

  /** Undefined while another holds the lock, in this process or any other. */
  static acquire(path: string): FileLock | undefined {
    const db = new Database(path, { create: true });
    try {
      db.run("PRAGMA busy_timeout = 0");
      // nothing is written, and no second file should lie beside the lock
      db.run("PRAGMA journal_mode = MEMORY");
      db.run("BEGIN EXCLUSIVE");
      // whoever held it before has removed the file in the meantime
      if (existsSync(path)) return new FileLock(path, db);
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    }
    db.close();
    return undefined;
  }

  /** Removes the file as well. */
  release(): void {
    // before the lock is released, so that nobody acquires it in between; Windows removes no open file
    const isWindows = process.platform === "win32";
    if (!isWindows) rmSync(this.#path, { force: true });
    this.#db.close();
    if (isWindows) rmSync(this.#path, { force: true });
  }
}
