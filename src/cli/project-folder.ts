import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { UsageError } from "./command.ts";

const hasTypes = (folder: string): boolean => existsSync(join(folder, "src/api"));

/** The nearest folder with content-types: this one, or one above it. */
export function findProject(folder: string): string | undefined {
  if (hasTypes(folder)) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findProject(parent);
}

/**
 * The absolute path of a project's folder. Without an argument it is the nearest of the current folder and those above it that has
 * content-types. Throws a UsageError for a folder that is missing or has none.
 */
export function projectFolder(argument: string | undefined): string {
  const root = resolve(argument ?? findProject(process.cwd()) ?? ".");
  if (!existsSync(root)) throw new UsageError(`there is no folder ${root}`);
  if (!hasTypes(root))
    throw new UsageError(
      `${root} has no content-types (src/api); galley init ${root} writes a small magazine to start from`,
    );
  return root;
}

/** Throws a UsageError if the folder that a new file is to be in is not there. */
export function expectFolderOf(file: string): void {
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`there is no folder ${folder}`);
}

/** A path as a shell takes it, from the current folder if that is shorter. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  const shown = near.startsWith("..") ? path : near;
  return /^[\w./\\:-]*$/.test(shown) ? shown : `"${shown.replaceAll(/["$`]/g, "\\$&")}"`;
}

/** The next step after a command that has filled a project. */
export const serveHint = (root: string): string => `${["galley serve", shownPath(root)].join(" ").trim()} serves it`;
