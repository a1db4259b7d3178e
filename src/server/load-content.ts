/** Loads what `content/` holds into a database that `isEmpty`: lists of entries, or files of documents that an export wrote. */
import { join } from "node:path";
import { CONTENT_LOADED } from "../content-files/empty.ts";
import { CONTENT_FOLDER } from "../content-files/entries.ts";
import { type LoadedContent, loadContentFiles } from "../content-files/load.ts";
import { apiTypes } from "../schema/model.ts";
import { hasDocumentFiles, importFiles, listFiles } from "../transfer/files/import-files.ts";
import type { Project } from "./project.ts";

class LoadedByOtherError extends Error {}

/** Undefined when another process was faster, or there is nothing to load. Throws a ProjectError that names the file; nothing is loaded then. */
export async function loadContent(
  project: Project,
  announce?: (line: string) => void,
): Promise<LoadedContent | undefined> {
  const { root, context, uploads, settings } = project;
  const folder = join(root, CONTENT_FOLDER);
  const types = apiTypes(context.model);
  if (!hasDocumentFiles(folder, types)) return loadContentFiles(project);
  // another process may be loading the same files
  const beforeEnd = (): void => {
    if (context.storage.meta(CONTENT_LOADED) !== undefined) throw new LoadedByOtherError();
    context.storage.setMeta(CONTENT_LOADED, new Date().toISOString());
  };
  const hasOwnLocales = settings.galley.locales !== undefined;
  const loaded = await importFiles(folder, { context, uploads }, { hasOwnLocales, beforeEnd }).catch((error) => {
    if (error instanceof LoadedByOtherError) return undefined;
    throw error;
  });
  if (!loaded) return undefined;
  const { documents, files, warnings } = loaded;
  for (const name of listFiles(folder, types))
    announce?.(`${CONTENT_FOLDER}/${name} is not loaded, since there are files of documents`);
  for (const line of warnings) announce?.(line);
  return { documents, files };
}
