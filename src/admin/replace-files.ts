/**
 * Replaces several files of the project atomically. All new content is written before the first file changes, and previous files are kept
 * as hard links until the end, so that they can be restored on a full disk as well.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findErrorCode } from "../lib/error-code.ts";
import { applicationError } from "../lib/errors.ts";
import { linkFile } from "../lib/link-file.ts";

export interface NewContent {
  /** Relative to the project folder, with `/` as separator. */
  readonly path: string;
  /** Null removes the file. */
  readonly after: string | Uint8Array | null;
}

export interface Replacement {
  /** Restores the previous files. */
  readonly restore: () => void;
  /** Removes the previous files. Never throws. */
  readonly finish: () => void;
}

function createReplacement(root: string, { path: file, after }: NewContent, index: number) {
  const path = join(root, file);
  // beside the file: names that begin with a dot are not read as project files
  const temporary = join(dirname(path), `.${process.pid}-${basename(path)}.tmp`);
  // outside the folder, which is removed with its last file
  return { path, after, temporary, backup: join(root, `.galley-${process.pid}-${index}.old`) };
}

function backUp({ path, backup }: ReturnType<typeof createReplacement>): void {
  rmSync(backup, { force: true });
  if (existsSync(path)) linkFile(path, backup);
}

/** Removes the emptied folders above a removed file, up to the folder of a kind of files, such as `src/api`. */
function removeEmptyFolders(root: string, file: string): void {
  for (let folder = dirname(file); folder.split("/").length > 2; folder = dirname(folder)) {
    const path = join(root, folder);
    if (!existsSync(path)) continue;
    if (readdirSync(path).length > 0) return;
    rmdirSync(path);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EROFS: "the disk is read-only",
  EACCES: "the server's user may not",
  EPERM: "the server's user may not",
  ENAMETOOLONG: "its name is too long",
};

/** An ApplicationError that names the file, where the system does not let it be written; other errors unchanged. */
function asRefusal(error: unknown, file: string | undefined): unknown {
  const reason = REASONS[findErrorCode(error)];
  if (file === undefined || reason === undefined) return error;
  return applicationError(`${file} cannot be written: ${reason}`);
}

/**
 * Throws an ApplicationError for files that may not be written, and otherwise the system's errors; the files are then unchanged.
 * `mode`: permissions; by default those that a file has.
 */
export function replaceFiles(root: string, files: readonly NewContent[], mode?: number): Replacement {
  const steps = files.map((file, index) => createReplacement(root, file, index));
  const removeFolders = (): void => {
    for (const { path } of files) removeEmptyFolders(root, path);
  };
  const finish = (): void => {
    try {
      const leftovers = steps.flatMap(({ temporary, backup }) => [temporary, backup]);
      // a read-only disk refuses to remove even what is not there
      for (const path of leftovers.filter((item) => existsSync(item))) rmSync(path, { force: true });
      removeFolders();
    } catch (error) {
      console.error(`galley: files are replaced, but not all was tidied up: ${(error as Error).message}`);
    }
  };
  const restore = (): void => {
    for (const { path, backup } of steps) {
      if (!existsSync(backup)) rmSync(path, { force: true });
      else {
        mkdirSync(dirname(path), { recursive: true });
        renameSync(backup, path);
      }
    }
    finish();
  };
  let file: string | undefined;
  try {
    for (const [index, step] of steps.entries()) {
      file = files[index]?.path;
      mkdirSync(dirname(step.path), { recursive: true });
      const own = mode ?? statSync(step.path, { throwIfNoEntry: false })?.mode;
      if (step.after !== null) writeFileSync(step.temporary, step.after, { mode: own });
      backUp(step);
    }
  } catch (error) {
    finish();
    throw asRefusal(error, file);
  }
  try {
    for (const { path, after, temporary } of steps) {
      if (after === null) rmSync(path, { force: true });
      else renameSync(temporary, path);
    }
    // the folder of a type without its file would be an error
    removeFolders();
  } catch (error) {
    restore();
    throw error;
  }
  return { restore, finish };
}
