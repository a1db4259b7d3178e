/** Unsaved changes in `localStorage`: they survive a closed tab, a crash, or a stopped server. */
import { type ContentType, findType, start } from "../../model.ts";
import type { Values } from "./values.ts";

export interface Unsaved {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `updatedAt` of the version that was changed; undefined for a new document. */
  readonly basedOn: string | undefined;
  /** The id of a new document, which may have been created without a response. */
  readonly newId?: string | undefined;
  /** What the document is called. */
  readonly name?: string | undefined;
  /** It was deleted. The changes stay for when it is restored. */
  readonly isMissing?: boolean;
  /** Only the attributes that the user changed. */
  readonly values: Values;
}

/** Identifies the document that the values belong to. */
export interface UnsavedKey {
  readonly uid: string;
  /** Undefined for a new one; of new ones beside another document, the depth. */
  readonly documentId: string | undefined;
  readonly locale: string | undefined;
}

/** Stands in the storage, and in URLs, for the id of a new document. */
export const NEW = "new";

const keyPrefix = (): string => `galley|${start.peek()?.project}|`;

const storageKey = ({ uid, documentId = NEW, locale = "" }: UnsavedKey): string =>
  keyPrefix() + [uid, documentId, locale].join("|");

/** Throws a QuotaExceededError if the storage is full. */
export function storeUnsaved(key: UnsavedKey, unsaved: Unsaved): void {
  localStorage.setItem(storageKey(key), JSON.stringify(unsaved));
}

export const removeUnsaved = (key: UnsavedKey): void => localStorage.removeItem(storageKey(key));

export function readUnsaved(key: UnsavedKey): Unsaved | undefined {
  const text = localStorage.getItem(storageKey(key));
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as Unsaved;
  } catch {
    // written by another program or an older version
    removeUnsaved(key);
    return undefined;
  }
}

/** The document of unsaved changes, if there are any, was deleted. Throws a QuotaExceededError if the storage is full. */
export function markMissing(key: UnsavedKey): void {
  const unsaved = readUnsaved(key);
  if (unsaved) storeUnsaved(key, { ...unsaved, isMissing: true });
}

export interface UnsavedDocument extends Unsaved {
  readonly type: ContentType;
  /** That of its URL. */
  readonly documentId: string;
  readonly locale: string | undefined;
}

/** Documents with a page of their own that have unsaved changes, the last one first. */
export function listUnsaved(): readonly UnsavedDocument[] {
  const prefix = keyPrefix();
  return Object.keys(localStorage)
    .flatMap((key) => {
      const [uid = "", documentId = "", locale] = key.startsWith(prefix) ? key.slice(prefix.length).split("|") : [];
      const type = locale === undefined || documentId.includes(" ") ? undefined : findType(uid);
      const unsaved = type && readUnsaved({ uid, documentId, locale });
      return unsaved && !unsaved.isMissing ? [{ ...unsaved, type, documentId, locale: locale || undefined }] : [];
    })
    .toSorted((one, other) => other.at - one.at);
}
