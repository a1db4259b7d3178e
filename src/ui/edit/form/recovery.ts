/** Unsaved changes in `localStorage`: they survive a closed tab, a crash, or a stopped server. */
import { start } from "../../model.ts";
import type { Values } from "./values.ts";

export interface Unsaved {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `updatedAt` of the version that was changed; undefined for a new document. */
  readonly basedOn: string | undefined;
  /** The id of a new document, which may have been created without a response. */
  readonly newId?: string | undefined;
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

const storageKey = ({ uid, documentId = "new", locale = "" }: UnsavedKey): string =>
  ["galley", start.value?.project, uid, documentId, locale].join("|");

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
