/**
 * Which names the admin answers to. A page of another site can have its own name lead to this machine; the browser then
 * takes both for one site, and only the `Host` header tells them apart.
 */
import { ApiError } from "../errors.ts";

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;

/** A host without its port, in lower case; undefined for what is none. */
function nameOf(host: string): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  return name?.toLowerCase();
}

const isLocal = (name: string): boolean => name === "localhost" || name.startsWith("[") || IPV4.test(name);

/** Throws a ForbiddenError for a request to a host that is not allowed. `names`: besides this machine's own. */
export function checkHost(request: Request, names: readonly string[]): void {
  const host = request.headers.get("host") ?? hostOf(request.url);
  const name = nameOf(host);
  if (name !== undefined && (isLocal(name) || names.includes(name))) return;
  throw new ApiError("ForbiddenError", "This host is not allowed: list it in admin.hosts of config/galley.json");
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? "";

/** The name in the address of the server, as settings have it; undefined for none. */
export const hostOfAddress = (url: string): string | undefined => URL.parse(url)?.hostname.toLowerCase() || undefined;
