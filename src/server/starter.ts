/**
 * The projects that `galley init` writes. From source each is a folder of `data`; an executable has an archive of these
 * folders, which `scripts/embed-starter.ts` makes before the executable is compiled.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ProjectError } from "../errors.ts";

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

/**
 * Writes the starter into a folder, which is created where it is missing; returns the paths of the files. Throws a
 * ProjectError when one of them is there already; nothing is written then.
 */
export async function writeStarter(folder: string, template: Template = "starter"): Promise<readonly string[]> {
  const files = await readStarter(template);
  const there = [...files.keys()].filter((name) => existsSync(join(folder, name)));
  if (there.length > 0) {
    const others = there.length > 1 ? `, and so do ${there.length - 1} more files of the starter` : "";
    throw new ProjectError(join(folder, there[0]!), undefined, `exists already${others}; nothing was written`);
  }
  const written: string[] = [];
  try {
    for (const [name, content] of files) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content, { flag: "wx" });
      written.push(path);
    }
  } catch (error) {
    // a half-written starter would stand in the way of the next attempt
    for (const path of written) rmSync(path);
    throw error;
  }
  return [...files.keys()];
}
