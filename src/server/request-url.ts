/** Requests with an invalid `Host` header: Bun passes them on with a URL that is only a path, or that cannot be parsed. */

/** Origins that are valid, each with a slash. */
const valid = new Set<string>();
const MAX_ORIGINS = 100;
/** The last of them: mostly that of the next request, too. */
let last = "\0";

function hasValidOrigin(url: string): boolean {
  if (url.startsWith(last)) return true;
  const end = url.indexOf("/", url.indexOf("//") + 2);
  const origin = end < 0 ? url : url.slice(0, end + 1);
  if (!valid.has(origin)) {
    if (!URL.canParse(origin)) return false;
    if (valid.size >= MAX_ORIGINS) valid.clear();
    valid.add(origin);
  }
  last = origin;
  return true;
}

/**
 * The request with a URL that can be parsed: itself, or for HTTP/1.0 without a host a copy with `localhost`. Undefined for
 * an invalid host.
 */
export function withUsableUrl(request: Request): Request | undefined {
  const { url } = request;
  if (!url.startsWith("/")) return hasValidOrigin(url) ? request : undefined;
  return request.headers.get("host") ? undefined : new Request(`http://localhost${url}`, request);
}
