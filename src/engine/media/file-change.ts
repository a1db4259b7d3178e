/**
 * Changes files and database atomically. A journal in the folder of unfinished files is written before any change, and the
 * transaction stores a mark. After a crash, `recover` finishes changes with a mark, and undoes the others. Everything between
 * journal and mark is synchronous, so that no other request sees a partial change.
 */
import { copyFileSync, existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import type { Storage } from "../storage/storage.ts";
import { diskError, syncFolder, writeNewSync } from "./disk.ts";
import { parseOwner, type UploadFolder } from "./upload-folder.ts";

const JOURNAL = ".json";

/** Names below the upload folder. */
interface Journal {
  /** New files. */
  readonly added: readonly string[];
  /** Replaced files; the old content is kept until the end. */
  readonly replaced: readonly string[];
  readonly drop: readonly string[];
}

interface Paths {
  readonly path: string;
  readonly unfinished: string;
}

const MARK = "upload:";
const mark = (id: string): string => `${MARK}${id}`;

/** Whether a name is that of a file directly in the folder, and not hidden. */
const isPlainName = (name: unknown): name is string =>
  typeof name === "string" && name !== "" && !name.startsWith(".") && !name.includes("\0") && basename(name) === name;

const backupPath = ({ unfinished }: Paths, id: string, index: number): string => join(unfinished, `${id}-${index}.old`);

/** Adds a second name for a file. */
function backUp(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // no hard links: copies under a temporary name, since an incomplete copy must not be used
    copyFileSync(from, `${to}.copy`);
    renameSync(`${to}.copy`, to);
  }
}

/** All old contents are backed up before the first file changes: without a backup, a file has not changed. */
function undo(paths: Paths, id: string, { added, replaced }: Journal): void {
  for (const name of added) rmSync(join(paths.path, name), { force: true });
  for (const [index, name] of replaced.entries()) {
    const backup = backupPath(paths, id, index);
    if (existsSync(backup)) renameSync(backup, join(paths.path, name));
  }
}

function finish(paths: Paths, id: string, { replaced, drop }: Journal): void {
  for (const name of drop) rmSync(join(paths.path, name), { force: true });
  for (const index of replaced.keys()) rmSync(backupPath(paths, id, index), { force: true });
}

export interface FileChange {
  /** Finished files by their new names; existing files are replaced. */
  readonly put: ReadonlyMap<string, string>;
  /** Files to be removed; names that are not plain are ignored. */
  readonly drop: readonly string[];
}

/**
 * The steps of a change, for callers with their own transaction: `apply` is the last step inside it, `finish` comes after the
 * commit, `undo` after a rollback.
 */
export class FileSwap {
  readonly #folder: UploadFolder;
  readonly #storage: Storage;
  readonly #change: FileChange;
  readonly #paths: Paths;
  readonly #file: string;
  readonly #id: string;
  #journal: Journal = { added: [], replaced: [], drop: [] };

  constructor(folder: UploadFolder, storage: Storage, change: FileChange) {
    const invalid = [...change.put.keys()].find((name) => !isPlainName(name));
    if (invalid !== undefined) throw new Error(`Not a plain file name: ${invalid}`);
    this.#folder = folder;
    this.#storage = storage;
    this.#change = change;
    this.#paths = folder.ensure();
    this.#file = folder.unfinishedFile(JOURNAL);
    this.#id = basename(this.#file, JOURNAL);
  }

  /** Undoes everything and throws if a file cannot be moved. */
  apply(): void {
    this.move();
    try {
      this.mark(this.#storage);
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  /** Records in the transaction of `storage` that the change is to be finished, even if this process is killed. */
  mark(storage: Storage): void {
    storage.setMeta(mark(this.#id), "");
  }

  /** The change of the files alone: it is undone after a crash, unless `mark` was committed. */
  move(): void {
    const { put, drop } = this.#change;
    const exists = (name: string): boolean => existsSync(join(this.#paths.path, name));
    const names = [...put.keys()];
    this.#journal = {
      added: names.filter((name) => !exists(name)),
      replaced: names.filter(exists),
      drop: drop.filter((name) => isPlainName(name) && !put.has(name)),
    };
    try {
      // flushed before the first file changes, to survive a power failure
      writeNewSync(this.#file, JSON.stringify(this.#journal));
      syncFolder(this.#paths.unfinished);
      for (const [index, name] of this.#journal.replaced.entries())
        backUp(join(this.#paths.path, name), backupPath(this.#paths, this.#id, index));
      this.#folder.changed();
      for (const [name, from] of put) renameSync(from, join(this.#paths.path, name));
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  undo(): void {
    this.#folder.changed();
    undo(this.#paths, this.#id, this.#journal);
    rmSync(this.#file, { force: true });
  }

  /** Never throws: the change is committed, and leftovers are removed at the next start. */
  finish(): void {
    const report = (error: unknown): void =>
      console.error(`galley: an upload is stored, but not all was tidied up: ${(error as Error).message}`);
    this.#folder.changed();
    try {
      finish(this.#paths, this.#id, this.#journal);
      rmSync(this.#file, { force: true });
    } catch (error) {
      return report(error);
    }
    // soon, unless another process is writing
    this.#storage.write(() => this.#storage.dropMeta(mark(this.#id))).catch(report);
  }
}

/** Runs `work` in a transaction together with the change of files. Undoes both if `work` or the disk fails. */
export function commitFiles<T>(folder: UploadFolder, storage: Storage, change: FileChange, work: () => T): T {
  const swap = new FileSwap(folder, storage, change);
  let result: T;
  try {
    // files change under the write lock, so that concurrent replacements leave content and record of the same process
    result = storage.transaction(() => {
      swap.apply();
      return work();
    });
  } catch (error) {
    swap.undo();
    throw diskError(error);
  }
  swap.finish();
  return result;
}

function readJournal(file: string): Journal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // incomplete: no file has changed yet
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const names = (list: unknown): string[] => (Array.isArray(list) ? list.filter(isPlainName) : []);
  return { added: names(value.added), replaced: names(value.replaced), drop: names(value.drop) };
}

function recoverChange(paths: Paths, storage: Storage, name: string): void {
  const file = join(paths.unfinished, name);
  const id = basename(name, JOURNAL);
  storage.transaction(() => {
    const journal = readJournal(file);
    if (!journal) return rmSync(file, { force: true });
    if (storage.meta(mark(id)) === undefined) undo(paths, id, journal);
    else finish(paths, id, journal);
    rmSync(file, { force: true });
  });
}

/** Finishes or undoes changes of killed processes, and removes their unfinished files and marks. */
export function recover(folder: UploadFolder, storage: Storage): void {
  const { path, unfinished } = folder;
  if (path === undefined || unfinished === undefined) return;
  const paths = { path, unfinished };
  // read before the owners, so that marks of processes that start in between are not included
  const marks = storage.metaKeys(MARK);
  const runningOwners = new Set<string>();
  for (const [owner, names] of folder.owners()) {
    using lock = folder.acquireLock(owner);
    if (!lock) {
      runningOwners.add(owner);
      continue;
    }
    for (const name of names.filter((item) => item.endsWith(JOURNAL))) recoverChange(paths, storage, name);
    for (const name of names) rmSync(join(unfinished, name), { force: true });
  }
  for (const key of marks) if (!runningOwners.has(parseOwner(key.slice(MARK.length)))) storage.dropMeta(key);
}
