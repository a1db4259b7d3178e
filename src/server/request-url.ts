/** Requests with an invalid `Host` header: Bun passes them on with a URL that is only a path, or that cannot be parsed. */

/** Origins that are known to be valid. */
const parsed = new Set<string>();
const MAX_ORIGINS = 100;

function canParse(origin: string): boolean {
  if (parsed.has(origin)) return true;
  if (!URL.canParse(origin)) return false;
  if (parsed.size >= MAX_ORIGINS) parsed.clear();
  parsed.add(origin);
  return true;
}

/**
 * The request with a URL that can be parsed: itself, or for HTTP/1.0 without a host a copy with `localhost`. Undefined for
 * an invalid host.
 */
export function withUsableUrl(request: Request): Request | undefined {
  const { url } = request;
  if (!url.startsWith("/")) {
    const end = url.indexOf("/", url.indexOf("//") + 2);
    return canParse(url.slice(0, end)) ? request : undefined;
  }
  return request.headers.get("host") ? undefined : new Request(`http://localhost${url}`, request);
}
