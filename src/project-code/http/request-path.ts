/** The path of a request, and requests for another one. */

/** As received, without the query string. */
export const pathOf = (url: string): string => {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", start);
  return queryStart < 0 ? url.slice(start) : url.slice(start, queryStart);
};

/** A request for a path that does not exist, to get the usual 404. */
export const withMissingPath = (request: Request): Request =>
  new Request(new URL(`/${crypto.randomUUID()}/removed`, request.url).href, request);
