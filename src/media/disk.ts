/** Writes files atomically, and refuses uploads with the cause when the disk is full. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { ApiError, type ErrorName } from "../errors.ts";
import { asyncFiles } from "./async-files.ts";

const FULL = "InsufficientStorageError";

/** What clients see of errors of the system and of SQLite, by their codes. */
const refusals: Readonly<Record<string, readonly [kind: ErrorName, message: string]>> = {
  ENOSPC: [FULL, "There is no space left on the disk"],
  EDQUOT: [FULL, "The disk quota is used up"],
  EFBIG: [FULL, "The file is larger than the system allows"],
  SQLITE_FULL: [FULL, "There is no space left on the disk"],
  SQLITE_IOERR_WRITE: [FULL, "The database cannot grow on the disk"],
  EROFS: ["InternalServerError", "The folder of uploads is read-only"],
  EACCES: ["InternalServerError", "The folder of uploads may not be written"],
  EPERM: ["InternalServerError", "The folder of uploads may not be written"],
};

/** The refusal for an error of the disk, which is logged; other errors as they are. */
export function diskError(error: unknown): unknown {
  const { code = "", path, message: reason } = error as { code?: string; path?: string; message?: string };
  if (error instanceof ApiError || !Object.hasOwn(refusals, code)) return error;
  const [kind, message] = refusals[code]!;
  console.error(`galley: an upload was not stored: ${code}${path ? ` at ${path}` : `: ${reason}`}`);
  return new ApiError(kind, message);
}

type Write = (bytes: Uint8Array) => Promise<void>;

/** Writes a new file and flushes it. Throws what `content` throws and a refusal of the disk; no file is left then. */
export async function writeNew(path: string, content: (write: Write) => Promise<void>): Promise<void> {
  const { open, rm } = asyncFiles();
  try {
    const file = await open(path, "wx");
    try {
      // a disk that is nearly full takes a part, and refuses the next one
      await content(async (bytes) => {
        for (let done = 0; done < bytes.length; )
          done += (await file.write(bytes, done, bytes.length - done)).bytesWritten;
      });
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw diskError(error);
  }
}

/** Flushes the names in a folder: a new one may be lost in a power cut otherwise, though its file is flushed. */
export function syncFolder(path: string): void {
  // Windows opens no folders
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** `writeNew` without leaving the current task. Throws the system's errors. */
export function writeNewSync(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const file = openSync(path, "wx");
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
