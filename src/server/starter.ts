/**
 * The projects that `galley init` writes. From source each is a folder of `data`; an executable has an archive of these
 * folders, which `scripts/embed-starter.ts` makes before the executable is compiled.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ProjectError } from "../errors.ts";
import { asProjectError } from "../storage/problems.ts";

type Files = ReadonlyMap<string, Uint8Array>;

export const templates = ["starter", "blog", "empty"] as const;
export type Template = (typeof templates)[number];

export const templateFolder = (template: Template): string => join(import.meta.dir, "../../data", template);
const KEPT_EMPTY = "public/uploads/.gitkeep";

/** What a served starter has besides its own files: the database, uploads, secrets. */
const isMade = (name: string): boolean =>
  name.startsWith(".galley/") || name === ".env" || (name.startsWith("public/uploads/") && name !== KEPT_EMPTY);

/** The files of the folder by their paths, with slashes on every system. */
export function readStarterFolder(folder = templateFolder("starter")): Files {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter((name) => !isMade(name))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

async function readEmbedded(template: Template): Promise<Files> {
  // resolved when the executable is compiled: without the archive there is none
  const { default: path } = await import("../../dist/starter.tar.gz", { with: { type: "file" } });
  const files = await new Bun.Archive(await Bun.file(path).bytes()).files();
  return new Map(
    await Promise.all(
      [...files]
        .filter(([name]) => name.startsWith(`${template}/`))
        .map(
          async ([name, file]) => [name.slice(template.length + 1), new Uint8Array(await file.arrayBuffer())] as const,
        ),
    ),
  );
}

export const readStarter = async (template: Template = "starter"): Promise<Files> =>
  Bun.isStandaloneExecutable ? readEmbedded(template) : readStarterFolder(templateFolder(template));

/** The first folder of a path below `folder` that is something else there. */
function blockedFolder(folder: string, name: string): string | undefined {
  const parts = name.split("/").slice(0, -1);
  const paths = [folder, ...parts.map((_, index) => join(folder, ...parts.slice(0, index + 1)))];
  return paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false);
}

/** Throws a ProjectError for files that are there already, or cannot be. */
function expectFree(folder: string, names: readonly string[]): void {
  const there = names.filter((name) => blockedFolder(folder, name) === undefined && existsSync(join(folder, name)));
  if (there.length > 0) {
    const others = there.length > 1 ? `, and so do ${there.length - 1} more files of the starter` : "";
    throw new ProjectError(join(folder, there[0]!), undefined, `exists already${others}; nothing was written`);
  }
  const blocked = names.map((name) => blockedFolder(folder, name)).find((path) => path !== undefined);
  if (blocked !== undefined) throw new ProjectError(blocked, undefined, "is no folder; nothing was written");
}

/**
 * Writes the starter into a folder, which is created where it is missing; returns the paths of the files. Throws a
 * ProjectError when one of them is there already or cannot be written; nothing is left of it then.
 */
export async function writeStarter(folder: string, template: Template = "starter"): Promise<readonly string[]> {
  const files = await readStarter(template);
  expectFree(folder, [...files.keys()]);
  const made: string[] = [];
  try {
    for (const [name, content] of files) {
      const path = join(folder, name);
      const madeFolder = mkdirSync(dirname(path), { recursive: true });
      if (madeFolder !== undefined) made.push(madeFolder);
      const file = openSync(path, "wx");
      made.push(path);
      try {
        writeFileSync(file, content);
      } finally {
        closeSync(file);
      }
    }
  } catch (error) {
    // a half-written starter would stand in the way of the next attempt
    for (const path of made) rmSync(path, { recursive: true, force: true });
    throw asProjectError(error, folder);
  }
  return [...files.keys()];
}
