/** Routes of a read-only server: routes that write refuse the request before its body is read. */
import type { RestRoute } from "../api/rest/call.ts";
import { readOnly } from "../engine/storage/problems.ts";

/** POST routes that do not write: logins. */
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
