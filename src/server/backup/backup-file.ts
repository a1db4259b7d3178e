/** The format of a backup: a tar file with the database, the secrets, the uploads and `content/`, and a list of them with checksums. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { FileLock } from "../../engine/storage/file-lock.ts";
import { withTemporaryFolder } from "../../engine/storage/temporary-folder.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isAssetName } from "../../transfer/archive/paths.ts";

/** Raised when older versions of Galley cannot restore it any more. */
export const FORMAT = 1;
export const MANIFEST = "backup.json";
export const DATABASE = "content.db";
export const SECRETS = "secrets.json";
const UPLOADS = "assets/uploads/";

export interface BackupManifest {
  readonly format: number;
  /** The version of Galley that made it. */
  readonly galley: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

export const uploadPath = (name: string): string => UPLOADS + name;

/** Of the project's `content/`, which is kept equal to the database. */
export const CONTENT = "content/";

/** Hidden files, such as those of git, do not belong to the content. */
export const isContentPath = (path: string): boolean =>
  path.startsWith(CONTENT) && path.split("/").every((name) => isAssetName(name));

/** The name of an upload; undefined for other files. */
export const uploadName = (path: string): string | undefined =>
  path.startsWith(UPLOADS) && isAssetName(path.slice(UPLOADS.length)) ? path.slice(UPLOADS.length) : undefined;

/** The first problem that SQLite finds in a database; undefined if it is whole. */
export function databaseProblem(file: string): string | undefined {
  try {
    using database = new Database(file, { readonly: true });
    const [row] = database.query("PRAGMA integrity_check(1)").values();
    return row?.[0] === "ok" ? undefined : String(row?.[0]);
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Calls `work` with an empty folder, and removes it. One at a time in a project: whatever a killed process has left, as large as its content,
 * is removed by the next one. Rejects with a ProjectError while another process is at it.
 */
export async function withUnfinished<T>(
  data: string,
  work: (folder: string) => Promise<T>,
  name: "backup" | "restore" = "backup",
): Promise<T> {
  using lock = FileLock.acquire(join(data, `${name}-lock`));
  if (!lock) throw new ProjectError(data, undefined, "is being backed up or restored by another process");
  return await withTemporaryFolder(join(data, `${name}-unfinished`), work);
}
