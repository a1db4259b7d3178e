/**
 * Loads a project's content files into an empty database: so a project carries the content that it starts with. All of
 * them are loaded or none, once in the life of a database.
 */
import type { DocumentsContext } from "../documents/context.ts";
import { FILE, LOCALE } from "../schema/builtin/index.ts";
import { apiTypes, contentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import { type ContentEntry, type Locales, readEntries } from "./entries.ts";
import { ContentLoader } from "./loader.ts";
import { type PrepareFile, readMedia, withMedia } from "./media.ts";

export interface ContentFilesOptions {
  /** Stores the files below content/media; without it, a project that has such files is refused. */
  readonly prepareFile?: PrepareFile | undefined;
}

/** What was loaded. */
export interface LoadedContent {
  /** Documents by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  readonly files: number;
}

/** The key in `galley_meta` that is there once content files were loaded. */
export const CONTENT_LOADED = "content_files";

/** A database that never held content: of the project's own types, or media. */
function isEmpty({ storage, model }: DocumentsContext): boolean {
  if (storage.meta(CONTENT_LOADED) !== undefined) return false;
  const tables = [...apiTypes(model), contentType(model, FILE)].map(({ table }) => quote(table));
  return tables.every((table) => storage.first(`SELECT 1 FROM ${table} LIMIT 1`) === undefined);
}

function localesOf({ storage, model, defaultLocale }: DocumentsContext): Locales {
  const codes = storage.all(`SELECT code FROM ${quote(contentType(model, LOCALE).table)}`);
  return { codes: new Set(codes.map(([code]) => code as string)), byDefault: defaultLocale() };
}

function countByType(entries: readonly ContentEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { type } of entries) counts.set(type.uid, (counts.get(type.uid) ?? 0) + 1);
  return counts;
}

/**
 * Answers what was loaded; undefined when the database is not empty any more, or there is nothing to load. Throws a
 * ProjectError that names file, entry and problem; nothing is loaded then.
 */
export async function loadContentFiles(
  project: { readonly root: string; readonly context: DocumentsContext },
  { prepareFile }: ContentFilesOptions = {},
): Promise<LoadedContent | undefined> {
  const { root, context } = project;
  if (!isEmpty(context)) return undefined;
  const entries = readEntries(root, apiTypes(context.model), localesOf(context));
  const media = readMedia(root);
  if (entries.size === 0 && media.size === 0) return undefined;
  const loader = new ContentLoader(context, entries, media);
  const ordered = loader.check();
  await loader.hashPasswords();
  return withMedia(media, prepareFile, (files) =>
    context.storage.transaction(() => {
      // another process may have been faster
      if (!isEmpty(context)) return undefined;
      const ids = new Map([...files].map(([name, file]) => [name, file.insert()]));
      loader.load(ordered, ids);
      context.storage.setMeta(CONTENT_LOADED, new Date().toISOString());
      return { documents: countByType(ordered), files: files.size };
    }),
  );
}
