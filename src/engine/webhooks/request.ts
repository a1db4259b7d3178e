/** One request to the receiver of a webhook, and which URLs it may have: a copy of a project must not call those of the original. */

import type { Clock } from "../../lib/clock.ts";
import {
  isIPv4,
  isProxied,
  isPublic,
  parseHost,
  publicAddress,
  type Target,
  targetAt,
  UNREACHABLE,
} from "../../lib/public-address.ts";
import type { Settings } from "../config/settings.ts";
import type { Webhook } from "./webhook.ts";

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

/** Copies for development call only this machine; what runs in production calls what is public. `inMemory`: a copy as well. */
export function readReach({ galley, environment }: Settings, inMemory = false): WebhookReach {
  const { send, hosts = [] } = galley.webhooks ?? {};
  return { send: send ?? (environment.NODE_ENV === "production" && !inMemory ? "public" : "local"), hosts };
}

/** Receivers of what runs in production are not called by tests: they say themselves which hosts are. */
export function reachOfTest({ galley }: Settings, webhooks: readonly Webhook[]): WebhookReach {
  const hosts = webhooks.flatMap(({ url }) => URL.parse(url)?.host ?? []);
  return { send: galley.webhooks?.send === "off" ? "off" : "local", hosts };
}

/** Whether only a confirmation is missing: it was imported, and calls a host that is neither public nor named. */
export const isHeldBack = ({ url, isUnconfirmed }: Webhook, reach: WebhookReach): boolean =>
  isUnconfirmed === true && !isPublic(url) && !isNamed(url, reach) && refusal(url, reach) === undefined;

/** As in Strapi, an error is a status of 500 with its message. */
export interface Outcome {
  readonly statusCode: number;
  readonly message?: string;
}

export interface WebhookRequest {
  /** Empty for a webhook that is not sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly event: string;
  readonly body: string;
}

const TIMEOUT_MS = 10_000;
/** Of a response that is not discarded, in bytes. */
const MAX_MESSAGE = 4_096;
/** Headers of the connection, which `fetch` sets. */
const UNSENT = ["connection", "content-length", "transfer-encoding"];

/** `now`: in milliseconds since 1970. */
export const formatBody = (event: string, info: unknown, now: number): string =>
  JSON.stringify({ event, createdAt: new Date(now), ...(typeof info === "object" ? info : {}) });

/** Throws an Error if they are not valid. */
export function createHeaders({ headers, event }: Pick<WebhookRequest, "headers" | "event">): Headers {
  let all: Headers;
  try {
    all = new Headers(headers);
  } catch {
    // the error would repeat a value, which may be a secret
    throw new Error("its headers are not valid");
  }
  for (const name of UNSENT) all.delete(name);
  all.set("X-Strapi-Event", event);
  all.set("Content-Type", "application/json");
  return all;
}

async function readBeginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= MAX_MESSAGE) break;
  }
  return text.slice(0, MAX_MESSAGE);
}

async function resolveTarget(url: string, reach: WebhookReach): Promise<Target> {
  if (!isPublic(url) || isNamed(url, reach) || isIPv4(parseHost(url))) return { url };
  const address = await publicAddress(url);
  if (address !== undefined) return targetAt(url, address);
  // the connection would resolve the name again, perhaps to a private address
  if (!isProxied(url, process.env)) throw new Error(`the address of ${parseHost(url)} is not known`);
  return { url };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/**
 * Never rejects. Redirects are not followed, since they could lead into a local network. `messageSource`: of a response that is an error;
 * by default it is discarded.
 */
export async function post(
  request: WebhookRequest,
  reach: WebhookReach,
  closing?: AbortSignal,
  messageSource: "body" | "status" = "status",
): Promise<Outcome> {
  const { url, body } = request;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = closing ? AbortSignal.any([timeout, closing]) : timeout;
  try {
    const { url: address, host, tls } = await Promise.race([resolveTarget(url, reach), aborted(signal)]);
    const headers = createHeaders(request);
    if (host !== undefined && !headers.has("Host")) headers.set("Host", host);
    const response = await fetch(address, {
      method: "POST",
      headers,
      body,
      ...(tls ? { tls } : {}),
      redirect: "manual",
      signal,
    });
    if (response.ok || messageSource === "status") {
      await response.body?.cancel();
      return response.ok
        ? { statusCode: response.status }
        : { statusCode: response.status, message: response.statusText };
    }
    return { statusCode: response.status, message: await readBeginning(response) };
  } catch (error) {
    return { statusCode: 500, message: error instanceof Error ? error.message : String(error) };
  }
}

/** A test by an administrator, which calls public hosts in development, too. Its response is not passed on. */
export async function testWebhook({ url, headers }: Webhook, settings: Settings, clock: Clock): Promise<Outcome> {
  const reach = readReach(settings);
  if (!isUrl(url) || !(isPublic(url) || refusal(url, reach) === undefined))
    return { statusCode: 500, message: UNREACHABLE };
  const event = "trigger-test";
  const body = formatBody(event, {}, clock.now());
  return post({ url, headers: { ...settings.server.webhookHeaders, ...headers }, event, body }, reach);
}
