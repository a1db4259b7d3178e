/** The folder of uploaded files, and the hidden folder in it where unfinished ones are written. */
import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { FileLock } from "../storage/file-lock.ts";
import { ensurePrivateFolder } from "../storage/private-file.ts";
import { diskError, writeNew } from "./disk.ts";

/** Hidden, so that nothing in it is ever served. */
const UNFINISHED = ".galley";

const LOCK = /^uploads-(.+)\.lock$/;

/** The owner that the name of an unfinished file starts with. */
export const parseOwner = (name: string): string => /^[^-]*-[^-.]*/.exec(name)?.[0] ?? name;

const readNames = (folder: string | undefined): string[] =>
  folder !== undefined && existsSync(folder) ? readdirSync(folder) : [];

/** A snapshot of the finished files. */
export interface UploadSnapshot {
  readonly names: readonly string[];
  /** A folder with links to the files; undefined if there are none. */
  readonly folder: string | undefined;
}

/** Hard-links a file, or copies it if the file system does not support links. */
function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function isSameFile(left: string, right: string): boolean {
  const stats = statSync(left, { throwIfNoEntry: false });
  return stats !== undefined && stats.ino === statSync(right).ino;
}

export class UploadFolder {
  #path: string | undefined;
  readonly #isTemporary: boolean;
  readonly #lockFolder: string | undefined;
  #ownName: string | undefined;
  /** Held while the owner is running; a temporary folder is not shared and needs none. */
  #lock: FileLock | undefined;
  #counter = 0;

  /**
   * `path` undefined: a temporary folder, created on first use and removed at the end. `lockFolder`: the folder of locks;
   * default: that of unfinished files.
   */
  constructor(path: string | undefined, lockFolder?: string) {
    this.#path = path;
    this.#isTemporary = path === undefined;
    this.#lockFolder = lockFolder;
  }

  /** The prefix of this instance's unfinished files, created on first use. The process id in it is informative only. */
  get #owner(): string {
    this.#ownName ??= `${process.pid}-${Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex")}`;
    return this.#ownName;
  }

  /** Undefined for a temporary folder before the first upload. */
  get path(): string | undefined {
    return this.#path;
  }

  get unfinished(): string | undefined {
    return this.#path === undefined ? undefined : join(this.#path, UNFINISHED);
  }

  /** Creates the folders. Throws errors of the disk. */
  ensure(): { readonly path: string; readonly unfinished: string } {
    try {
      if (this.#path === undefined) {
        const { tmpdir } = require("node:os") as typeof import("node:os");
        this.#path = mkdtempSync(join(tmpdir(), "galley-uploads-"));
      }
      const unfinished = join(this.#path, UNFINISHED);
      // only this one is for the owner alone: web servers may read the finished files
      mkdirSync(this.#path, { recursive: true });
      ensurePrivateFolder(unfinished);
      return { path: this.#path, unfinished };
    } catch (error) {
      throw diskError(error);
    }
  }

  /** A path for a file that is being written. */
  unfinishedFile(extension: string): string {
    const { unfinished } = this.ensure();
    if (!this.#isTemporary) this.#lock ??= this.acquireLock(this.#owner);
    return join(unfinished, `${this.#owner}-${++this.#counter}${extension}`);
  }

  /** Acquires the lock of an owner of unfinished files; undefined while the owner is running. */
  acquireLock(owner: string): FileLock | undefined {
    return FileLock.acquire(join(this.#lockPath(), `uploads-${owner}.lock`));
  }

  /** The names of unfinished files by owner; empty for owners that have left only a lock. */
  owners(): ReadonlyMap<string, readonly string[]> {
    const unfinished = readNames(this.unfinished).filter((name) => !LOCK.test(name));
    const locked = readNames(this.#lockPath()).flatMap((name) => LOCK.exec(name)?.[1] ?? []);
    if (unfinished.length === 0 && locked.length === 0) return new Map();
    const byOwner = Map.groupBy(unfinished, parseOwner);
    return new Map([...byOwner.keys(), ...locked].map((owner) => [owner, byOwner.get(owner) ?? []]));
  }

  #lockPath(): string {
    return this.#lockFolder ?? this.ensure().unfinished;
  }

  /** Writes and flushes a file; returns its path. Throws errors of the disk. */
  async write(bytes: Uint8Array): Promise<string> {
    const path = this.unfinishedFile(".part");
    await writeNew(path, (write) => write(bytes));
    return path;
  }

  /** The names of finished files. */
  list(): readonly string[] {
    return this.#path === undefined ? [] : readdirSync(this.#path).filter((name) => name !== UNFINISHED);
  }

  /** Uses hard links: files are replaced, never modified, so that a link keeps the current content. */
  snapshot(): UploadSnapshot {
    const names = this.list();
    if (names.length === 0) return { names, folder: undefined };
    const { path, unfinished } = this.ensure();
    const folder = join(unfinished, `snapshot-${++this.#counter}`);
    mkdirSync(folder);
    for (const name of names) linkFile(join(path, name), join(folder, name));
    return { names, folder };
  }

  /** A temporary folder with the same finished files, as links: files are replaced, never modified. */
  copy(): UploadFolder {
    const copy = new UploadFolder(undefined);
    const names = this.list();
    if (names.length === 0) return copy;
    const { path } = copy.ensure();
    for (const name of names) linkFile(join(this.#path!, name), join(path, name));
    return copy;
  }

  /** Restores the finished files of a snapshot. */
  restore({ names, folder }: UploadSnapshot): void {
    const snapshotNames = new Set(names);
    for (const name of this.list()) if (!snapshotNames.has(name)) rmSync(join(this.#path!, name));
    if (folder === undefined) return;
    const { path } = this.ensure();
    for (const name of names) {
      const [from, to] = [join(folder, name), join(path, name)];
      if (isSameFile(to, from)) continue;
      rmSync(to, { force: true });
      linkFile(from, to);
    }
  }

  close(): void {
    this.#lock?.release();
    this.#lock = undefined;
    if (this.#isTemporary && this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  }
}
