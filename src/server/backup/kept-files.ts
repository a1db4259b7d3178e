/**
 * Files that a session keeps as they were: uploads, which are replaced and never modified, so that links keep their bytes, and those of
 * `content/`.
 */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type NewContent, replaceFiles } from "../../admin/replace-files.ts";
import { FileSwap } from "../../engine/media/file-change.ts";
import { fileNames } from "../../engine/media/records.ts";
import { quote } from "../../engine/storage/sql.ts";
import { applicationError } from "../../lib/errors.ts";
import { filesBelow } from "../../lib/files-below.ts";
import type { WorkInTurns } from "../../lib/in-turns.ts";
import { linkFile } from "../../lib/link-file.ts";
import { CONTENT_FOLDER, MEDIA_FOLDER } from "../../transfer/content/file-paths.ts";
import { TEXTS_EXTENSION } from "../../transfer/content/media-texts.ts";
import { SyncState } from "../content-sync/state.ts";
import type { Project } from "../project/project.ts";
import { linkUploads, listUploads } from "../project/stored-uploads.ts";
import { restoreDatabase } from "./database-copy.ts";

const UPLOADS = "uploads";

/** All files but the bytes of media. */
const isText = (name: string): boolean => !name.startsWith(`${MEDIA_FOLDER}/`) || name.endsWith(TEXTS_EXTENSION);

const listBelow = (folder: string): string[] => (existsSync(folder) ? filesBelow(folder) : []);

function isSameFile(left: string, right: string): boolean {
  const [one, other] = [left, right].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (!one || one.size !== other?.size) return false;
  return (one.ino === other.ino && one.dev === other.dev) || readFileSync(left).equals(readFileSync(right));
}

/** Sizes and times: another value after a change by whomever. */
function* markOf(folder: string, names: readonly string[]): WorkInTurns<string> {
  const stats: unknown[] = [];
  for (const name of names.toSorted()) {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    stats.push([name, stat?.size, stat?.mtimeMs]);
    yield;
  }
  return Bun.hash(JSON.stringify(stats)).toString(36);
}

/** Links are made by people only. */
const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

export const uploadsMark = ({ uploads: { path } }: Project): WorkInTurns<string> =>
  markOf(path ?? "", path === undefined ? [] : listUploads(path));

/** Files of `content/` that are synchronised. Others, such as those of git, are none of the content. */
function listSynchronised({ context }: Project): string[] {
  const state = new SyncState(context.storage);
  return state.exists ? state.paths() : [];
}

export const filesMark = (project: Project): WorkInTurns<string> =>
  markOf(join(project.root, CONTENT_FOLDER), listSynchronised(project));

/** Expects that files and database are equal. */
export function* keepContent(project: Project, folder: string): WorkInTurns<void> {
  if (!project.reloader.contentSync) return;
  const kept = join(folder, CONTENT_FOLDER);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  for (const name of listSynchronised(project)) {
    const [from, to] = [join(project.root, CONTENT_FOLDER, name), join(kept, name)];
    mkdirSync(dirname(to), { recursive: true });
    // editors may write into the file that is there
    if (isText(name)) copyFileSync(from, to);
    else linkFile(from, to);
    yield;
  }
}

export function* keepUploads({ uploads: { path } }: Project, folder: string): WorkInTurns<void> {
  if (path !== undefined) yield* linkUploads(path, join(folder, UPLOADS));
}

/** The change that makes uploads what was kept, without those of records that came since. To be made before the records are restored. */
function uploadsBefore({ context, media, uploads }: Project, folder: string): FileSwap | undefined {
  const kept = join(folder, UPLOADS);
  const { path } = uploads;
  if (path === undefined || !existsSync(kept)) return undefined;
  const names = new Set(listBelow(kept));
  const put = new Map<string, string>();
  for (const name of names) {
    if (isSameFile(join(path, name), join(kept, name))) continue;
    const unfinished = uploads.unfinishedFile(".part");
    linkFile(join(kept, name), unfinished);
    put.set(name, unfinished);
  }
  const { records } = media();
  const ids = context.storage.all(`SELECT id FROM ${quote(records.type.table)}`).map(([id]) => id as number);
  const drop = records
    .list(ids)
    .flatMap(fileNames)
    .filter((name) => !names.has(name) && !isLink(join(path, name)));
  return put.size + drop.length === 0 ? undefined : new FileSwap(uploads, context.storage, { put, drop });
}

/** What makes `content/` what was kept. Files that are not synchronised stay. */
function contentBefore(project: Project, folder: string): NewContent[] {
  const kept = join(folder, CONTENT_FOLDER);
  if (!existsSync(kept)) return [];
  const names = listBelow(kept);
  const toPath = (name: string): string => `${CONTENT_FOLDER}/${name}`;
  const changed = names.filter((name) => !isSameFile(join(project.root, toPath(name)), join(kept, name)));
  const added = new Set(listSynchronised(project)).difference(new Set(names));
  return [
    ...changed.map((name) => ({ path: toPath(name), after: readFileSync(join(kept, name)) })),
    ...[...added].map((name) => ({ path: toPath(name), after: null })),
  ];
}

/**
 * Puts what was kept in `folder`, with a copy of the database, in the place of what is there: all of it or nothing, without leaving the turn.
 * `files`: others that are restored with it.
 */
export function restoreKept(project: Project, folder: string, copy: string, files: readonly NewContent[] = []): void {
  const replaced = replaceFiles(project.root, [...files, ...contentBefore(project, folder)]);
  try {
    restoreDatabase(project.context.storage, copy, uploadsBefore(project, folder));
  } catch (error) {
    replaced.restore();
    throw error;
  }
  replaced.finish();
}

/**
 * Calls `work`, which restores something, while `content/` is not synchronised, and serves it. Rejects with an ApplicationError if it cannot be
 * served.
 */
export async function serveRestored<T>({ reloader }: Project, work: () => T | Promise<T>): Promise<T> {
  const sync = reloader.contentSync?.();
  await sync?.pause();
  try {
    const result = await work();
    const problem = await reloader.reload?.();
    if (problem) throw applicationError(`The content is restored, but cannot be served: ${problem.message}`);
    return result;
  } finally {
    sync?.resume();
  }
}
