/** The paths of the page. The server uses this file as well. */

/** The first path segments below `/admin` for which the server sends the page. */
export const pagePaths = [
  "content",
  "types",
  "media",
  "changes",
  "access",
  "settings",
  "locales",
  "trash",
  "agents",
  "views",
] as const;

export type PagePath = (typeof pagePaths)[number];

export const PAGE_BASE = "/admin";

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // a lone percent sign
    return segment;
  }
}

/** The segments of a path below `/admin`, decoded. */
export const splitPath = (pathname: string): string[] =>
  pathname.slice(PAGE_BASE.length).split("/").filter(Boolean).map(decoded);
