/** What was last seen of watched files and folders, so that later looks find what has changed. */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, sep } from "node:path";
import { findErrorCode } from "../lib/error-code.ts";
import type { WorkInTurns } from "../lib/in-turns.ts";

interface Folder {
  /** Differs once an entry was added, removed or replaced; NaN if it may not differ. */
  stamp: number;
  /** Stamps by name; of folders, their inodes. */
  readonly entries: Map<string, number>;
}

interface Found {
  readonly stamp: number;
  /** Of a folder: as that of `Folder`. */
  readonly listing: number | undefined;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Files that are looked at before others get a turn. */
const LISTED = 50;
/** The coarsest times that file systems have. */
const COARSEST_TIME_MS = 2000;

export const isIgnored = (name: string): boolean => name.startsWith(".") || name === "node_modules";

const hash = (text: string): number => Bun.hash.xxHash32(text);

/** Undefined for what is not there. */
function describe(path: string): Found | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const { ino, size, mtimeMs, ctimeMs: changedAt } = stats;
    if (!stats.isDirectory())
      return { stamp: hash(`${ino} ${size} ${mtimeMs} ${changedAt}`), listing: undefined, changedAt };
    const isRecent = Date.now() - mtimeMs < COARSEST_TIME_MS;
    return { stamp: ino, listing: isRecent ? Number.NaN : hash(`${ino} ${mtimeMs}`), changedAt };
  } catch (error) {
    // an unreadable file is not one that is gone
    return { stamp: hash(findErrorCode(error)), listing: undefined, changedAt: 0 };
  }
}

export class WatchedFiles {
  readonly #root: string;
  readonly #watched: readonly string[];
  readonly #changed: (path: string) => void;
  readonly #folders = new Map<string, Folder>();
  /** Until the first look is over: what has changed since then counts as changed. */
  #since: number | undefined;
  /** A look at everything, a part at a time. */
  #round: WorkInTurns<void> | undefined;

  /** `changed` is called with each file or folder that is new, different, or gone. `since`: milliseconds since 1970. */
  constructor(root: string, watched: readonly string[], since: number, changed: (path: string) => void) {
    this.#root = root;
    this.#watched = watched;
    this.#since = since;
    this.#changed = changed;
  }

  /** Differs when a watched folder was replaced by another. */
  get identity(): string {
    const entries = this.#folders.get(this.#root)?.entries;
    return this.#watched.map((name) => entries?.get(name)).join();
  }

  /** The first look. */
  *begin(): WorkInTurns<void> {
    yield* this.#visit(this.#root);
    this.#since = undefined;
  }

  /** Looks at a path below the root, and below it. */
  *look(path: string): WorkInTurns<void> {
    const parent = dirname(path);
    const folder = this.#folders.get(parent);
    if (folder && this.#compare(folder, path, basename(path))) yield* this.#visit(path);
    // one that is new, too
    if (!folder && parent.length > this.#root.length) yield* this.look(parent);
  }

  /** Looks at the entries of folders that have changed. */
  *lookIntoFolders(): WorkInTurns<void> {
    for (const [path, { stamp }] of [...this.#folders])
      if (path === this.#root || describe(path)?.listing !== stamp) yield* this.#visit(path);
  }

  /** Looks at as many files as take so many milliseconds, beginning behind those of the last time. */
  *lookAtSome(milliseconds: number): WorkInTurns<void> {
    this.#round ??= this.#visitAll();
    for (let spent = 0; spent < milliseconds; yield) {
      const began = performance.now();
      if (this.#round.next().done) {
        this.#round = undefined;
        return;
      }
      spent += performance.now() - began;
    }
  }

  *#visitAll(): WorkInTurns<void> {
    for (const path of [...this.#folders.keys()]) {
      if (this.#folders.has(path)) yield* this.#visit(path);
      yield;
    }
  }

  /** Looks at all entries of a folder, and into folders among them that have changed. */
  *#visit(path: string): WorkInTurns<void> {
    const folder = this.#folders.getOrInsertComputed(path, () => ({ stamp: Number.NaN, entries: new Map() }));
    // before its names are read: what comes then is seen the next time
    folder.stamp = describe(path)?.listing ?? Number.NaN;
    const names = this.#names(path);
    let present = 0;
    for (const [index, name] of names.entries()) {
      if (index % LISTED === LISTED - 1) yield;
      const below = path + sep + name;
      if (this.#compare(folder, below, name)) yield* this.#visit(below);
      if (folder.entries.has(name)) present++;
    }
    if (folder.entries.size === present) return;
    const current = new Set(names);
    for (const name of folder.entries.keys()) if (!current.has(name)) this.#compare(folder, path + sep + name, name);
  }

  #names(path: string): readonly string[] {
    if (path === this.#root) return this.#watched;
    try {
      return readdirSync(path).filter((name) => !isIgnored(name));
    } catch {
      // gone or unreadable, as all that was in it
      return [];
    }
  }

  /** Compares an entry with what was seen of it before. Returns whether it is a folder whose entries may have changed. */
  #compare({ entries }: Folder, path: string, name: string): boolean {
    const found = describe(path);
    const before = entries.get(name);
    if (found?.stamp !== before) {
      if (this.#since === undefined || (found && found.changedAt >= this.#since)) this.#changed(path);
      if (found?.listing === undefined) this.#forgetFolder(path);
    }
    if (found) entries.set(name, found.stamp);
    else entries.delete(name);
    return found?.listing !== undefined && this.#folders.get(path)?.stamp !== found.listing;
  }

  #forgetFolder(path: string): void {
    const folder = this.#folders.get(path);
    this.#folders.delete(path);
    for (const name of folder?.entries.keys() ?? []) {
      this.#changed(path + sep + name);
      this.#forgetFolder(path + sep + name);
    }
  }
}
