/** The finished files of an upload folder. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { WorkInTurns } from "../../lib/in-turns.ts";
import { linkFile } from "../../lib/link-file.ts";
import { isAssetName } from "../../transfer/archive/paths.ts";

/** Names of uploaded files, without hidden files and folders. */
export const listUploads = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && isAssetName(entry.name))
        .map(({ name }) => name)
    : [];

/** Keeps the present bytes of files that another folder does not have yet. */
export function* linkUploads(from: string, to: string): WorkInTurns<void> {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const kept = new Set(readdirSync(to));
  for (const name of listUploads(from)) {
    if (!kept.has(name)) linkFile(join(from, name), join(to, name));
    yield;
  }
}
