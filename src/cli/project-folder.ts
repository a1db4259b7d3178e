import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isThere } from "../lib/is-there.ts";
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
  if (!isThere(root)) throw new UsageError(`there is no folder ${root}`);
  if (!isThere(join(root, "src/api"))) throw new UsageError(`${root} ${withoutTypes(root)}`);
  return root;
}

const PROJECT_FOLDERS: ReadonlySet<string> = new Set(["src", "config", "content", "public"]);

/** Why a folder is not a project, and what to do. */
function withoutTypes(root: string): string {
  const around = findProject(dirname(root));
  if (around !== undefined && PROJECT_FOLDERS.has(relative(around, root).split(sep)[0]!))
    return `is inside the project ${around}: name that folder`;
  const api = join(root, "api");
  if (existsSync(api) && readdirSync(api).some((name) => existsSync(join(api, name, "models"))))
    return "is a project of Strapi 3, whose models are in api/: Strapi has to migrate it to Strapi 5 first";
  return `has no content-types (src/api); galley init ${root} writes a small magazine to start from`;
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
