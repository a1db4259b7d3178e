/** Requests the rows of the list in the URL before anything is rendered, and before its type is known. */
import { parseListPath } from "../first-requests.ts";
import { Rows } from "./rows.ts";
import { rowsPath } from "./rows-path.ts";

/** How long the first rendering waits for rows: rendering the page without them takes time as well. */
const MAX_WAIT_MS = 60;

const { pathname, search, hash } = window.location;
const uid = parseListPath(pathname);
// with a sign-in token there is no session yet
let first = uid === undefined || hash.length > 1 ? undefined : new Rows(uid, new URLSearchParams(search));

/** Resolves when the rows of the URL are there, or after a short time. */
export const firstRowsReady = (): Promise<unknown> | undefined =>
  first && Promise.race([first.ready, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);

/** The rows of the URL if they are of this list, new ones otherwise. The caller closes them. */
export function loadRows(uid: string, search: URLSearchParams): Rows {
  const prefetched = first;
  first = undefined;
  if (prefetched?.path === rowsPath(uid, search) && prefetched.problem.peek() === undefined) return prefetched;
  prefetched?.close();
  return new Rows(uid, search);
}
