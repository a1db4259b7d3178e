import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveWriter } from "../transfer/export/archive-writer.ts";

/** Writes an archive into a temporary folder, calls `use` with its path, and removes the folder. */
export async function withTemporaryArchive<T>(
  folder: string,
  write: (writer: ArchiveWriter, temporaryFolder: string) => Promise<void>,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const { ArchiveWriter } = await import("../transfer/export/archive-writer.ts");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "pull.tar");
  try {
    const writer = new ArchiveWriter({ file });
    try {
      await write(writer, folder);
      await writer.finish();
    } catch (error) {
      await writer.abandon();
      throw error;
    }
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
