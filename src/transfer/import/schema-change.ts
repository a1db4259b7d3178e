/**
 * Changes schema files atomically with the imported content. Before the first file is written, a journal in the project's data
 * folder stores their old content. The import's transaction stores a mark. `recoverSchemaFiles` removes the journal of an import
 * with a mark, and undoes an import without one.
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
import { syncFolder, writeNewSync } from "../../engine/media/disk.ts";
import { FileLock } from "../../engine/storage/file-lock.ts";
import { ensurePrivateFolder } from "../../engine/storage/private-file.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";

const lockPath = (journal: string): string => `${journal}.lock`;

/** Meta key: id of the last committed change. */
const MARK = "schema_change";

interface FileChange {
  /** Undefined: the file did not exist. */
  readonly before?: string;
  readonly after: string;
}

interface Journal {
  readonly id: string;
  /** By path relative to the project, with `/` as separator. */
  readonly files: Readonly<Record<string, FileChange>>;
  /** Folders that were created for them, outermost first. */
  readonly folders: readonly string[];
}

/** Only paths below `src` and `config` are accepted: a journal may be part of an untrusted project. */
const isSchemaPath = (path: string): boolean =>
  /^(src|config)(\/|$)/.test(path) && path.split("/").every((step) => /^[^\\:\0]+$/.test(step) && !/^\.+$/.test(step));

const isText = (value: unknown): value is string => typeof value === "string";

function isJournal(value: unknown): value is Journal {
  if (!isRecord(value) || !isText(value.id) || !isRecord(value.files) || !Array.isArray(value.folders)) return false;
  const changes = Object.values(value.files);
  return (
    changes.every(
      (change) => isRecord(change) && isText(change.after) && (change.before === undefined || isText(change.before)),
    ) && [...Object.keys(value.files), ...value.folders].every((path) => isText(path) && isSchemaPath(path))
  );
}

/** The missing folders of a file's path, outermost first. */
function missingFolders(root: string, file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); folder !== "." && !existsSync(join(root, folder)); folder = dirname(folder))
    missing.unshift(folder);
  return missing;
}

function createJournal(root: string, files: ReadonlyMap<string, string>): Journal {
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

/** Restores the old files. A file that was edited in the meantime is not changed. */
function restoreFiles(root: string, { files, folders }: Journal): void {
  for (const [file, { before, after }] of Object.entries(files)) {
    const path = join(root, file);
    if (!existsSync(path)) continue;
    const current = readFileSync(path, "utf8");
    // a process that was killed while it wrote or restored a file has written only the start of it
    if (!after.startsWith(current) && before?.startsWith(current) !== true) continue;
    if (before === undefined) rmSync(path);
    else writeFileSync(path, before);
  }
  // an empty folder of a content-type would be refused
  for (const folder of folders.toReversed()) {
    const path = join(root, folder);
    if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
  }
}

/**
 * Begins a change of schema files as part of an import: writes files, given by path relative to `root`. `file`: path of the journal. Throws
 * a ProjectError while another process changes the schemas, and errors of the file system; the files are unchanged then.
 */
export function beginSchemaChange(root: string, file: string, files: ReadonlyMap<string, string>) {
  ensurePrivateFolder(dirname(file));
  recoverSchemaFiles(root, file);
  const lock = FileLock.acquire(lockPath(file));
  if (!lock) throw new ProjectError(root, undefined, "another import changes its schemas");
  let journal: Journal | undefined;
  let isEnded = false;
  /** Call it after the transaction has committed. */
  const finish = (): void => {
    isEnded = true;
    rmSync(file, { force: true });
    lock.release();
  };
  /** Call it after a rollback. Has no effect after `finish`. */
  const undo = (): void => {
    if (isEnded) return;
    if (journal) restoreFiles(root, journal);
    finish();
  };
  try {
    journal = createJournal(root, files);
    writeFiles(root, file, journal);
  } catch (error) {
    undo();
    throw error;
  }
  const { id } = journal;
  return {
    finish,
    undo,
    /** Stores the mark. Call it in the import's transaction. */
    commit: (storage: Storage): void => storage.setMeta(MARK, id),
    /** Call it when the process ends, before or after the commit. */
    interrupt: (): void => (isCommitted(join(dirname(file), "content.db"), id) ? finish() : undo()),
  };
}

function writeFiles(root: string, journalFile: string, journal: Journal): void {
  // flushed before the first file changes, to survive a power failure
  const partFile = `${journalFile}.part`;
  rmSync(partFile, { force: true });
  writeNewSync(partFile, JSON.stringify(journal));
  renameSync(partFile, journalFile);
  syncFolder(dirname(journalFile));
  for (const [file, { after }] of Object.entries(journal.files)) {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, after);
  }
}

function isCommitted(database: string, id: string): boolean {
  if (!existsSync(database)) return false;
  using db = new Database(database, { readwrite: true });
  const hasMarks = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'galley_meta'").get() !== null;
  return hasMarks && db.query("SELECT 1 FROM galley_meta WHERE key = ? AND value = ?").get(MARK, id) !== null;
}

/**
 * Finishes or undoes a killed import. Has no effect while an import is running. Throws a ProjectError if files cannot be restored.
 */
export function recoverSchemaFiles(root: string, file: string): void {
  if (!existsSync(file)) return;
  using lock = FileLock.acquire(lockPath(file));
  if (!lock) return;
  try {
    // the import may have ended in the meantime
    if (!existsSync(file)) return;
    const journal: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isJournal(journal)) throw new Error(`${file} is not a journal of Galley`);
    if (!isCommitted(join(dirname(file), "content.db"), journal.id)) restoreFiles(root, journal);
    rmSync(file);
  } catch (error) {
    const reason = `the schema files of an interrupted import cannot be put back: ${(error as Error).message}`;
    throw Object.assign(new ProjectError(root, undefined, reason), { cause: error });
  }
}
