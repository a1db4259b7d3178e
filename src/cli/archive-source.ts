import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import { UsageError } from "./command.ts";

/** The archive that is served in the place of a project: a file, or the folder of an unpacked one. */
export function archiveAt(root: string, key: string | undefined): ArchiveSource | undefined {
  const found = statSync(root, { throwIfNoEntry: false });
  const isArchive = found?.isFile() || (existsSync(join(root, "metadata.json")) && !existsSync(join(root, "src/api")));
  if (isArchive) return { file: root, key };
  if (key !== undefined) throw new UsageError("--key is for archives");
  return undefined;
}
