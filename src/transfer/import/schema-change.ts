/**
 * Schema files change together with the content that is imported, or not at all. A journal in the project's data folder has
 * the files as they were before the first one is written, and the import's transaction leaves a mark. `recoverSchemaFiles`
 * removes the journal of an import that has the mark, and undoes one that was killed before.
 */
import { Database } from "bun:sqlite";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ProjectError } from "../../errors.ts";
import { syncFolder, writeNewSync } from "../../media/disk.ts";
import { isRecord } from "../../query/key-check.ts";
import { FileLock } from "../../storage/file-lock.ts";
import { ensurePrivateFolder } from "../../storage/private-file.ts";
import type { Storage } from "../../storage/storage.ts";

const lockOf = (journal: string): string => `${journal}.lock`;

/** The key in `galley_meta` of the last change that was committed. */
const MARK = "schema_change";

interface FileChange {
  /** Undefined: there was no file. */
  readonly before?: string;
  readonly after: string;
}

interface Journal {
  readonly id: string;
  /** By path below the project, with `/` between its steps. */
  readonly files: Readonly<Record<string, FileChange>>;
  /** Folders that were made for them, outermost first. */
  readonly folders: readonly string[];
}

/** Paths below `src` and `config` only: a journal may have come with a project from elsewhere. */
const isOwnPath = (path: string): boolean =>
  /^(src|config)(\/|$)/.test(path) && path.split("/").every((step) => /^[^\\:\0]+$/.test(step) && !/^\.+$/.test(step));

const isText = (value: unknown): value is string => typeof value === "string";

function isJournal(value: unknown): value is Journal {
  if (!isRecord(value) || !isText(value.id) || !isRecord(value.files) || !Array.isArray(value.folders)) return false;
  const changes = Object.values(value.files);
  return (
    changes.every(
      (change) => isRecord(change) && isText(change.after) && (change.before === undefined || isText(change.before)),
    ) && [...Object.keys(value.files), ...value.folders].every((path) => isText(path) && isOwnPath(path))
  );
}

/** The folders above a file that are not there, outermost first. */
function missingFolders(root: string, file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); folder !== "." && !existsSync(join(root, folder)); folder = dirname(folder))
    missing.unshift(folder);
  return missing;
}

function planned(root: string, files: ReadonlyMap<string, string>): Journal {
  const change = ([file, after]: [string, string]): [string, FileChange] => {
    const path = join(root, file);
    return [file, existsSync(path) ? { before: readFileSync(path, "utf8"), after } : { after }];
  };
  return {
    id: crypto.randomUUID(),
    files: Object.fromEntries([...files].map(change)),
    folders: [...new Set([...files.keys()].flatMap((file) => missingFolders(root, file)))],
  };
}

/** Puts back what was there. A file that somebody has edited since stays as it is. */
function undo(root: string, { files, folders }: Journal): void {
  for (const [file, { before, after }] of Object.entries(files)) {
    const path = join(root, file);
    if (!existsSync(path)) continue;
    const current = readFileSync(path, "utf8");
    // processes that were killed while they wrote or put back a file have written the beginning of it alone
    if (!after.startsWith(current) && before?.startsWith(current) !== true) continue;
    if (before === undefined) rmSync(path);
    else writeFileSync(path, before);
  }
  // the folder of a content-type without its file would be refused
  for (const folder of folders.toReversed()) {
    const path = join(root, folder);
    if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
  }
}

/** Runs between the survey of an archive and the end of its import. */
export class SchemaChange {
  readonly #root: string;
  readonly #file: string;
  readonly #journal: Journal;
  readonly #lock: FileLock;
  #isEnded = false;

  private constructor(root: string, file: string, journal: Journal, lock: FileLock) {
    this.#root = root;
    this.#file = file;
    this.#journal = journal;
    this.#lock = lock;
  }

  /**
   * Writes files, by their paths below `root`. `file`: the journal, in the project's data folder. Throws a ProjectError while
   * another process changes the schemas, and errors of the file system; the files are as they were then.
   */
  static begin(root: string, file: string, files: ReadonlyMap<string, string>): SchemaChange {
    ensurePrivateFolder(dirname(file));
    recoverSchemaFiles(root, file);
    const lock = FileLock.acquire(lockOf(file));
    if (!lock) throw new ProjectError(root, undefined, "another import changes its schemas");
    let change: SchemaChange | undefined;
    try {
      change = new SchemaChange(root, file, planned(root, files), lock);
      change.#write();
      return change;
    } catch (error) {
      if (change) change.undo();
      else lock.release();
      throw error;
    }
  }

  #write(): void {
    // on the disk before the first file changes, so that a power cut finds it
    const unfinished = `${this.#file}.part`;
    rmSync(unfinished, { force: true });
    writeNewSync(unfinished, JSON.stringify(this.#journal));
    renameSync(unfinished, this.#file);
    syncFolder(dirname(this.#file));
    for (const [file, { after }] of Object.entries(this.#journal.files)) {
      const path = join(this.#root, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, after);
    }
  }

  /** Part of the import's transaction. */
  commit(storage: Storage): void {
    storage.setMeta(MARK, this.#journal.id);
  }

  /** Called once the transaction has ended. */
  finish(): void {
    this.#isEnded = true;
    rmSync(this.#file, { force: true });
    this.#lock.release();
  }

  /** Called when the transaction was rolled back, or never began; without effect after `finish`. */
  undo(): void {
    if (this.#isEnded) return;
    undo(this.#root, this.#journal);
    this.finish();
  }
}

function isCommitted(database: string, id: string): boolean {
  if (!existsSync(database)) return false;
  const db = new Database(database, { readwrite: true });
  try {
    const hasMarks = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'galley_meta'").get() !== null;
    return hasMarks && db.query("SELECT 1 FROM galley_meta WHERE key = ? AND value = ?").get(MARK, id) !== null;
  } finally {
    db.close();
  }
}

/**
 * Ends what a killed import has begun; without effect while an import is running. Throws a ProjectError when files cannot be
 * put back.
 */
export function recoverSchemaFiles(root: string, file: string): void {
  if (!existsSync(file)) return;
  const lock = FileLock.acquire(lockOf(file));
  if (!lock) return;
  try {
    // the import may have ended in between
    if (!existsSync(file)) return;
    const journal: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isJournal(journal)) throw new Error(`${file} is not a journal of Galley`);
    if (!isCommitted(join(dirname(file), "content.db"), journal.id)) undo(root, journal);
    rmSync(file);
  } catch (error) {
    const reason = `the schema files of an interrupted import cannot be put back: ${(error as Error).message}`;
    throw Object.assign(new ProjectError(root, undefined, reason), { cause: error });
  } finally {
    lock.release();
  }
}
