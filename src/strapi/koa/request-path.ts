/** The path and query string of a request, and requests for another one. */

/** As received, without the query string. */
export const parsePath = (url: string): string => {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", start);
  return queryStart < 0 ? url.slice(start) : url.slice(start, queryStart);
};

/** The raw query string without the question mark. */
export function parseSearch(url: string): string {
  const queryStart = url.indexOf("?");
  return queryStart < 0 ? "" : url.slice(queryStart + 1);
}

/** Without dots, which may be segments to resolve, and without anything that is encoded. */
const RESOLVED_PATH = /^[\w/-]*$/;

/** The path as `URL` returns it. Most paths need not be parsed for that. */
export function parsePathname(url: string): string {
  const path = parsePath(url);
  return RESOLVED_PATH.test(path) ? path : new URL(url).pathname;
}

/** A request for a path that does not exist, to get the usual 404. */
export const withMissingPath = (request: Request): Request =>
  new Request(new URL(`/${crypto.randomUUID()}/removed`, request.url).href, request);
