import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ArchiveSource } from "../transfer/archive/entries.ts";
import { UsageError } from "./command.ts";
import { findProject } from "./project-folder.ts";

const PROJECT_FILE = /\.(json|ya?ml|md|[cm]?[jt]s)$/;

/**
 * The archive at a path: a file, or a folder with an unpacked archive. Undefined for a project. Throws a UsageError for a key without an
 * archive.
 */
export function findArchive(root: string, key: string | undefined): ArchiveSource | undefined {
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats?.isFile() && PROJECT_FILE.test(root))
    throw new UsageError(
      `${root} is not an archive; ${findProject(dirname(root)) ?? "a project"} is named by its folder`,
    );
  const isArchive = stats?.isFile() || (existsSync(join(root, "metadata.json")) && !existsSync(join(root, "src/api")));
  if (isArchive) return { file: root, key };
  if (key !== undefined) throw new UsageError("--key is for archives");
  return undefined;
}

/** What an archive may be called. */
export const ARCHIVE = /\.(tar(\.gz)?|tgz)(\.enc)?$/;

/** The archive of that name; undefined for a name of something else. Throws a UsageError for one that does not exist. */
export function namedArchive(name: string, key: string | undefined): ArchiveSource | undefined {
  const path = resolve(name);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const archive = ARCHIVE.test(name) || isFolder ? findArchive(path, key) : undefined;
  if (!archive && ARCHIVE.test(name)) throw new UsageError(`there is no archive ${path}`);
  return archive;
}
