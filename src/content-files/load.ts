/**
 * Loads a project's content files into an empty database: so a project carries the content that it starts with. All of
 * them are loaded or none, once in the life of a database.
 */
import type { DocumentsContext } from "../documents/context.ts";
import { LOCALE } from "../schema/builtin/index.ts";
import { apiTypes, contentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import { CONTENT_LOADED, isEmpty } from "./empty.ts";
import { type ContentEntry, type GivenContent, type Locales, readEntries } from "./entries.ts";
import { ContentLoader } from "./loader.ts";
import { type MediaLibrary, readMedia, storeMedia } from "./media.ts";

/** A project, as far as content files need it. */
export interface ContentTarget {
  readonly root: string;
  readonly context: DocumentsContext;
  readonly media: MediaLibrary;
}

/** What was loaded. */
export interface LoadedContent {
  /** Documents by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  readonly files: number;
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

/** Another process was faster. */
class NotEmptyError extends Error {}

/**
 * `given`: entries instead of those in files. Returns what was loaded; undefined when the database is not empty any more, or there is nothing to load. Throws a
 * ProjectError that names file, entry and problem; nothing is loaded then.
 */
export async function loadContentFiles(
  { root, context, media: library }: ContentTarget,
  given?: GivenContent,
): Promise<LoadedContent | undefined> {
  if (!isEmpty(context)) return undefined;
  const entries = readEntries(root, apiTypes(context.model), localesOf(context), given);
  const media = readMedia(root);
  if (entries.size === 0 && media.size === 0) return undefined;
  const loader = new ContentLoader(context, entries, media);
  const ordered = loader.check();
  await loader.hashPasswords();
  try {
    await storeMedia(library, media, (ids) => {
      if (!isEmpty(context, [...ids.values()])) throw new NotEmptyError();
      loader.load(ordered, ids);
      context.storage.setMeta(CONTENT_LOADED, new Date().toISOString());
    });
  } catch (error) {
    if (error instanceof NotEmptyError) return undefined;
    throw error;
  }
  return { documents: countByType(ordered), files: media.size };
}
