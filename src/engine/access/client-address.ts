/** The client address of a request. `X-Forwarded-For` is trusted only as far as configured proxies wrote it. */
import type { Settings } from "../config/settings.ts";

/** The peer address of the connection; undefined without one. Each call is a system call. */
export type ClientAddress = () => string | undefined;

export interface Client {
  readonly address: ClientAddress;
  readonly forwardedFor: string | null;
}

type Proxies = Settings["server"]["proxies"];

/** An IPv6 client has many addresses in one /64 network. */
const NETWORK_GROUPS = 4;

const net = (): typeof import("node:net") => require("node:net") as typeof import("node:net");

/** Requests without a connection are made by this process. */
export const isLoopback = (address: string | undefined): boolean =>
  address === undefined || /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i.test(address);

const isLocalHost = (url: string): boolean => {
  const host = URL.parse(url)?.hostname;
  return host !== undefined && (host === "localhost" || isLoopback(host.replace(/^\[(.*)\]$/, "$1")));
};

/** False for pages of other sites, and for hosts that lead here by their own DNS (rebinding). */
export function namesThisMachine({ url, headers }: Request): boolean {
  const origin = headers.get("origin");
  return isLocalHost(url) && (origin === null || isLocalHost(origin));
}

/** The address in an entry of `X-Forwarded-For`, which may have a port; undefined for anything else. */
function parseAddress(entry: string): string | undefined {
  const text = entry.trim();
  if (text.length > 60) return undefined;
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return net().isIP(bare) === 0 ? undefined : bare;
}

function isListed(address: string, list: readonly string[]): boolean {
  const { BlockList, isIPv6 } = net();
  const trusted = new BlockList();
  for (const item of list) {
    const [base = "", bits] = item.split("/");
    const family = isIPv6(base) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(base, family);
    else trusted.addSubnet(base, Number(bits), family);
  }
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return trusted.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
}

/**
 * Walks the proxies from the nearest one: each trusted proxy vouches for the entry that it added. With `proxy: true` the
 * connection is always that of one proxy.
 */
function clientAddress({ address, forwardedFor }: Client, proxies: Proxies): string {
  const peer = address();
  const entries = (forwardedFor ?? "").split(",");
  if (proxies === undefined || forwardedFor === null) return peer ?? "unknown";
  if (proxies === "any") return parseAddress(entries.at(-1)!) ?? peer ?? "unknown";
  let client = peer ?? "127.0.0.1";
  while (isListed(client, proxies)) {
    const entry = entries.pop();
    const next = entry === undefined ? undefined : parseAddress(entry);
    if (next === undefined) break;
    client = next;
  }
  return client;
}

/** The network part of an IPv6 address. */
function toNetwork(address: string): string {
  const [head = "", tail] = address.toLowerCase().split("%")[0]!.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  const groups = [...left, ...zeros, ...right].slice(0, NETWORK_GROUPS);
  return groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}

/** Identifies one client: an IPv4 address, or an IPv6 network. */
export function clientNetwork(client: Client, proxies: Proxies): string {
  const address = clientAddress(client, proxies).replace(/^::ffff:(?=\d+\.)/i, "");
  return address.includes(":") ? toNetwork(address) : address;
}
