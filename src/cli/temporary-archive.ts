import { join } from "node:path";
import { withTemporaryFolder } from "../engine/storage/temporary-folder.ts";
import type { Progress } from "../lib/progress.ts";
import type { ArchiveWriter } from "../transfer/export/archive-writer.ts";
import type { CommandCall } from "./command.ts";
import { withProgress } from "./progress.ts";

/** Writes an archive into a temporary folder, calls `use` with its path and what `write` has returned, and removes the folder. */
export async function withTemporaryArchive<Written, T>(
  call: CommandCall,
  folder: string,
  write: (writer: ArchiveWriter, temporaryFolder: string, progress: Progress) => Promise<Written>,
  use: (file: string, written: Written) => Promise<T>,
): Promise<T> {
  const { writeArchive } = await import("../transfer/export/archive-writer.ts");
  return withTemporaryFolder(folder, async () => {
    const file = join(folder, "pull.tar");
    const written = await withProgress(call, (progress) =>
      writeArchive({ file }, (writer) => write(writer, folder, progress)),
    );
    return use(file, written);
  });
}
