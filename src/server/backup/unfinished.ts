/** The folder of what a backup or a restore needs while it runs. */
import { join } from "node:path";
import { FileLock } from "../../engine/storage/file-lock.ts";
import { ProjectError } from "../../lib/errors.ts";
import { withTemporaryFolder } from "../../lib/interruption.ts";

/**
 * Calls `work` with an empty folder, and removes it. One at a time in a project: whatever a killed process has left, as large as its content,
 * is removed by the next one. Rejects with a ProjectError while another process is at it.
 */
export async function withUnfinished<T>(
  data: string,
  work: (folder: string) => Promise<T>,
  name: "backup" | "restore" = "backup",
): Promise<T> {
  using lock = FileLock.acquire(join(data, `${name}-lock`));
  if (!lock) throw new ProjectError(data, undefined, "is being backed up or restored by another process");
  return await withTemporaryFolder(join(data, `${name}-unfinished`), work);
}
