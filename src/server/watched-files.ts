/** What was last seen of watched files and folders, so that later looks find what has changed. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { WorkInTurns } from "../lib/in-turns.ts";

/** Files that are looked at before others get a turn. */
const LISTED = 50;

export const isIgnored = (name: string): boolean => name.startsWith(".") || name === "node_modules";

const hash = (text: string): number => Bun.hash.xxHash32(text);

interface Found {
  /** Of a folder the inode, since its times change with those of its files. */
  readonly stamp: number;
  readonly isFolder: boolean;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Undefined for what is not there. */
function describe(path: string): Found | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const { ino, size, mtimeMs, ctimeMs: changedAt } = stats;
    const isFolder = stats.isDirectory();
    return { stamp: isFolder ? ino : hash(`${ino} ${size} ${mtimeMs} ${changedAt}`), isFolder, changedAt };
  } catch (error) {
    // an unreadable file is not one that is gone
    return { stamp: hash(String((error as { code?: string }).code)), isFolder: false, changedAt: 0 };
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !isIgnored(name));
  } catch {
    // gone or unreadable, as all that was in it
    return [];
  }
}

export class WatchedFiles {
  readonly #root: string;
  readonly #paths: readonly string[];
  readonly #changed: (path: string) => void;
  readonly #stamps = new Map<string, number>();
  readonly #folders = new Set<string>();
  /** Until the first look is over: what has changed since then counts as changed. */
  #since: number | undefined;

  /** `changed` is called with each file or folder that is new, different, or gone. `since`: milliseconds since 1970. */
  constructor(root: string, watched: readonly string[], since: number, changed: (path: string) => void) {
    this.#root = root;
    this.#paths = watched.map((name) => join(root, name));
    this.#since = since;
    this.#changed = changed;
  }

  /** Differs when a watched folder was replaced by another. */
  get identity(): string {
    return this.#paths.map((path) => this.#stamps.get(path)).join();
  }

  *lookAtAll(): WorkInTurns<void> {
    for (const path of this.#paths) yield* this.look(path);
    this.#since = undefined;
  }

  /** Looks at a path below the root, and at all that is or was below it. */
  *look(path: string): WorkInTurns<void> {
    const parent = dirname(path);
    // one that is new, too
    if (parent.length > this.#root.length && !this.#folders.has(parent)) return yield* this.look(parent);
    // what others find meanwhile is not gone
    const below = this.#folders.delete(path) ? [...this.#stamps.keys()].filter((at) => at.startsWith(path + sep)) : [];
    const present = new Set<string>();
    yield* this.#visit(path, present);
    for (const known of [path, ...below]) {
      if (present.has(known)) continue;
      this.#folders.delete(known);
      if (this.#stamps.delete(known)) this.#changed(known);
    }
  }

  *#visit(path: string, present: Set<string>): WorkInTurns<void> {
    const found = describe(path);
    if (!found) return;
    present.add(path);
    if (found.stamp !== this.#stamps.get(path)) {
      this.#stamps.set(path, found.stamp);
      if (this.#since === undefined || found.changedAt >= this.#since) this.#changed(path);
    }
    if (!found.isFolder) return;
    this.#folders.add(path);
    for (const name of listNames(path)) {
      if (present.size % LISTED === 0) yield;
      yield* this.#visit(path + sep + name, present);
    }
  }
}
