/** Loads the files of `content/` into an empty database: lists of entries, or document files that an export wrote. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { apiTypes } from "../engine/schema/model.ts";
import { CONTENT_LOADED, isEmpty } from "../transfer/content-files/empty.ts";
import { CONTENT_FOLDER, type ContentByName } from "../transfer/content-files/entries.ts";
import { type LoadedContent, loadContentFiles } from "../transfer/content-files/load.ts";
import { hasDocumentFiles, listFiles, strayFiles } from "../transfer/files/folder.ts";
import { folderState, storeFolderState } from "../transfer/files/folder-state.ts";
import { importFiles } from "../transfer/files/import-files.ts";
import type { Project } from "./project/project.ts";

export interface LoadOptions {
  /** Prints a line for the person at the command line. */
  readonly announce?: ((line: string) => void) | undefined;
  /** Entries to load instead of those in files. */
  readonly content?: ContentByName | undefined;
}

class AlreadyLoadedError extends Error {}

/** Resolves with undefined if there is nothing to load. Rejects with a ProjectError that names the file; nothing is loaded then. */
export async function loadContent(
  project: Project,
  { announce = (line) => console.warn(`galley: ${line}`), content }: LoadOptions = {},
): Promise<LoadedContent | undefined> {
  const { root, context } = project;
  if (!isEmpty(context)) return undefined;
  const folder = join(root, CONTENT_FOLDER);
  // as it is now: files may be changed while they are loaded
  const state = !content && existsSync(folder) ? folderState(folder) : undefined;
  const loaded = await loadFrom(project, folder, { announce, content });
  if (loaded && state) storeFolderState(context.storage, folder, state);
  return loaded;
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
