/** Writes files atomically, and converts errors of the disk to errors for clients. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { ApiError } from "../../lib/errors.ts";
import { diskFull } from "../storage/problems.ts";
import { asyncFiles } from "./async-files.ts";

/** The messages that clients see, by error code of the operating system. */
const messages: Readonly<Record<string, string>> = {
  EROFS: "The folder of uploads is read-only",
  EACCES: "The folder of uploads may not be written",
  EPERM: "The folder of uploads may not be written",
};

/** Converts an error of the disk, and logs it; returns other errors unchanged. */
export function diskError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const { code = "", path, message: reason } = error as { code?: string; path?: string; message?: string };
  if (!Object.hasOwn(messages, code)) return diskFull(error) ?? error;
  console.error(`galley: an upload was not stored: ${code}${path ? ` at ${path}` : `: ${reason}`}`);
  return new ApiError("InternalServerError", messages[code]!);
}

type Write = (bytes: Uint8Array) => Promise<void>;

/** Writes a new file; `flush`: also to the disk. On errors of `content` or the disk, removes the file and rejects. */
export async function writeNew(
  path: string,
  content: (write: Write) => Promise<void>,
  { flush = true }: { readonly flush?: boolean } = {},
): Promise<void> {
  const { open, rm } = asyncFiles();
  try {
    await using file = await open(path, "wx");
    // if the disk is nearly full, a write may be partial, and the next one fails
    await content(async (bytes) => {
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done)).bytesWritten;
    });
    if (flush) await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw diskError(error);
  }
}

/** Flushes a folder: otherwise a new name may be lost in a power failure, even if the file was flushed. */
export function syncFolder(path: string): void {
  // Windows cannot open folders
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** `writeNew`, synchronously and for the owner only. Throws errors of the operating system. */
export function writeNewSync(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const file = openSync(path, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
