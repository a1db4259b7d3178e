/** What files and database said when they were last equal, by file. Stored in the database, in the transactions of its writes. */
import { changeLog } from "../../engine/storage/change-log/change-log.ts";
import { hasTable } from "../../engine/storage/has-table.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { WorkInTurns } from "../../lib/in-turns.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";

/** How a file on disk is recognised as unchanged without reading it. */
export interface FileStamp {
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly inode: number;
}

export interface SyncedFile extends FileStamp {
  /** Below the folder, with "/" and extension. */
  readonly path: string;
  readonly uid: string;
  readonly documentId: string;
  /** Of the file's bytes. */
  readonly digest: string;
  /** The document as it was read from the database. */
  readonly stored: ContentFile;
  /** What the file said, if that differs from `stored`. */
  readonly written: ContentFile | undefined;
  /** The database has changes that are not in the file. */
  readonly isBehind: boolean;
  /** Attributes for which the file's value was taken, though the database had another one; empty: of the document as a whole. */
  readonly conflicts: readonly string[];
  /** The last change of the database when the file was applied. */
  readonly appliedAt: number;
}

/** What a file's state becomes once its text is on disk. */
export type PendingFile = Omit<SyncedFile, keyof FileStamp>;

/** Of a file that says what the database does. */
export const SETTLED = { written: undefined, isBehind: false, conflicts: [], appliedAt: 0 } as const;

const SEQUENCE = "content_sequence";
const ATTRIBUTES = "content_attributes";
const TABLE = `CREATE TABLE IF NOT EXISTS galley_content (
  path TEXT PRIMARY KEY, uid TEXT NOT NULL, document_id TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL,
  modified REAL NOT NULL, inode INTEGER NOT NULL, stored TEXT NOT NULL, written TEXT, behind INTEGER NOT NULL, conflicts TEXT NOT NULL,
  applied_at INTEGER NOT NULL)`;
// files that are about to be written: a killed process may have written them
const PENDING = "CREATE TABLE IF NOT EXISTS galley_content_pending (path TEXT PRIMARY KEY, state TEXT NOT NULL)";
const INDEXES = [
  "CREATE UNIQUE INDEX IF NOT EXISTS galley_content_document ON galley_content (uid, document_id)",
  "CREATE INDEX IF NOT EXISTS galley_content_path ON galley_content (path COLLATE NOCASE)",
  // few files have either, and rows are long
  "CREATE INDEX IF NOT EXISTS galley_content_behind ON galley_content (path) WHERE behind = 1",
  "CREATE INDEX IF NOT EXISTS galley_content_conflicts ON galley_content (path) WHERE conflicts <> '[]'",
];
/** The path is a name with an extension: "." and "/" are the characters around those that begin one. */
const hasName = (collation: string): string =>
  `path COLLATE ${collation} >= ? AND path COLLATE ${collation} < ? AND instr(substr(path, ?), '.') = 0`;
const toRange = (name: string): [string, string, number] => [`${name}.`, `${name}/`, name.length + 2];

type Row = [string, string, string, string, number, number, number, string, string | null, number, string, number];

const COLUMNS = "path, uid, document_id, digest, size, modified, inode, stored, written, behind, conflicts, applied_at";

export const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.size === b.size && a.modified === b.modified && a.inode === b.inode;

/** Rows that are read before others get a turn. */
const PAGE = 2_000;

function toFile(row: Row): SyncedFile {
  const [path, uid, documentId, digest, size, modified, inode, stored, written, behind, conflicts, appliedAt] = row;
  return {
    ...{ path, uid, documentId, digest, size, modified, inode, appliedAt },
    stored: JSON.parse(stored) as ContentFile,
    written: written === null ? undefined : (JSON.parse(written) as ContentFile),
    isBehind: behind === 1,
    conflicts: JSON.parse(conflicts) as string[],
  };
}

/** All writes must be inside a transaction. */
export class SyncState {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  get exists(): boolean {
    return hasTable(this.#storage, "galley_content");
  }

