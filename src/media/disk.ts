/** Writes files atomically, and refuses uploads with the cause when the disk is full. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { ApiError } from "../errors.ts";
import { diskFull } from "../storage/problems.ts";
import { asyncFiles } from "./async-files.ts";

/** What clients see of a folder that may not be written, by the system's codes. */
const refusals: Readonly<Record<string, string>> = {
  EROFS: "The folder of uploads is read-only",
  EACCES: "The folder of uploads may not be written",
  EPERM: "The folder of uploads may not be written",
};

/** The refusal for an error of the disk, which is logged; other errors as they are. */
export function diskError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const { code = "", path, message: reason } = error as { code?: string; path?: string; message?: string };
  if (!Object.hasOwn(refusals, code)) return diskFull(error) ?? error;
  console.error(`galley: an upload was not stored: ${code}${path ? ` at ${path}` : `: ${reason}`}`);
  return new ApiError("InternalServerError", refusals[code]!);
}

type Write = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes a new file, and flushes it if it is to last. Throws what `content` throws and a refusal of the disk; no file is left
 * then.
 */
export async function writeNew(
  path: string,
  content: (write: Write) => Promise<void>,
  { lasts = true }: { readonly lasts?: boolean } = {},
): Promise<void> {
  const { open, rm } = asyncFiles();
  try {
    const file = await open(path, "wx");
    try {
      // a disk that is nearly full takes a part, and refuses the next one
      await content(async (bytes) => {
        for (let done = 0; done < bytes.length; )
          done += (await file.write(bytes, done, bytes.length - done)).bytesWritten;
      });
      if (lasts) await file.sync();
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
