/**
 * Loads a project's content files into an empty database, atomically and only once.
 */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/quote.ts";
import { CONTENT_LOADED, isEmpty } from "./empty.ts";
import { type ContentByName, type ContentEntry, type Locales, readEntries } from "./entries.ts";
import { ContentLoader } from "./loader.ts";
import { type MediaLibrary, readMedia, storeMedia } from "./media.ts";

/** The parts of a project that loading needs. */
export interface ContentTarget {
  readonly root: string;
  readonly context: DocumentsContext;
  readonly media: () => MediaLibrary;
}

/** Numbers of loaded documents and files. */
export interface LoadedContent {
  /** Documents by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  readonly files: number;
}

function localesOf({ storage, model, defaultLocale }: DocumentsContext): Locales {
  const codes = storage.all(`SELECT code FROM ${quote(contentType(model, LOCALE).table)}`);
  return { codes: new Set(codes.map(([code]) => code as string)), defaultCode: defaultLocale() };
}

function countByType(entries: readonly ContentEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { type } of entries) counts.set(type.uid, (counts.get(type.uid) ?? 0) + 1);
  return counts;
}

/** Another process has loaded content in the meantime. */
class NotEmptyError extends Error {}

/**
 * `content`: entries instead of those in files. Resolves with undefined if the database is not empty, or if there is nothing to
 * load. Rejects with a ProjectError that names file, entry and problem; nothing is loaded then.
 */
export async function loadContentFiles(
  { root, context, media: library }: ContentTarget,
  content?: ContentByName,
): Promise<LoadedContent | undefined> {
  if (!isEmpty(context)) return undefined;
  const entries = readEntries(root, apiTypes(context.model), localesOf(context), content);
  const media = readMedia(root);
  if (entries.size === 0 && media.size === 0) return undefined;
  const loader = new ContentLoader(context, entries, media);
  const ordered = loader.check();
  await loader.hashPasswords();
  try {
    await storeMedia(library(), media, (ids) => {
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
