/**
 * Writes the files of an export, and remembers them in the database that they are of. Nothing is written if files that were changed
 * since would be lost.
 */

import { copyFileSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Storage } from "../../engine/storage/storage.ts";
import { ProjectError } from "../../lib/errors.ts";
import { replaceFile } from "../../lib/replace-file.ts";
import { hashContent, hashFile } from "./digest.ts";

/** Maximum number of changed files in a message. */
const MAX_LISTED = 30;

/** Digests by path. */
type FolderState = Readonly<Record<string, string>>;

/** Meta key. A database may be exported into several folders. */
const keyOf = (folder: string): string => `content-files:${realpathSync(folder)}`;

export class FolderWriter {
  readonly #root: string;
  readonly #writes = new Map<string, (file: string) => void>();
  readonly #digests = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  get paths(): string[] {
    return [...this.#writes.keys()].sort();
  }

  text(path: string, content: string): void {
    this.#writes.set(path, (file) => writeFileSync(file, content));
    this.#digests.set(path, hashContent(content));
  }

  copy(path: string, from: string): void {
    this.#writes.set(path, (file) => copyFileSync(from, file));
    this.#digests.set(path, hashFile(from)!);
  }

  /**
   * Writes files that are new or different, and removes those of `earlier`, an earlier export, that this one does not have. Throws a
   * ProjectError if one of these was changed since `storage` has written it, unless `replacesChanges`, and writes nothing then.
   */
  apply(
    storage: Storage,
    earlier: readonly string[],
    replacesChanges: boolean,
  ): { readonly changed: number; readonly removed: number } {
    mkdirSync(this.#root, { recursive: true });
    const known = JSON.parse(storage.meta(keyOf(this.#root)) ?? "{}") as FolderState;
    const present = new Map([...this.paths, ...earlier].map((path) => [path, hashFile(join(this.#root, path))]));
    const changed = this.paths.filter((path) => present.get(path) !== this.#digests.get(path));
    const removed = earlier.filter((path) => !this.#writes.has(path) && present.get(path) !== undefined);
    const lost = [...changed, ...removed].filter(
      (path) => present.get(path) !== undefined && present.get(path) !== known[path],
    );
    if (lost.length > 0 && !replacesChanges) throw lostChanges(lost);
    for (const path of changed) this.#write(path);
    for (const path of removed) rmSync(join(this.#root, path), { force: true });
    return { changed: changed.length, removed: removed.length };
  }

  #write(path: string): void {
    const file = join(this.#root, path);
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, this.#writes.get(path)!);
  }

  /** Remembers what has been written. */
  remember(storage: Storage): void {
    storage.setMeta(keyOf(this.#root), JSON.stringify(Object.fromEntries(this.#digests)));
  }
}

const lostChanges = (paths: readonly string[]): ProjectError =>
  new ProjectError([
    ...paths.slice(0, MAX_LISTED).map((file) => ({
      file,
      key: undefined,
      reason: "was changed since this project last wrote it, and would be replaced or removed",
    })),
    ...(paths.length > MAX_LISTED
      ? [{ file: `${paths.length - MAX_LISTED} more files`, key: undefined, reason: "were changed as well" }]
      : []),
    { file: "nothing was written", key: undefined, reason: "--yes replaces these files" },
  ]);
