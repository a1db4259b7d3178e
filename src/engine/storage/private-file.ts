/** Restricts files with content to their owner. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";

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
    if (!["ENOENT", "EPERM", "ENOTSUP", "EROFS"].includes(String((error as { code?: string }).code))) throw error;
  }
}

export function ensurePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  makePrivate(path);
}

/** Creates an empty file, if missing. SQLite creates the -wal and -shm files with the permissions of the database. */
export function ensurePrivateDatabase(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  for (const suffix of ["", "-wal", "-shm"]) makePrivate(`${file}${suffix}`);
}
