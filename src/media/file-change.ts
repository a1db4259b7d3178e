/**
 * Files and database change together or not at all. A journal in the folder of unfinished files says what is about to
 * happen before it does, and the transaction leaves a mark; after a crash, `recover` finishes what has the mark and
 * undoes what has not. Everything between journal and mark is synchronous, so that within the process nobody sees a
 * half of it.
 */
import { copyFileSync, existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { isRecord } from "../query/key-check.ts";
import type { Storage } from "../storage/storage.ts";
import { diskError, syncFolder, writeNewSync } from "./disk.ts";
import { ownerOf, type UploadFolder } from "./upload-folder.ts";

const JOURNAL = ".json";

/** Names below the upload folder. */
interface Journal {
  /** Files that were not there before. */
  readonly added: readonly string[];
  /** Files whose content is replaced; the old one is kept until the end. */
  readonly replaced: readonly string[];
  readonly drop: readonly string[];
}

interface Paths {
  readonly path: string;
  readonly unfinished: string;
}

const MARK = "upload:";
const mark = (id: string): string => `${MARK}${id}`;

/** A name that can only be a file right below the folder, and never a hidden one. */
const isPlainName = (name: unknown): name is string =>
  typeof name === "string" && name !== "" && !name.startsWith(".") && !name.includes("\0") && basename(name) === name;

const backupOf = ({ unfinished }: Paths, id: string, index: number): string => join(unfinished, `${id}-${index}.old`);

/** Keeps the content of a file under a second name. */
function backUp(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // a file system without links; a copy that breaks off must not pass for the file
    copyFileSync(from, `${to}.copy`);
    renameSync(`${to}.copy`, to);
  }
}

/** Every old content is kept before the first file changes: where none is kept, nothing has changed. */
function undo(paths: Paths, id: string, { added, replaced }: Journal): void {
  for (const name of added) rmSync(join(paths.path, name), { force: true });
  for (const [index, name] of replaced.entries()) {
    const backup = backupOf(paths, id, index);
    if (existsSync(backup)) renameSync(backup, join(paths.path, name));
  }
}

function finish(paths: Paths, id: string, { replaced, drop }: Journal): void {
  for (const name of drop) rmSync(join(paths.path, name), { force: true });
  for (const index of replaced.keys()) rmSync(backupOf(paths, id, index), { force: true });
}

export interface FileChange {
  /** Finished files by the name that they are to have; an existing file of that name is replaced. */
  readonly put: ReadonlyMap<string, string>;
  /** Names to be removed; names that are no plain file names are left alone. */
  readonly drop: readonly string[];
}

/**
 * The steps of a change, for whoever has a transaction of its own: `apply` inside it as the last step, `finish` once it is
 * committed, `undo` when it was not.
 */
export class FileSwap {
  readonly #storage: Storage;
  readonly #change: FileChange;
  readonly #paths: Paths;
  readonly #file: string;
  readonly #id: string;
  #journal: Journal = { added: [], replaced: [], drop: [] };

  constructor(folder: UploadFolder, storage: Storage, change: FileChange) {
    const invalid = [...change.put.keys()].find((name) => !isPlainName(name));
    if (invalid !== undefined) throw new Error(`Not a plain file name: ${invalid}`);
    this.#storage = storage;
    this.#change = change;
    this.#paths = folder.ensure();
    this.#file = folder.unfinishedFile(JOURNAL);
    this.#id = basename(this.#file, JOURNAL);
  }

  /** Takes everything back when a file cannot be moved. Throws the system's errors. */
  apply(): void {
    const { put, drop } = this.#change;
    const isThere = (name: string): boolean => existsSync(join(this.#paths.path, name));
    const names = [...put.keys()];
    this.#journal = {
      added: names.filter((name) => !isThere(name)),
      replaced: names.filter(isThere),
      drop: drop.filter((name) => isPlainName(name) && !put.has(name)),
    };
    try {
      // on the disk before the first file changes, so that a power cut finds it
      writeNewSync(this.#file, JSON.stringify(this.#journal));
      syncFolder(this.#paths.unfinished);
      for (const [index, name] of this.#journal.replaced.entries())
        backUp(join(this.#paths.path, name), backupOf(this.#paths, this.#id, index));
      for (const [name, from] of put) renameSync(from, join(this.#paths.path, name));
      this.#storage.setMeta(mark(this.#id), "");
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  undo(): void {
    undo(this.#paths, this.#id, this.#journal);
    rmSync(this.#file, { force: true });
  }

  /** Never throws: the change is committed, and what is left of it goes at the next start. */
  finish(): void {
    const report = (error: unknown): void =>
      console.error(`galley: an upload is stored, but not all was tidied up: ${(error as Error).message}`);
    try {
      finish(this.#paths, this.#id, this.#journal);
      rmSync(this.#file, { force: true });
    } catch (error) {
      return report(error);
    }
    // at once, unless another process writes
    this.#storage.write(() => this.#storage.dropMeta(mark(this.#id))).catch(report);
  }
}

/**
 * Runs `work` in a transaction together with the change of files. Throws what `work` throws and a refusal of the disk, with
 * everything as it was.
 */
export function commitFiles<T>(folder: UploadFolder, storage: Storage, change: FileChange, work: () => T): T {
  const swap = new FileSwap(folder, storage, change);
  let result: T;
  try {
    // files change while nobody else may write, so that two processes that replace a file leave content and record of one
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
    // written only in part: nothing had happened yet
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

/** Finishes or undoes what killed processes left, and removes their unfinished files and marks. */
export function recover(folder: UploadFolder, storage: Storage): void {
  const { path, unfinished } = folder;
  if (path === undefined || unfinished === undefined) return;
  const paths = { path, unfinished };
  // read before the owners, so that none of them has started to work in between
  const marks = storage.metaKeys(MARK);
  const atWork = new Set<string>();
  for (const [owner, names] of folder.owners()) {
    const lock = folder.lockOf(owner);
    if (!lock) {
      atWork.add(owner);
      continue;
    }
    try {
      for (const name of names.filter((item) => item.endsWith(JOURNAL))) recoverChange(paths, storage, name);
      for (const name of names) rmSync(join(unfinished, name), { force: true });
    } finally {
      lock.release();
    }
  }
  for (const key of marks) if (!atWork.has(ownerOf(key.slice(MARK.length)))) storage.dropMeta(key);
}
