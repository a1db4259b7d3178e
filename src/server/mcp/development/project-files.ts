/** The files of a project that tools write: those below `src` and `config`, as bytes. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { NewContent } from "../../../admin/replace-files.ts";
import { applicationError } from "../../../lib/errors.ts";
import { filesBelow } from "../../../lib/files-below.ts";

const FOLDERS = ["src", "config"];
const MAX_BYTES = 64 * 1024 * 1024;

type ProjectFiles = ReadonlyMap<string, Buffer>;

/** Throws an ApplicationError for a project whose files cannot be kept in memory. */
export function readProjectFiles(root: string): ProjectFiles {
  const files = new Map<string, Buffer>();
  let bytes = 0;
  for (const folder of FOLDERS) {
    if (!statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory()) continue;
    for (const name of filesBelow(join(root, folder))) {
      if (name.includes("node_modules/")) continue;
      const content = readFileSync(join(root, folder, name));
      bytes += content.length;
      if (bytes > MAX_BYTES)
        throw applicationError("The files of src and config are too large for undo: change them yourself");
      files.set(`${folder}/${name}`, content);
    }
  }
  return files;
}

/** The content of a file before and after a change, in base64; null where it does not exist. */
export interface ChangedFile {
  readonly before: string | null;
  readonly after: string | null;
}

const encode = (content: Buffer | undefined): string | null => content?.toString("base64") ?? null;

export function changedFiles(before: ProjectFiles, after: ProjectFiles): ReadonlyMap<string, ChangedFile> {
  const changed = new Map<string, ChangedFile>();
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path), after.get(path)];
    if (old && now?.equals(old)) continue;
    changed.set(path, { before: encode(old), after: encode(now) });
  }
  return changed;
}

/** Later changes after earlier ones. What others changed between them keeps its earlier state, which is not the present one. */
export function joinChanges(changes: Iterable<readonly [path: string, ChangedFile]>): ReadonlyMap<string, ChangedFile> {
  const joined = new Map<string, ChangedFile>();
  for (const [path, next] of changes) {
    const { before, after } = joined.get(path) ?? { before: next.before, after: next.before };
    joined.set(path, { before, after: after === next.before ? next.after : after });
  }
  return joined;
}

/** The stored paths of sessions may be part of an untrusted project. */
function checked(path: string): string {
  const steps = path.split(/[/\\]/);
  if (FOLDERS.includes(steps[0]!) && !steps.includes("..")) return path;
  throw applicationError(`${path} is not a file of src or config`);
}

/** The files as they were before the changes. */
export const filesBefore = (changes: Parameters<typeof joinChanges>[0]): NewContent[] =>
  [...joinChanges(changes)].map(([path, { before }]) => ({
    path: checked(path),
    after: before === null ? null : Buffer.from(before, "base64"),
  }));

/** Null for a missing file. */
export function readEncoded(root: string, path: string): string | null {
  const file = join(root, checked(path));
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file).toString("base64") : null;
}
