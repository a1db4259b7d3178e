/** The file of a database while it is open. */
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ApiError } from "../../lib/errors.ts";
import { ensurePrivateDatabase, ensurePrivateFolder } from "./private-file.ts";

const readInode = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

export class DatabaseFile {
  readonly database: Database;
  readonly #path: string;
  readonly #inode: number | undefined;

  /** Opens or creates it, for this user only. Throws errors of SQLite and of the operating system. */
  constructor(path: string) {
    ensurePrivateFolder(dirname(path));
    ensurePrivateDatabase(path);
    this.database = new Database(path, { create: true });
    this.#path = resolve(path);
    this.#inode = readInode(path);
  }

  /** Throws ServiceUnavailableError, and logs it, if it was removed or replaced: the next start would not find what is written. */
  expectInPlace(): void {
    if (readInode(this.#path) === this.#inode) return;
    console.error(
      `galley: a write was refused: ${this.#path} was removed or replaced while it is in use. Put it back, or restart; galley pull saves what is still read`,
    );
    throw new ApiError("ServiceUnavailableError", "The database was removed or replaced.");
  }
}
