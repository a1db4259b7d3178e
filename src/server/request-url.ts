/** Requests whose `Host` header makes no URL: Bun hands them on with a path alone, or with a text that cannot be parsed. */

/** Origins that were parsed before; real ones are few. */
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
 * The request with a URL that can be parsed: itself, or for HTTP/1.0 without a host one of this machine. Undefined for a
 * host that is none.
 */
export function withUsableUrl(request: Request): Request | undefined {
  const { url } = request;
  if (!url.startsWith("/")) {
    const end = url.indexOf("/", url.indexOf("//") + 2);
    return canParse(url.slice(0, end)) ? request : undefined;
  }
  return request.headers.get("host") ? undefined : new Request(`http://localhost${url}`, request);
}
