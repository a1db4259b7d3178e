/**
 * Replaces several files of the project atomically. All new content is written before the first file changes, and previous files are kept
 * as hard links until the end, so that they can be restored on a full disk as well.
 */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

export interface NewText {
  /** Relative to the project folder, with `/` as separator. */
  readonly path: string;
  /** Null removes the file. */
  readonly after: string | null;
}

export interface Replacement {
  /** Restores the previous files. */
  readonly restore: () => void;
  /** Removes the previous files. Never throws. */
  readonly finish: () => void;
}

interface Step {
  readonly path: string;
  readonly after: string | null;
  /** The new content, beside the file: names that begin with a dot are not read as project files. */
  readonly written: string;
  /** The old content, outside the folder, which goes with its last file. */
  readonly kept: string;
}

function stepOf(root: string, { path: file, after }: NewText, index: number): Step {
  const path = join(root, file);
  const written = join(dirname(path), `.${process.pid}-${basename(path)}.tmp`);
  return { path, after, written, kept: join(root, `.galley-${process.pid}-${index}.old`) };
}

/** Creates a hard link to a file, or a copy. */
function keep({ path, kept }: Step): void {
  rmSync(kept, { force: true });
  if (!existsSync(path)) return;
  try {
    linkSync(path, kept);
  } catch {
    // a file system without links
    copyFileSync(path, kept);
  }
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

/** Throws the system's errors; the files are as they were then. `mode`: that of the files. */
export function replaceFiles(root: string, files: readonly NewText[], mode = 0o666): Replacement {
  const steps = files.map((file, index) => stepOf(root, file, index));
  const removeFolders = (): void => {
    for (const { path } of files) removeEmptyFolders(root, path);
  };
  const finish = (): void => {
    try {
      for (const { written, kept } of steps) for (const path of [written, kept]) rmSync(path, { force: true });
      removeFolders();
    } catch (error) {
      console.error(`galley: files are replaced, but not all was tidied up: ${(error as Error).message}`);
    }
  };
  const restore = (): void => {
    for (const { path, kept } of steps) {
      if (!existsSync(kept)) rmSync(path, { force: true });
      else {
        mkdirSync(dirname(path), { recursive: true });
        renameSync(kept, path);
      }
    }
    finish();
  };
  try {
    for (const step of steps) {
      mkdirSync(dirname(step.path), { recursive: true });
      if (step.after !== null) writeFileSync(step.written, step.after, { mode });
      keep(step);
    }
  } catch (error) {
    finish();
    throw error;
  }
  try {
    for (const { path, after, written } of steps) {
      if (after === null) rmSync(path, { force: true });
      else renameSync(written, path);
    }
    // the folder of a type without its file would be refused
    removeFolders();
  } catch (error) {
    restore();
    throw error;
  }
  return { restore, finish };
}
