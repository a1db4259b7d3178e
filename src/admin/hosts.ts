/**
 * Allowed `Host` headers of the admin. Another site can point its own DNS name at this machine (DNS rebinding); the browser
 * then treats both as one site, and only the `Host` header distinguishes them.
 */
import { networkInterfaces } from "node:os";
import type { Settings } from "../engine/config/settings.ts";
import { forbidden } from "../lib/errors.ts";

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;

/** A host without its port, in lower case; undefined for an invalid one. */
function parseHostName(host: string): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  return name?.toLowerCase();
}

const isLocal = (name: string): boolean => name === "localhost" || name.startsWith("[") || IPV4.test(name);

/** Throws a ForbiddenError for a request to a host that is not allowed. `names`: besides this machine's own. */
export function checkHost(request: Request, names: readonly string[]): void {
  const host = request.headers.get("host") ?? parseHost(request.url);
  const name = parseHostName(host);
  if (name !== undefined && (isLocal(name) || names.includes(name))) return;
  throw forbidden("This host is not allowed: list it in admin.hosts of config/galley.json");
}

function isOfThisMachine(name: string): boolean {
  const address = name.replace(/^\[|\]$/g, "");
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return name === "localhost" || own.some((item) => item.address === address);
}

export interface OwnHosts {
  /** Besides this machine's own. */
  readonly hosts: readonly string[];
  /** The configured one; null if it is not absolute. */
  readonly serverUrl: URL | null;
}

/**
 * The address for a link with a token: that of the request, if it is known to be this server's. Any IP address is an allowed host, so that
 * a client could otherwise have the link lead to a server of its own.
 */
export function ownAddress({ url }: Pick<Request, "url">, { hosts, serverUrl }: OwnHosts): string {
  const { host, hostname, origin, port } = new URL(url);
  if (serverUrl?.host === host) return serverUrl.href.replace(/\/$/, "");
  if (hosts.includes(hostname) || isOfThisMachine(hostname)) return origin;
  return `http://localhost${port && `:${port}`}`;
}

const parseHost = (url: string): string => URL.parse(url)?.host ?? "";

/** Those that are configured, besides this machine's own. `urls`: the absolute ones among the public URLs. */
export const allowedHosts = ({ galley }: Settings, urls: readonly URL[]): string[] => [
  ...(galley.admin?.hosts ?? []).map((name) => name.toLowerCase()),
  ...urls.map((url) => url.hostname),
];
