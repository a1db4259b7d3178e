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

const OWN_PATH = "/admin";

// that of a file on the server, or none in an executable. Whether there is a `document` says nothing: own code may have made one
const folder = URL.parse("..", import.meta.url);

/** In a browser it begins with what a proxy removes from the paths of requests: so do the URLs of the page's files. */
export const PAGE_BASE = folder?.protocol.startsWith("http") ? folder.pathname.slice(0, -1) : OWN_PATH;

/** The path of the server, without a slash at the end. */
export const SITE_BASE = PAGE_BASE.slice(0, -OWN_PATH.length);

/** The URL of a file or endpoint of the server as the page requests it; that of another server as it is. */
export const siteUrl = (url: string): string => (/^\/(?!\/)/.test(url) ? SITE_BASE + url : url);

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
