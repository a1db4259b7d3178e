import { join } from "node:path";
import { withTemporaryFolder } from "../lib/interruption.ts";
import type { ArchiveWriter } from "../transfer/export/archive-writer.ts";

/** Writes an archive into a temporary folder, calls `use` with its path, and removes the folder. */
export async function withTemporaryArchive<T>(
  folder: string,
  write: (writer: ArchiveWriter, temporaryFolder: string) => Promise<void>,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const { writeArchive } = await import("../transfer/export/archive-writer.ts");
  return withTemporaryFolder(folder, async () => {
    const file = join(folder, "pull.tar");
    await writeArchive({ file }, (writer) => write(writer, folder));
    return use(file);
  });
}
