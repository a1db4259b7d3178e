/** Which addresses are public, and requests to those alone: a URL from elsewhere must not reach into a local network. */

export const UNREACHABLE = "Url is not supported because it isn't reachable over the public internet";

/** This network, private, shared, link-local, reserved, for tests, and multicast. */
const PRIVATE_IPV4 =
  /^(?:0|10|127|169\.254|192\.168|192\.0\.[02]|198\.1[89]|198\.51\.100|203\.0\.113|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[345]\d)\./;
/** Global unicast, without addresses that contain one of IPv4 (6to4, Teredo) and those for documentation. */
const PUBLIC_IPV6 = /^(?!2002:|2001:(?:0{1,4})?:|2001:0?db8:)[23][0-9a-f]{3}:/i;

export const isIPv4 = (host: string): boolean => /^\d+(?:\.\d+){3}$/.test(host);

/** URLs keep a dot at the end of a host name. */
export const parseHost = (url: string): string => URL.parse(url)?.hostname.toLowerCase().replace(/\.$/, "") ?? "";

/** Whether the host is public, judged by the name alone. */
export function isPublic(url: string): boolean {
  const host = parseHost(url);
  if (!host || host.startsWith("[")) return false;
  if (isIPv4(host)) return !PRIVATE_IPV4.test(host);
  return host.includes(".") && !/\.(?:local|localhost|internal|home\.arpa)$/.test(host);
}

export const isPublicAddress = (address: string): boolean =>
  isIPv4(address) ? !PRIVATE_IPV4.test(`${address}.`) : PUBLIC_IPV6.test(address);

/** Whether requests to a URL go to a proxy of the environment, which resolves the name itself. */
export function isProxied(url: string, environment: Readonly<Record<string, string | undefined>>): boolean {
  const setting = (name: string): string => environment[name] || environment[name.toUpperCase()] || "";
  const host = parseHost(url);
  const isDirect = (name: string): boolean =>
    name === "*" || (name !== "" && host.endsWith(name.replace(/^\*?\./, "")));
  const direct = setting("no_proxy").toLowerCase().split(",");
  return (
    setting(/^https:/i.test(url) ? "https_proxy" : "http_proxy") !== "" && !direct.some((name) => isDirect(name.trim()))
  );
}

/**
 * The address to call for a public host, so that a name server cannot answer with a private one later. Undefined for an IP address, and
 * for a name that has no address here. Throws if any of the addresses is not public.
 */
export async function publicAddress(url: string): Promise<string | undefined> {
  const host = parseHost(url);
  if (isIPv4(host)) return undefined;
  const { lookup } = require("node:dns/promises") as typeof import("node:dns/promises");
  const found = await lookup(host, { all: true }).catch(() => []);
  if (found.some(({ address }) => !isPublicAddress(address))) throw new Error(UNREACHABLE);
  // not every machine with names in IPv6 has a route there
  return (found.find(({ family }) => family === 4) ?? found[0])?.address;
}

export interface Target {
  readonly url: string;
  /** The `Host` header; undefined: that of the URL. */
  readonly host?: string;
  /** The name that the certificate must have; undefined: that of the URL. */
  readonly tls?: { readonly serverName: string };
}

/** The same URL at an address of its host. */
export function targetAt(url: string, address: string): Target {
  const { host, hostname } = new URL(url);
  const target = new URL(url);
  target.hostname = address.includes(":") ? `[${address}]` : address;
  return { url: target.href, host, ...(target.protocol === "https:" ? { tls: { serverName: hostname } } : {}) };
}
