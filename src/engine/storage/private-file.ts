/** Restricts files with content to their owner. */
import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from "node:fs";
import { findErrorCode } from "../../lib/error-code.ts";

const OTHERS = 0o077;

/**
 * Removes the permissions of group and others. Ignores file systems without permissions, and files of other users. Does
 * nothing on Windows, where permissions are inherited from the folder.
 */
export function makePrivate(path: string): void {
  if (process.platform === "win32") return;
  try {
    const { mode } = statSync(path);
    if ((mode & OTHERS) !== 0) chmodSync(path, mode & 0o700);
  } catch (error) {
    if (!["ENOENT", "EPERM", "ENOTSUP", "EROFS"].includes(findErrorCode(error))) throw error;
  }
}

export function ensurePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  makePrivate(path);
}

/**
 * Creates an empty file, if missing. SQLite creates the -wal and -shm files with the permissions of the database. An existing file is
 * not opened: closing it would release the locks that this process has on it, and another program could then remove its -wal file.
 */
export function ensurePrivateDatabase(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) accessSync(file, constants.R_OK | constants.W_OK);
  else closeSync(openSync(file, "a", 0o600));
  for (const suffix of ["", "-wal", "-shm"]) makePrivate(`${file}${suffix}`);
}
