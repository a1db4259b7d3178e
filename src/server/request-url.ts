/** Handles requests with an invalid `Host` header: Bun gives them a URL that is only a path, or that cannot be parsed. */

/** Cache of valid origins, each with a trailing slash. */
const validOrigins = new Set<string>();
const MAX_ORIGINS = 100;
/** The last valid origin: most requests have the same one. */
let lastOrigin = "\0";

function hasValidOrigin(url: string): boolean {
  if (url.startsWith(lastOrigin)) return true;
  const end = url.indexOf("/", url.indexOf("//") + 2);
  const origin = end < 0 ? url : url.slice(0, end + 1);
  if (!validOrigins.has(origin)) {
    if (!URL.canParse(origin)) return false;
    if (validOrigins.size >= MAX_ORIGINS) validOrigins.clear();
    validOrigins.add(origin);
  }
  lastOrigin = origin;
  return true;
}

/**
 * Returns a request whose URL can be parsed: the request itself, or a copy with `localhost` for HTTP/1.0 without a host.
 * Undefined for an invalid host.
 */
export function withUsableUrl(request: Request): Request | undefined {
  const { url } = request;
  if (!url.startsWith("/")) return hasValidOrigin(url) ? request : undefined;
  return request.headers.get("host") ? undefined : new Request(`http://localhost${url}`, request);
}
