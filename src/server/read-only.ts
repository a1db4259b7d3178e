/** Routes of a server that changes nothing: what would write is refused before its body is taken. */
import type { RestRoute } from "../api/rest/call.ts";
import { readOnly } from "../storage/problems.ts";

/** Logins only read. */
const READING_POSTS: ReadonlySet<string> = new Set(["/auth/local"]);

export const readOnlyRows = (rows: readonly RestRoute[]): readonly RestRoute[] =>
  rows.map((row) => {
    if (row.method === "GET" || READING_POSTS.has(row.path)) return row;
    return {
      ...row,
      handle: () => {
        throw readOnly();
      },
    };
  });
