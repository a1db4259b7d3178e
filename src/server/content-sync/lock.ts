/** One process synchronises the content of a project: two would each take what the other writes for changes of a person. */
import { join } from "node:path";
import { FileLock } from "../../engine/storage/file-lock.ts";
import { dataFolder } from "../project/project-source.ts";

/** Undefined while another process, or another server in this one, has it. Expects the folder of the database. */
export const lockContent = (root: string): FileLock | undefined =>
  FileLock.acquire(join(dataFolder(root), "content.lock"));
