/** Which URLs webhooks may have: a copy of a project must not call those of the original, nor reach into a local network. */
import { isPublic, parseHost } from "../../lib/public-address.ts";

/** Where webhooks are sent. `hosts`, with or without a port, are allowed in addition, unless `send` is "off". */
export interface WebhookReach {
  readonly send: "off" | "local" | "public";
  readonly hosts: readonly string[];
}

/** Ports have at least two digits, as in Strapi's rule. */
export const isUrl = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && !url.hostname.startsWith("[") && url.port.length !== 1;
};

function isLoopback(url: string): boolean {
  const host = parseHost(url);
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

export function isNamed(url: string, { hosts }: WebhookReach): boolean {
  const host = URL.parse(url)?.host.toLowerCase();
  return hosts.some((name) => name.toLowerCase() === host || name.toLowerCase() === parseHost(url));
}

/** Why a URL is not called; undefined if it is. */
export function refusal(url: string, reach: WebhookReach): string | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return "its URL is not valid";
  if (reach.send === "off") return "webhooks are off";
  if (isNamed(url, reach)) return undefined;
  if (reach.send === "local") return isLoopback(url) ? undefined : "only this machine is called";
  return isPublic(url) ? undefined : "its host is not public";
}
