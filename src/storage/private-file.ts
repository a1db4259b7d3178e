/** Files with content of a project can be read by their owner alone. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";

const OTHERS = 0o077;

/**
 * Takes the rights of others away from what is there. A file system without rights, and files of others, stay as they are. On
 * Windows, whose rights are inherited from the folder, there is nothing to take, and files in use refuse it.
 */
export function makePrivate(path: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === "win32") return;
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

/** Creates an empty file where there is none. SQLite gives its log and its shared index the rights of the database. */
export function ensurePrivateDatabase(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  for (const suffix of ["", "-wal", "-shm"]) makePrivate(`${file}${suffix}`);
}
