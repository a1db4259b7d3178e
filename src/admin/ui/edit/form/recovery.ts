/** Unsaved text, kept in the browser: it is there again after a closed tab, a crash, or a server that was stopped. */
import { start } from "../../model.ts";
import type { Values } from "./values.ts";

export interface Unsaved {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `updatedAt` of the version that was changed; undefined for a new document. */
  readonly basedOn: string | undefined;
  readonly values: Values;
}

/** Identifies the document that the values belong to. */
export interface UnsavedKey {
  readonly uid: string;
  readonly documentId: string | undefined;
  readonly locale: string | undefined;
}

const nameOf = ({ uid, documentId = "new", locale = "" }: UnsavedKey): string =>
  ["galley", start.value?.project, uid, documentId, locale].join("|");

/** Throws where the browser has no room for it. */
export function keepUnsaved(key: UnsavedKey, unsaved: Unsaved): void {
  localStorage.setItem(nameOf(key), JSON.stringify(unsaved));
}

export const forgetUnsaved = (key: UnsavedKey): void => localStorage.removeItem(nameOf(key));

export function readUnsaved(key: UnsavedKey): Unsaved | undefined {
  const text = localStorage.getItem(nameOf(key));
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as Unsaved;
  } catch {
    // another program's, or an older Galley's
    forgetUnsaved(key);
    return undefined;
  }
}
