/** One process synchronises the content of a project: two would each take what the other writes for changes of a person. */
import { dirname, isAbsolute, join } from "node:path";
import { FileLock } from "../../engine/storage/file-lock.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { dataFolder } from "../project/project-source.ts";

const POLL_MS = 20;

/** Undefined while another process, or another server in this one, has it. Expects the folder of the database. */
export const lockContent = (root: string): FileLock | undefined =>
  FileLock.acquire(join(dataFolder(root), "content.lock"));

/**
 * For one pass, as a command also reads the files beside a server: both would create the documents of new ones. Waits while another
 * process has it, unless `isStopped`; undefined then, and for a database in memory.
 */
export async function lockPass(
  { db: { filename } }: Storage,
  isStopped: () => boolean = () => false,
): Promise<FileLock | undefined> {
  if (!isAbsolute(filename)) return undefined;
  const path = join(dirname(filename), "content-pass.lock");
  for (; !isStopped(); await Bun.sleep(POLL_MS)) {
    const lock = FileLock.acquire(path);
    if (lock) return lock;
  }
  return undefined;
}
