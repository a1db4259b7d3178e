/** The work that the locales of changed documents need. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { storedDocuments } from "../../engine/documents/document-service.ts";
import type { Documents } from "../../engine/documents/documents.ts";
import type { ApiError } from "../../lib/errors.ts";
import type { Json } from "../archive/shapes.ts";
import type { ChangeProblem, DocumentChange } from "./document-change.ts";
import { lenientContext } from "./lenient-rows.ts";
import type { LinkTarget } from "./link-input.ts";
import { type LocaleState, localeStates } from "./version-states.ts";
import { equalValues } from "./versions.ts";

/** A locale of a document on its way from what the database has to what the file says. */
export interface LocaleWork {
  readonly change: DocumentChange;
  /** Of the version in the file. */
  readonly path: ChangeProblem["path"];
  readonly service: Documents;
  readonly wanted: LocaleState;
  readonly before: LocaleState | undefined;
  /** Whether the published version, or the time of its publication, is another one. */
  readonly isPublished: boolean;
  /** The draft as it is now, in the values of files; undefined while there is no row. */
  draft: Json | undefined;
}

/** The key of a document in a locale; null: of a type without locales. */
export const buildKey = ({ uid, documentId }: LinkTarget, locale: string | null): string =>
  `${uid} ${documentId} ${locale ?? ""}`;

export const keyOf = ({ change: { type, documentId }, wanted: { locale } }: LocaleWork): string =>
  buildKey({ uid: type.uid, documentId }, locale);

/** The locales that the files have. `onInvalid` is called for values that were stored before, and are stored again. */
export function listWorks(
  context: DocumentsContext,
  changes: readonly DocumentChange[],
  onInvalid: (error: ApiError) => void,
): LocaleWork[] {
  /** Files state the values of every locale, and some differ in what locales should share. */
  const separate: DocumentsContext = { ...context, separatesLocales: true };
  /** For new documents that were stored before. */
  const lenient = lenientContext(separate, onInvalid);
  const services = { separate: storedDocuments(separate), lenient: storedDocuments(lenient) };
  const defaultLocale = context.defaultLocale();
  return changes.flatMap((change) => {
    const { type, before, after } = change;
    if (!after) return [];
    const wasStored = !before && after.$id !== undefined && after.$createdAt !== undefined;
    const service = services[wasStored ? "lenient" : "separate"](type);
    const existing = before ? localeStates(type, before, defaultLocale) : [];
    const first = type.localized ? (after.$locale ?? defaultLocale) : null;
    return localeStates(type, after, defaultLocale).map((wanted) => {
      const { locale } = wanted;
      const found = existing.find((state) => state.locale === locale);
      return {
        change,
        path: locale === null || locale === first ? [] : ["$locales", locale],
        service,
        wanted,
        before: found,
        isPublished: differsInPublication(wanted, found),
        draft: found?.draft,
      };
    });
  });
}

const differsInPublication = ({ published, publishedTimes }: LocaleState, before: LocaleState | undefined): boolean =>
  published !== undefined &&
  (!equalValues(published, before?.published) || publishedTimes?.publishedAt !== before?.publishedTimes?.publishedAt);

/** What the draft is before it is published, and changed again. */
export const firstDraft = ({ wanted, isPublished }: LocaleWork): Json =>
  isPublished ? wanted.published! : wanted.draft;

/** Sorted by type, then by time: rows of one type are created in this order. What has no time is last, in the order of the files. */
export const byTime = (
  works: readonly LocaleWork[],
  readTime: (wanted: LocaleState) => string | undefined,
): LocaleWork[] =>
  works.toSorted((a, b) => {
    const [left, right] = [readTime(a.wanted) ?? "~", readTime(b.wanted) ?? "~"];
    return left < right ? -1 : left > right ? 1 : 0;
  });
