/** Puts a backup in the place of a project's content. What was there before is kept beside it. */
import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensurePrivateFolder } from "../../engine/storage/private-file.ts";
import { isBusy } from "../../engine/storage/problems.ts";
import { ProjectError } from "../../lib/errors.ts";
import { atOnce } from "../../lib/in-turns.ts";
import { linkFile } from "../../lib/link-file.ts";
import type { Progress } from "../../lib/progress.ts";
import { replaceFile } from "../../lib/replace-file.ts";
import { linkUploads, listUploads } from "../project/stored-uploads.ts";
import { CONTENT, DATABASE, SECRETS, withUnfinished } from "./backup-file.ts";
import { extractBackup } from "./extract-backup.ts";
import { type BackupFolders, copyFile, listContent } from "./write-backup.ts";

export interface RestoreResult {
  /** When the backup was made, in ISO 8601. */
  readonly createdAt: string;
  readonly uploads: number;
  readonly contentFiles: number;
  /** The folder with what was there before; undefined if there was nothing. */
  readonly earlier: string | undefined;
}

/** Files beside a database that belong to it alone. */
const COMPANIONS = ["-wal", "-shm", "-commits"];

/**
 * Writes everything into the database's file itself, so that the file alone is its content. Throws a ProjectError if another process has
 * the database open, which would go on with the earlier file.
 */
function closeDatabase(file: string): void {
  using database = new Database(file, { readwrite: true });
  try {
    database.run("PRAGMA busy_timeout = 0");
    database.run("PRAGMA journal_mode = DELETE");
  } catch (error) {
    if (isBusy(error))
      throw new ProjectError(file, undefined, "is used by another process, such as a server: stop it first");
    throw error;
  }
}

function place(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  replaceFile(to, (unfinished) => copyFileSync(from, unfinished));
}

function keepEarlier({ data, uploads, content }: BackupFolders): string | undefined {
  const database = join(data, DATABASE);
  const stored = [DATABASE, SECRETS].filter((name) => existsSync(join(data, name)));
  const contentPaths = listContent(content);
  if (stored.length + contentPaths.length + listUploads(uploads).length === 0) return undefined;
  if (stored.includes(DATABASE)) closeDatabase(database);
  const earlier = join(data, `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(earlier, { mode: 0o700 });
  for (const name of stored) linkFile(join(data, name), join(earlier, name));
  atOnce(linkUploads(uploads, join(earlier, "uploads")));
  for (const path of contentPaths) copyFile(join(content, path.slice(CONTENT.length)), join(earlier, path));
  return earlier;
}

/**
 * `confirm`: called when the backup turned out to be whole, before anything changes; false: nothing is changed, and the result is undefined.
 * Rejects with a ProjectError for a damaged backup, and for a project that is being served.
 */
export async function restoreBackup(
  folders: BackupFolders,
  file: string,
  confirm: (createdAt: string) => boolean,
  progress?: Progress,
): Promise<RestoreResult | undefined> {
  const { data, uploads, content } = folders;
  ensurePrivateFolder(data);
  return withUnfinished(data, async (temporary) => {
    const backup = await extractBackup(file, temporary, progress);
    if (!confirm(backup.createdAt)) return undefined;
    const earlier = keepEarlier(folders);
    mkdirSync(uploads, { recursive: true });
    // files first: they harm nothing without the records of the database
    for (const [name, path] of backup.uploads) place(path, join(uploads, name));
    const inContent = (path: string): string => join(content, path.slice(CONTENT.length));
    for (const [path, from] of backup.content) place(from, inContent(path));
    // files that are newer than the database would change it again
    for (const path of listContent(content)) if (!backup.content.has(path)) rmSync(inContent(path));
    if (backup.secrets !== undefined) renameSync(backup.secrets, join(data, SECRETS));
    for (const suffix of COMPANIONS) rmSync(join(data, DATABASE + suffix), { force: true });
    renameSync(backup.database, join(data, DATABASE));
    for (const name of listUploads(uploads)) if (!backup.uploads.has(name)) rmSync(join(uploads, name));
    return { createdAt: backup.createdAt, uploads: backup.uploads.size, contentFiles: backup.content.size, earlier };
  });
}
