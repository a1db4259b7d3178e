/**
 * The requests that the page sends first. Its URL determines them, so that the document has the browser send them beside the
 * one for the script. The server uses this file as well.
 */
import { rowsPath } from "./list/rows-path.ts";
import { PAGE_BASE, splitPath } from "./page-paths.ts";

export const API_BASE = `${PAGE_BASE}/api`;
export const START_PATH = "/start";

/** The type in the URL of a list; undefined for other URLs. */
export function parseListPath(pathname: string): string | undefined {
  const [page, uid, documentId] = splitPath(pathname);
  return page === "content" && documentId === undefined ? uid : undefined;
}

/** URLs. None for `/admin` itself, where links that sign in lead: there is no session yet. */
export function firstRequests(pathname: string, search: string): readonly string[] {
  if (splitPath(pathname).length === 0) return [];
  const uid = parseListPath(pathname);
  const paths = [START_PATH, ...(uid === undefined ? [] : [rowsPath(uid, new URLSearchParams(search))])];
  return paths.map((path) => API_BASE + path);
}
