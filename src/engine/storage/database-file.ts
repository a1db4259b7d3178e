/** The file of a database while it is open. */
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ApiError } from "../../lib/errors.ts";
import { ensurePrivateDatabase, ensurePrivateFolder } from "./private-file.ts";

/** In the order in which they are checked. SQLite removes the log only with the last connection. */
const SUFFIXES = ["", "-wal"];

const readInode = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

export class DatabaseFile {
  readonly database: Database;
  readonly #files: readonly string[];
  readonly #inodes: (number | undefined)[];

  /** Opens or creates it, for this user only. Throws errors of SQLite and of the operating system. */
  constructor(path: string) {
    ensurePrivateFolder(dirname(path));
    ensurePrivateDatabase(path);
    this.database = new Database(path, { create: true });
    this.#files = SUFFIXES.map((suffix) => resolve(path) + suffix);
    // the log appears with the first statement, after which it is looked for the first time
    this.#inodes = [readInode(path)];
  }

  /**
   * Throws ServiceUnavailableError, and logs it, if the database or its log was removed or replaced: the next start would not find what
   * is written.
   */
  expectInPlace(): void {
    const missing = this.#files.find((file, index) => {
      this.#inodes[index] ??= readInode(file);
      return readInode(file) !== this.#inodes[index];
    });
    if (missing === undefined) return;
    console.error(
      `galley: a write was refused: ${missing} was removed or replaced while it is in use. Put it back, or restart; galley pull saves what is still read`,
    );
    throw new ApiError("ServiceUnavailableError", "The database was removed or replaced.");
  }
}
