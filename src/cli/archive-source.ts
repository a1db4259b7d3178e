import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import { UsageError } from "./command.ts";

/** The archive at a path: a file, or a folder with an unpacked archive. Undefined for a project. Throws a UsageError for a key without an archive. */
export function findArchive(root: string, key: string | undefined): ArchiveSource | undefined {
  const stats = statSync(root, { throwIfNoEntry: false });
  const isArchive = stats?.isFile() || (existsSync(join(root, "metadata.json")) && !existsSync(join(root, "src/api")));
  if (isArchive) return { file: root, key };
  if (key !== undefined) throw new UsageError("--key is for archives");
  return undefined;
}
