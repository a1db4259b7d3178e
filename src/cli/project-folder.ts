import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
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
