/**
 * Files that a session keeps as they were: uploads, and those of `content/`. Both are replaced and never modified, so that links keep their
 * bytes.
 */
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NewContent } from "../../../admin/replace-files.ts";
import { FileSwap } from "../../../engine/media/file-change.ts";
import { fileNames } from "../../../engine/media/records.ts";
import { quote } from "../../../engine/storage/sql.ts";
import { filesBelow } from "../../../lib/files-below.ts";
import { linkFile } from "../../../lib/link-file.ts";
import { CONTENT_FOLDER } from "../../../transfer/content/file-paths.ts";
import { SyncState } from "../../content-sync/state.ts";
import type { Project } from "../../project/project.ts";
import { linkUploads, listUploads } from "../../project/stored-uploads.ts";

const UPLOADS = "uploads";

const listBelow = (folder: string): string[] => (existsSync(folder) ? filesBelow(folder) : []);

function isSameFile(left: string, right: string): boolean {
  const stats = statSync(left, { throwIfNoEntry: false });
  return stats !== undefined && stats.ino === statSync(right).ino;
}

/** Sizes and times of uploads: another value after a change by whomever. */
export function uploadsMark({ uploads: { path } }: Project): string {
  const stats = (path === undefined ? [] : listUploads(path)).map((name) => {
    const stat = statSync(join(path!, name), { throwIfNoEntry: false });
    return [name, stat?.size, stat?.mtimeMs];
  });
  return Bun.hash(JSON.stringify(stats)).toString(36);
}

/** Expects that files and database are equal. */
export function keepFiles({ root, uploads, reloader }: Project, folder: string): void {
  if (uploads.path !== undefined) linkUploads(uploads.path, join(folder, UPLOADS));
  if (!reloader.contentSync) return;
  const kept = join(folder, CONTENT_FOLDER);
  const content = join(root, CONTENT_FOLDER);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  for (const name of listBelow(content)) {
    mkdirSync(dirname(join(kept, name)), { recursive: true });
    linkFile(join(content, name), join(kept, name));
  }
}

/** The change that makes uploads what was kept, without those of records that came since. To be made before the records are restored. */
export function uploadsBefore({ context, media, uploads }: Project, folder: string): FileSwap | undefined {
  const kept = join(folder, UPLOADS);
  if (uploads.path === undefined || !existsSync(kept)) return undefined;
  const names = new Set(listBelow(kept));
  const put = new Map<string, string>();
  for (const name of names) {
    if (isSameFile(join(uploads.path, name), join(kept, name))) continue;
    const unfinished = uploads.unfinishedFile(".part");
    linkFile(join(kept, name), unfinished);
    put.set(name, unfinished);
  }
  const { records } = media();
  const ids = context.storage.all(`SELECT id FROM ${quote(records.type.table)}`).map(([id]) => id as number);
  const drop = records
    .list(ids)
    .flatMap(fileNames)
    .filter((name) => !names.has(name));
  return put.size + drop.length === 0 ? undefined : new FileSwap(uploads, context.storage, { put, drop });
}

/** What makes `content/` what was kept. Files that are not synchronised stay. */
export function contentBefore({ root, context }: Project, folder: string): NewContent[] {
  const kept = join(folder, CONTENT_FOLDER);
  if (!existsSync(kept)) return [];
  const names = listBelow(kept);
  const state = new SyncState(context.storage);
  const known = state.exists ? state.paths() : [];
  const toPath = (name: string): string => `${CONTENT_FOLDER}/${name}`;
  const changed = names.filter((name) => !isSameFile(join(root, toPath(name)), join(kept, name)));
  const added = new Set(known).difference(new Set(names));
  return [
    ...changed.map((name) => ({ path: toPath(name), after: readFileSync(join(kept, name)) })),
    ...[...added].map((name) => ({ path: toPath(name), after: null })),
  ];
}
