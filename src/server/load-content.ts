/**
 * Brings the files of `content/` into the database at a start. Those of earlier formats, lists of entries and files of an export, are
 * loaded into an empty database only.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { apiTypes } from "../engine/schema/model.ts";
import type { FileLock } from "../engine/storage/file-lock.ts";
import { problemText } from "../lib/errors.ts";
import { CONTENT_LOADED, isEmpty } from "../transfer/content-files/empty.ts";
import { CONTENT_FOLDER, type ContentByName } from "../transfer/content-files/entries.ts";
import { type LoadedContent, loadContentFiles } from "../transfer/content-files/load.ts";
import { hasDocumentFiles, listFiles, strayFiles } from "../transfer/files/folder.ts";
import { folderState, storeFolderState } from "../transfer/files/folder-state.ts";
import { importFiles } from "../transfer/files/import-files.ts";
import { usesEarlierFormat } from "./content-sync/earlier-format.ts";
import { ContentFolder } from "./content-sync/folder.ts";
import { isCurrent } from "./content-sync/is-current.ts";
import { lockContent } from "./content-sync/lock.ts";
import { asProjectProblem, projectErrorOf } from "./content-sync/problems.ts";
import { SyncState } from "./content-sync/state.ts";
import type { Project } from "./project/project.ts";

export interface LoadOptions {
  /** Prints a line for the person at the command line. */
  readonly announce?: ((line: string) => void) | undefined;
  /** Entries to load instead of those in files. */
  readonly content?: ContentByName | undefined;
  /** Whether documents are only loaded into an empty database. */
  readonly ignoresContentChanges?: boolean | undefined;
  /** The database is in memory: no other process has it. */
  readonly memory?: boolean | undefined;
}

/** Milliseconds until a process that loads the same content is no longer waited for. */
const WAIT_MS = 30_000;
const POLL_MS = 20;

class AlreadyLoadedError extends Error {}

/** Resolves with undefined if there is nothing to load. Rejects with a ProjectError that names the file; nothing is loaded then. */
export async function loadContent(project: Project, options: LoadOptions = {}): Promise<LoadedContent | undefined> {
  const { announce = (line: string) => console.warn(`galley: ${line}`), content } = options;
  const { root, context } = project;
  const folder = join(root, CONTENT_FOLDER);
  if (!content && existsSync(folder) && !usesEarlierFormat(folder, context.model))
    return loadDocuments(project, folder, { ...options, announce });
  if (!isEmpty(context)) return undefined;
  // as it is now: files may be changed while they are loaded
  const state = !content && existsSync(folder) ? folderState(folder) : undefined;
  const loaded = await loadFrom(project, folder, { announce, content });
  if (loaded && state) storeFolderState(context.storage, folder, state);
  return loaded;
}

/** Throws a ProjectError if the database is empty; otherwise what was served last stays, and problems are told. */
async function loadDocuments(
  project: Project,
  path: string,
  { ignoresContentChanges = false, memory = false, announce }: LoadOptions & { announce: (line: string) => void },
): Promise<LoadedContent | undefined> {
  const state = new SyncState(project.context.storage);
  const isNew = !state.hasFiles && isEmpty(project.context);
  if (ignoresContentChanges && !isNew) return undefined;
  const folder = new ContentFolder(path);
  if (state.hasFiles && isCurrent(folder, project.context)) return undefined;
  const { ContentSync } = require("./content-sync/sync.ts") as typeof import("./content-sync/sync.ts");
  const lock = memory ? undefined : await lockUnlessLoaded(project.root, isNew ? state : undefined);
  if (!lock && !memory) return undefined;
  try {
    const result = await new ContentSync(project, folder, { writes: false }).run();
    const { problems, warnings, conflicts, documents, media, waitsFor } = result;
    if (problems.length > 0 && isNew) throw projectErrorOf(problems);
    if (waitsFor !== undefined) announce(`content/ is not loaded until git has finished: ${waitsFor}`);
    for (const problem of [...problems, ...warnings, ...conflicts]) announce(problemText(asProjectProblem(problem)));
    return isNew && documents.size + media > 0 ? { documents, files: media } : undefined;
  } finally {
    lock?.release();
  }
}

/** Undefined if another process synchronises the content; for a new database, once that has loaded it. */
async function lockUnlessLoaded(root: string, empty: SyncState | undefined): Promise<FileLock | undefined> {
  for (const end = Date.now() + WAIT_MS; ; await Bun.sleep(POLL_MS)) {
    const lock = lockContent(root);
    if (lock || !empty || empty.hasFiles || Date.now() > end) return lock;
  }
}

async function loadFrom(
  project: Project,
  folder: string,
  { announce, content }: { readonly announce: (line: string) => void; readonly content: ContentByName | undefined },
): Promise<LoadedContent | undefined> {
  const { context, uploads, settings } = project;
  const types = apiTypes(context.model);
  if (content || !hasDocumentFiles(folder, types)) return loadContentFiles(project, content);
  // another process may have loaded the same files in the meantime
  const beforeEnd = (): void => {
    if (context.storage.meta(CONTENT_LOADED) !== undefined) throw new AlreadyLoadedError();
    context.storage.setMeta(CONTENT_LOADED, new Date().toISOString());
  };
  const hasOwnLocales = settings.galley.locales !== undefined;
  const loaded = await importFiles(folder, { context, uploads }, { hasOwnLocales, beforeEnd }).catch((error) => {
    if (error instanceof AlreadyLoadedError) return undefined;
    throw error;
  });
  if (!loaded) return undefined;
  const { documents, files, warnings } = loaded;
  for (const name of listFiles(folder, types))
    announce(`${CONTENT_FOLDER}/${name} is not loaded, since there are files of documents`);
  for (const name of strayFiles(folder, types))
    announce(`${CONTENT_FOLDER}/${name} is not loaded: it is named after no content-type`);
  for (const line of warnings) announce(line);
  return { documents, files };
}
