/**
 * Puts converted files into the place of those of an earlier format. They are complete in a folder of their own before anything
 * changes; what a killed process left undone is done by the next one.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ProjectError } from "../../../lib/errors.ts";
import { filesBelow } from "../../../lib/files-below.ts";
import { replaceFile } from "../../../lib/replace-file.ts";
import { parsePath } from "../../archive/paths.ts";

const FOLDER = ".migrated";
/** Written last: lists the earlier files that are to be removed. */
const JOURNAL = "complete.json";

/** An empty folder for the converted files, below that of the content. */
export function beginMigration(content: string): string {
  const folder = join(content, FOLDER);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** From now on, the migration will be finished. `earlier`: paths of the files that have been converted. */
export function completeMigration(content: string, earlier: readonly string[]): void {
  const folder = join(content, FOLDER);
  const converted = new Set(filesBelow(folder));
  const journal = JSON.stringify({ removed: earlier.filter((path) => !converted.has(path)) });
  replaceFile(join(folder, JOURNAL), (unfinished) => writeFileSync(unfinished, journal));
  finishMigration(content);
}

function readRemoved(file: string): readonly string[] {
  const { removed } = JSON.parse(readFileSync(file, "utf8")) as { removed?: unknown };
  // a path outside the folder must never be removed
  if (Array.isArray(removed) && removed.every((path) => typeof path === "string" && parsePath(path))) return removed;
  throw new ProjectError(file, "removed", "must list paths below the folder");
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Moves the files of a complete migration, if there is one. Throws a ProjectError for an invalid journal. */
export function finishMigration(content: string): void {
  const folder = join(content, FOLDER);
  if (!existsSync(join(folder, JOURNAL))) return;
  const removed = readRemoved(join(folder, JOURNAL));
  for (const path of filesBelow(folder)) {
    if (path === JOURNAL) continue;
    mkdirSync(dirname(join(content, path)), { recursive: true });
    renameSync(join(folder, path), join(content, path));
  }
  for (const path of removed) {
    rmSync(join(content, path), { force: true });
    removeIfEmpty(dirname(join(content, path)));
  }
  rmSync(folder, { recursive: true });
}
