/** How a list was left, so that going back from a document leads to the same rows. Forgotten when the page is loaded anew. */
import { hrefTo } from "../router.ts";

/** Queries of lists, by type. */
const queries = new Map<string, string>();

export const rememberList = (uid: string): void => {
  queries.set(uid, window.location.search);
};

/** The URL of a type's list with the query that it was left with, in a locale; undefined for the default one. */
export function listHref(uid: string, locale: string | undefined): string {
  return hrefTo("content", [uid], { ...Object.fromEntries(new URLSearchParams(queries.get(uid))), locale });
}

export interface Place {
  readonly top: number;
  /** The row that keys start from. */
  readonly active: number;
  /** Of that row. */
  readonly documentId: string | undefined;
}

/** By the path of a list's rows. */
export const places = new Map<string, Place>();
