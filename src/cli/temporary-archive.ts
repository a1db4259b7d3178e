import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onInterruption } from "../lib/interruption.ts";
import type { ArchiveWriter } from "../transfer/export/archive-writer.ts";

/** Writes an archive into a temporary folder, calls `use` with its path, and removes the folder. */
export async function withTemporaryArchive<T>(
  folder: string,
  write: (writer: ArchiveWriter, temporaryFolder: string) => Promise<void>,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const { writeArchive } = await import("../transfer/export/archive-writer.ts");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "pull.tar");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const keep = onInterruption(remove);
  try {
    await writeArchive({ file }, (writer) => write(writer, folder));
    return await use(file);
  } finally {
    remove();
    keep();
  }
}