  /** Whether there was a synchronisation. */
  get hasFiles(): boolean {
    return this.exists && this.#storage.first("SELECT 1 FROM galley_content LIMIT 1") !== undefined;
  }

  create(): void {
    for (const sql of [TABLE, PENDING, ...INDEXES]) this.#storage.run(sql);
  }

  /** The last change of the database that is in the files; undefined: of another log, or none. */
  get sequence(): number | undefined {
    const [log, sequence] = this.#storage.meta(SEQUENCE)?.split(" ") ?? [];
    return log !== undefined && log === changeLog(this.#storage)?.id ? Number(sequence) : undefined;
  }

  setSequence(sequence: number): void {
    this.#storage.setMeta(SEQUENCE, `${changeLog(this.#storage)!.id} ${sequence}`);
  }

  /** The attributes of all types when all files were last looked at; undefined: unknown. */
  get attributes(): string | undefined {
    return this.#storage.meta(ATTRIBUTES);
  }

  set attributes(attributes: string) {
    this.#storage.setMeta(ATTRIBUTES, attributes);
  }

  /** The stamps of all files, by path. */
  *stamps(): WorkInTurns<Map<string, FileStamp>> {
    const stamps = new Map<string, FileStamp>();
    for (let last = ""; ; yield) {
      const page = this.#stamps(`path > ? ORDER BY path LIMIT ${PAGE}`, last);
      for (const [path, stamp] of page) stamps.set(path, stamp);
      if (page.length < PAGE) return stamps;
      [last] = page.at(-1)!;
    }
  }

  /** The stamps of known files among these, by path. */
  stampsOf(paths: ReadonlySet<string>): Map<string, FileStamp> {
    return new Map(this.#stamps("path IN (SELECT value FROM json_each(?))", JSON.stringify([...paths])));
  }

  #stamps(where: string, param: string): [path: string, stamp: FileStamp][] {
    const sql = `SELECT path, size, modified, inode FROM galley_content WHERE ${where}`;
    const rows = this.#storage.all(sql, [param]) as [string, number, number, number][];
    return rows.map(([path, size, modified, inode]) => [path, { size, modified, inode }]);
  }

  /** Files by path, without unknown ones. */
  files(paths: readonly string[]): Map<string, SyncedFile> {
    return this.#read("path IN (SELECT value FROM json_each(?))", [JSON.stringify(paths)]);
  }

  /** Files by path, whose paths begin with a folder's. */
  filesBelow(folder: string): Map<string, SyncedFile> {
    return this.#read("path >= ? AND path < ?", [folder, `${folder.slice(0, -1)}0`]);
  }

  /** By id of the document. */
  filesOfDocuments(uid: string, documentIds: readonly string[]): Map<string, SyncedFile> {
    const where = "uid = ? AND document_id IN (SELECT value FROM json_each(?))";
    const files = this.#read(where, [uid, JSON.stringify(documentIds)]).values();
    return new Map(files.map((file) => [file.documentId, file]));
  }

  /** Files whose document has changed in the database since. */
  behind(): Map<string, SyncedFile> {
    return this.#read("behind = 1", []);
  }

  /** Files that say something else than the database, with any of these keys. */
  withKeys(keys: readonly string[]): Map<string, SyncedFile> {
    const texts = keys.map((key) => `${JSON.stringify(key)}:`);
    return this.#read("EXISTS (SELECT 1 FROM json_each(?) WHERE instr(written, value) > 0)", [JSON.stringify(texts)]);
  }

  /** Paths and stored states in the order of the paths. */
  statesAfter(path: string, limit: number): [path: string, stored: string][] {
    const sql = "SELECT path, stored FROM galley_content WHERE path > ? ORDER BY path LIMIT ?";
    return this.#storage.all(sql, [path, limit]) as [string, string][];
  }

  withConflicts(): Map<string, SyncedFile> {
    return this.#read("conflicts <> '[]'", []);
  }

  /** Numbers of files by content-type uid. */
  counts(): Map<string, number> {
    return new Map(this.#storage.all("SELECT uid, count(*) FROM galley_content GROUP BY uid") as [string, number][]);
  }

  /** The paths of all files. */
  paths(): string[] {
    return this.#storage.all("SELECT path FROM galley_content").map(([path]) => path as string);
  }

  listDocuments(uid: string): string[] {
    return this.#storage.all("SELECT document_id FROM galley_content WHERE uid = ?", [uid]).map(([id]) => id as string);
  }

  findPath(uid: string, documentId: string): string | undefined {
    const sql = "SELECT path FROM galley_content WHERE uid = ? AND document_id = ?";
    return this.#storage.first(sql, [uid, documentId])?.[0] as string | undefined;
  }

  /** The document of a file by its path without extension. */
  documentAt(name: string): { readonly uid: string; readonly documentId: string } | undefined {
    const sql = `SELECT uid, document_id FROM galley_content WHERE ${hasName("BINARY")} LIMIT 1`;
    const row = this.#storage.first(sql, toRange(name)) as [string, string] | undefined;
    return row && { uid: row[0], documentId: row[1] };
  }

  /** Whether there is a file of this name, also on file systems that do not distinguish capitals. */
  isTaken(name: string): boolean {
    const sql = `SELECT 1 FROM galley_content WHERE ${hasName("NOCASE")} LIMIT 1`;
    return this.#storage.first(sql, toRange(name)) !== undefined;
  }

  #read(where: string, params: readonly (string | number)[]): Map<string, SyncedFile> {
    const sql = `SELECT ${COLUMNS} FROM galley_content WHERE ${where} ORDER BY path`;
    const rows = this.#storage.all(sql, params) as Row[];
    return new Map(rows.map((row) => [row[0], toFile(row)]));
  }

  /** Replaces the state of a document, which may have had another path. */
  put(file: SyncedFile): void {
    const { path, uid, documentId, digest, size, modified, inode, stored, written, isBehind, conflicts } = file;
    const sql = `INSERT OR REPLACE INTO galley_content (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const texts = [JSON.stringify(stored), written ? JSON.stringify(written) : null];
    const others = [isBehind ? 1 : 0, JSON.stringify(conflicts), file.appliedAt];
    this.#storage.run(sql, [path, uid, documentId, digest, size, modified, inode, ...texts, ...others]);
  }

  /** As `put`; the file is read again, whatever it says. */
  putUnread(file: SyncedFile): void {
    this.put({ ...file, digest: "", size: -1 });
  }

  /** To be called before files are written. */
  addPending(files: readonly PendingFile[]): void {
    const sql = "INSERT OR REPLACE INTO galley_content_pending (path, state) VALUES (?, ?)";
    for (const file of files) this.#storage.run(sql, [file.path, JSON.stringify(file)]);
  }

  /** What a pass was about to write when its process ended. */
  pending(): PendingFile[] {
    const rows = this.#storage.all("SELECT state FROM galley_content_pending") as [string][];
    return rows.map(([state]) => JSON.parse(state) as PendingFile);
  }

  clearPending(): void {
    this.#storage.run("DELETE FROM galley_content_pending");
  }

  /** The same bytes with another time or inode. */
  touch(path: string, { size, modified, inode }: FileStamp): void {
    const sql = "UPDATE galley_content SET size = ?, modified = ?, inode = ? WHERE path = ?";
    this.#storage.run(sql, [size, modified, inode, path]);
  }

  resolveConflicts(uid: string, documentId: string): void {
    const sql = "UPDATE galley_content SET conflicts = '[]' WHERE uid = ? AND document_id = ?";
    this.#storage.run(sql, [uid, documentId]);
  }

  markBehind(paths: readonly string[]): void {
    const sql = "UPDATE galley_content SET behind = 1 WHERE path IN (SELECT value FROM json_each(?))";
    this.#storage.run(sql, [JSON.stringify(paths)]);
  }

  markTypesBehind(uids: readonly string[]): void {
    const sql = "UPDATE galley_content SET behind = 1 WHERE uid IN (SELECT value FROM json_each(?))";
    this.#storage.run(sql, [JSON.stringify(uids)]);
  }

  remove(path: string): void {
    this.#storage.run("DELETE FROM galley_content WHERE path = ?", [path]);
  }
}
