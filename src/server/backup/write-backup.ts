/** Makes a backup of a project in one file, also while a server uses it, and reads it again. */
import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { copyDatabase } from "../../engine/storage/copy-database.ts";
import { ProjectError } from "../../lib/errors.ts";
import { filesBelow } from "../../lib/files-below.ts";
import { inTurns } from "../../lib/in-turns.ts";
import { isThere } from "../../lib/is-there.ts";
import type { Progress } from "../../lib/progress.ts";
import { type ArchiveWriter, writeArchive } from "../../transfer/export/archive-writer.ts";
import { linkUploads, listUploads } from "../project/stored-uploads.ts";
import {
  type BackupManifest,
  CONTENT,
  DATABASE,
  databaseProblem,
  FORMAT,
  isContentPath,
  MANIFEST,
  SECRETS,
  uploadPath,
  withUnfinished,
} from "./backup-file.ts";
import { checkBackup } from "./extract-backup.ts";

/** Where the parts of a project are. */
export interface BackupFolders {
  /** `.galley` */
  readonly data: string;
  readonly uploads: string;
  /** Of content files. */
  readonly content: string;
}

export interface BackupResult {
  /** Bytes of the file. */
  readonly bytes: number;
  readonly uploads: number;
  readonly contentFiles: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The paths of content files in a backup. */
export const listContent = (folder: string): string[] =>
  existsSync(folder)
    ? filesBelow(folder)
        .map((path) => CONTENT + path)
        .filter(isContentPath)
    : [];

export function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

async function writeFiles(
  writer: ArchiveWriter,
  files: ReadonlyMap<string, string>,
  progress: Progress | undefined,
): Promise<BackupManifest> {
  const manifest: Record<string, { bytes: number; sha256: string }> = {};
  const sizes = new Map([...files].map(([name, path]) => [name, statSync(path).size]));
  const total = sizes.values().reduce((sum, size) => sum + size, 0);
  let written = 0;
  for (const [name, path] of files) {
    const hasher = new Bun.CryptoHasher("sha256");
    const size = sizes.get(name)!;
    await writer.file(name, { path, size }, (chunk) => {
      hasher.update(chunk);
      written += chunk.length;
      progress?.("of the backup", written, total);
    });
    manifest[name] = { bytes: size, sha256: hasher.digest("hex") };
  }
  const result = { format: FORMAT, galley: version, createdAt: new Date().toISOString(), files: manifest };
  await writer.text(MANIFEST, JSON.stringify(result, null, 2));
  return result;
}

interface BackupOptions {
  /** False: without the secrets, for somebody who gets the content alone. */
  readonly hasSecrets?: boolean;
  /** Copies the database. */
  readonly copy?: (file: string) => Promise<void>;
  readonly progress?: Progress;
}

/** Replaces `file`. Rejects with a ProjectError; an earlier file is unchanged then. */
export async function writeBackup(
  { data, uploads, content }: BackupFolders,
  file: string,
  { hasSecrets = true, copy = async (to) => copyDatabase(join(data, DATABASE), to), progress }: BackupOptions = {},
): Promise<BackupResult> {
  const database = join(data, DATABASE);
  if (!isThere(database))
    throw new ProjectError(database, undefined, "does not exist: there is nothing to back up yet");
  return withUnfinished(data, async (temporary) => {
    const contentPaths = listContent(content);
    const copied = { database: join(temporary, DATABASE), uploads: join(temporary, "uploads") };
    // before the database: what is written into files until then is a change of the database
    for (const path of contentPaths) copyFile(join(content, path.slice(CONTENT.length)), join(temporary, path));
    // before and after: the database may name files that were removed or added meanwhile
    await inTurns(linkUploads(uploads, copied.uploads));
    await copy(copied.database);
    const problem = databaseProblem(copied.database);
    if (problem !== undefined)
      throw new ProjectError(database, undefined, `is damaged, so that there is no backup of it: ${problem}`);
    await inTurns(linkUploads(uploads, copied.uploads));
    const names = listUploads(copied.uploads);
    const secrets = join(data, SECRETS);
    const files = new Map([
      [DATABASE, copied.database],
      ...(hasSecrets && existsSync(secrets) ? [[SECRETS, secrets] as const] : []),
      ...names.map((name) => [uploadPath(name), join(copied.uploads, name)] as const),
      ...contentPaths.map((path) => [path, join(temporary, path)] as const),
    ]);
    const manifest = await writeArchive(
      { file },
      (writer) => writeFiles(writer, files, progress),
      undefined,
      (part) => checkBackup(part, progress),
    );
    return {
      bytes: statSync(file).size,
      uploads: names.length,
      contentFiles: contentPaths.length,
      createdAt: manifest.createdAt,
    };
  });
}
