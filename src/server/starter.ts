/**
 * The templates that `galley init` writes. They are folders of `data/`; an executable embeds them.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { asProjectError } from "../engine/storage/problems.ts";
import { readArchived } from "../lib/data-archive.ts";
import { ProjectError } from "../lib/errors.ts";
import { filesBelow } from "../lib/files-below.ts";

type Files = ReadonlyMap<string, Uint8Array>;

export const templates = ["starter", "blog", "empty"] as const;
export type Template = (typeof templates)[number];

export const templateFolder = (template: Template): string => join(import.meta.dir, "../../data", template);
const KEPT_EMPTY = "public/uploads/.gitkeep";

/** Files that serving a template creates in its folder: the database, uploads, secrets. */
const isGenerated = (name: string): boolean =>
  name.startsWith(".galley/") || name === ".env" || (name.startsWith("public/uploads/") && name !== KEPT_EMPTY);

/** The files of a template by path, with slashes on every system. */
export function readStarterFolder(folder = templateFolder("starter")): Files {
  const names = filesBelow(folder).filter((name) => !isGenerated(name));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

const readStarter = async (template: Template = "starter"): Promise<Files> =>
  Bun.isStandaloneExecutable ? readArchived(template) : readStarterFolder(templateFolder(template));

/** The first parent folder of `name` below `folder` whose path is taken by a file. */
function blockedFolder(folder: string, name: string): string | undefined {
  const parts = name.split("/").slice(0, -1);
  const paths = [folder, ...parts.map((_, index) => join(folder, ...parts.slice(0, index + 1)))];
  return paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false);
}

/** Throws a ProjectError if a file exists already, or if a file is in the place of its folder. */
function expectFree(folder: string, names: readonly string[]): void {
  const existing = names.filter((name) => blockedFolder(folder, name) === undefined && existsSync(join(folder, name)));
  if (existing.length > 0) {
    const count = existing.length - 1;
    const others =
      count > 0 ? `, and so ${count === 1 ? "does 1 more file" : `do ${count} more files`} of the starter` : "";
    throw new ProjectError(
      join(folder, existing[0]!),
      undefined,
      `exists already${others}; nothing was written (galley init <folder> writes into another one)`,
    );
  }
  const blocked = names.map((name) => blockedFolder(folder, name)).find((path) => path !== undefined);
  if (blocked !== undefined) throw new ProjectError(blocked, undefined, "is not a folder; nothing was written");
}

/** Writes a template into a folder, and other files with it. As `writeNewFiles`. */
export async function writeStarter(
  folder: string,
  template: Template = "starter",
  others: Files = new Map(),
): Promise<readonly string[]> {
  return writeNewFiles(folder, new Map([...(await readStarter(template)), ...others]));
}

/**
 * Writes files into a folder, which is created if it is missing. Returns their relative paths. Throws a ProjectError if one of them exists
 * already or cannot be written; everything written is removed again then.
 */
export function writeNewFiles(folder: string, files: Files): readonly string[] {
  expectFree(folder, [...files.keys()]);
  const created: string[] = [];
  try {
    for (const [name, content] of files) {
      const path = join(folder, name);
      const createdFolder = mkdirSync(dirname(path), { recursive: true });
      if (createdFolder !== undefined) created.push(createdFolder);
      const file = openSync(path, "wx");
      created.push(path);
      try {
        writeFileSync(file, content);
      } finally {
        closeSync(file);
      }
    }
  } catch (error) {
    // the remains would make the next attempt fail
    for (const path of created) rmSync(path, { recursive: true, force: true });
    throw asProjectError(error, folder);
  }
  return [...files.keys()];
}
