/** The folder of uploaded files, and the hidden folder in it where unfinished ones are written. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { linkFile } from "../../lib/link-file.ts";
import { FileLock } from "../storage/file-lock.ts";
import { ensurePrivateFolder } from "../storage/private-file.ts";
import { createTemporaryFolder, removeTemporaryFolder } from "../storage/temporary-folder.ts";
import { diskError, writeNew } from "./disk.ts";

/** Hidden, so that nothing in it is ever served. */
const UNFINISHED = ".galley";

const LOCK = /^uploads-(.+)\.lock$/;

/** The owner that the name of an unfinished file starts with. */
export const parseOwner = (name: string): string => /^[^-]*-[^-.]*/.exec(name)?.[0] ?? name;

const readNames = (folder: string | undefined): string[] =>
  folder !== undefined && existsSync(folder) ? readdirSync(folder) : [];

/** Finished files as they were at some time, in a folder that exists as long as something needs it. Nothing in it changes. */
export class UploadSnapshot {
  readonly names: readonly string[];
  /** Undefined if there are no files. */
  readonly folder: string | undefined;
  #users = 0;

  constructor(names: readonly string[], from: string | undefined) {
    this.names = names;
    this.folder = from === undefined || names.length === 0 ? undefined : createTemporaryFolder("snapshot");
    this.linkTo(this.folder, from);
  }

  /** Links: files are replaced, never modified, so that a link keeps the current content. */
  linkTo(folder: string | undefined, from = this.folder): void {
    if (folder === undefined || from === undefined) return;
    for (const name of this.names) linkFile(join(from, name), join(folder, name));
  }

  use(): this {
    this.#users++;
    return this;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0 && this.folder !== undefined) removeTemporaryFolder(this.folder);
  }
}

export class UploadFolder {
  #path: string | undefined;
  readonly #isTemporary: boolean;
  readonly #lockFolder: string | undefined;
  #ownName: string | undefined;
  /** Held while the owner is running; a temporary folder is not shared and needs none. */
  #lock: FileLock | undefined;
  #counter = 0;
  /** What `snapshot` has returned. */
  readonly #taken = new Set<UploadSnapshot>();
  /** The finished files are those of this one; undefined after a change. */
  #unchanged: UploadSnapshot | undefined;

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

  /** Where finished files are read; undefined for a temporary folder before the first upload. */
  get path(): string | undefined {
    return this.#path ?? this.#unchanged?.folder;
  }

  get unfinished(): string | undefined {
    return this.#path === undefined ? undefined : join(this.#path, UNFINISHED);
  }

  /** Creates the folders. Throws errors of the disk. */
  ensure(): { readonly path: string; readonly unfinished: string } {
    try {
      if (this.#path === undefined) {
        const path = createTemporaryFolder("uploads");
        this.#unchanged?.linkTo(path);
        this.#path = path;
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
    const { path } = this;
    return path === undefined ? [] : readdirSync(path).filter((name) => name !== UNFINISHED);
  }

  /** To be called when finished files have changed. */
  changed(): void {
    this.#begin(undefined);
  }

  /** It exists until this folder is closed, and those that began with it. Of a temporary folder only. */
  snapshot(): UploadSnapshot {
    const snapshot = this.#now();
    if (!this.#taken.has(snapshot)) this.#taken.add(snapshot.use());
    return snapshot;
  }

  /** A temporary folder with the same finished files, which are shared until they change. */
  copy(): UploadFolder {
    const copy = new UploadFolder(undefined);
    copy.#begin(this.#now());
    return copy;
  }

  /** Restores the finished files of a snapshot. Of a temporary folder only. */
  restore(snapshot: UploadSnapshot): void {
    this.#begin(snapshot);
    this.#remove();
  }

  #now(): UploadSnapshot {
    return this.#unchanged ?? this.#begin(new UploadSnapshot(this.list(), this.#path));
  }

  #begin<S extends UploadSnapshot | undefined>(snapshot: S): S {
    const before = this.#unchanged;
    this.#unchanged = snapshot?.use();
    before?.release();
    return snapshot;
  }

  #remove(): void {
    if (this.#path !== undefined) removeTemporaryFolder(this.#path);
    this.#path = undefined;
  }

  close(): void {
    this.#lock?.release();
    this.#lock = undefined;
    if (!this.#isTemporary) return;
    this.#remove();
    for (const snapshot of this.#taken) snapshot.release();
    this.#taken.clear();
    this.#begin(undefined);
  }
}
