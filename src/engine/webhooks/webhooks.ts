/** Sends events to the webhooks that name them. */

import type { Clock } from "../../lib/clock.ts";
import { excerpt, printable } from "../../lib/print-value.ts";
import { isPublic, UNREACHABLE } from "../../lib/public-address.ts";
import type { Settings } from "../config/settings.ts";
import type { Storage } from "../storage/storage.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import {
  createHeaders,
  formatBody,
  isNamed,
  isUrl,
  type Outcome,
  post,
  refusal,
  type WebhookReach,
} from "./request.ts";
import type { Webhook } from "./webhook.ts";
import { WebhookList } from "./webhook-list.ts";

/** How long closing waits for requests. */
const CLOSING_MS = 1_000;
const UNCONFIRMED =
  "is not sent: it was imported, and its host is not public; confirm it on the admin page (Access, Webhooks), or name the host in webhooks.hosts of config/galley.json";
/** The header with the cache tags that are stale. */
const TAGS = "Cache-Tag";

/** The tags that became stale since the last request to a webhook. Never throws. */
export interface WebhookTags {
  /** For the next request to a webhook. */
  readonly next: (webhook: Webhook) => string;
  /** A request was not received: the next one says that everything is stale. */
  readonly forget: (webhook: Webhook) => void;
}

/** In characters. */
const MAX_BODY = 8 * 1024 * 1024;

/** Copies for development call only this machine; what runs in production calls what is public. `inMemory`: a copy as well. */
export function readReach({ galley, environment }: Settings, inMemory = false): WebhookReach {
  const { send, hosts = [] } = galley.webhooks ?? {};
  return { send: send ?? (environment.NODE_ENV === "production" && !inMemory ? "public" : "local"), hosts };
}

/** Receivers of what runs in production are not called by tests: they say themselves which hosts are. */
function reachOfTest({ galley }: Settings, { webhooks }: WebhookTest): WebhookReach {
  const hosts = webhooks.flatMap(({ url }) => URL.parse(url)?.host ?? []);
  return { send: galley.webhooks?.send === "off" ? "off" : "local", hosts };
}

/** Whether only a confirmation is missing: it was imported, and calls a host that is neither public nor named. */
export const isHeldBack = ({ url, isUnconfirmed }: Webhook, reach: WebhookReach): boolean =>
  isUnconfirmed === true && !isPublic(url) && !isNamed(url, reach) && refusal(url, reach) === undefined;

/** A test by an administrator, which calls public hosts in development, too. Its response is not passed on. */
export async function testWebhook({ url, headers }: Webhook, settings: Settings, clock: Clock): Promise<Outcome> {
  const reach = readReach(settings);
  if (!isUrl(url) || !(isPublic(url) || refusal(url, reach) === undefined))
    return { statusCode: 500, message: UNREACHABLE };
  const event = "trigger-test";
  return post(
    {
      url,
      headers: { ...settings.server.webhookHeaders, ...headers },
      event,
      body: formatBody(event, {}, clock.now()),
    },
    reach,
  );
}

/** A request to a webhook: one that was sent, or is not. */
export interface WebhookCall {
  readonly event: string;
  /** Undefined for one that code sends by itself. */
  readonly name: string | undefined;
  /** Empty for a webhook that is not sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Undefined as long as there is none. */
  outcome?: Partial<Outcome>;
}

/** What tests add. */
export interface WebhookTest {
  /** Beside those that are stored, and sent to any host. Without a URL, they are only told. */
  readonly webhooks: readonly Webhook[];
  /** Told of each request, also of those that are not sent. */
  readonly onCall: (call: WebhookCall) => void;
}

interface WebhookOptions {
  readonly clock: Clock;
  readonly inMemory?: boolean;
  readonly test?: WebhookTest | undefined;
  /** Undefined: they are off. */
  readonly staleTags?: () => WebhookTags;
}

export class Webhooks {
  readonly list: WebhookList;
  readonly queue = new DeliveryQueue();
  readonly reach: WebhookReach;
  readonly defaultHeaders: Readonly<Record<string, string>>;
  readonly #log: (line: string) => void;
  readonly #clock: Clock;
  readonly #onCall: WebhookTest["onCall"] | undefined;
  /** By webhook: the last problem that was logged. */
  readonly #problems = new Map<string, string>();
  /** Undefined if they are off. */
  readonly #staleTags: (() => WebhookTags) | undefined;

  /** `storage`: the connection that reads what is committed. */
  constructor(
    storage: Storage,
    settings: Settings,
    log: (line: string) => void,
    { clock, inMemory = false, staleTags, test }: WebhookOptions,
  ) {
    this.#clock = clock;
    this.#staleTags = staleTags;
    this.list = new WebhookList(storage);
    this.reach = test ? reachOfTest(settings, test) : readReach(settings, inMemory);
    this.#onCall = test?.onCall;
    for (const webhook of test?.webhooks ?? []) this.list.set(webhook);
    this.defaultHeaders = settings.server.webhookHeaders;
    this.#log = log;
  }

  /** Whether an enabled webhook names any event. */
  get hasListeners(): boolean {
    return this.list.byEvent.values().some((webhooks) => webhooks.some(({ isEnabled }) => isEnabled));
  }

  listensTo(event: string): boolean {
    return this.list.byEvent.get(event)?.some(({ isEnabled }) => isEnabled) ?? false;
  }

  /** Returns at once; requests are sent later. Never throws. */
  emit(event: string, info?: unknown): void {
    const webhooks = (this.list.byEvent.get(event) ?? [])
      .filter(({ isEnabled }) => isEnabled)
      .map((webhook) => ({ webhook, reason: this.#reasonAgainst(webhook) }))
      .filter(({ reason }) => reason === undefined || this.#onCall);
    if (webhooks.length === 0) return;
    let body: string;
    try {
      body = formatBody(event, info, this.#clock.now());
    } catch (error) {
      this.#log(printable(`webhooks: ${excerpt(event)} is not sent: ${excerpt((error as Error).message)}`));
      return;
    }
    for (const { webhook, reason } of webhooks) {
      if (reason === undefined) this.#enqueue(webhook, event, body);
      else this.#tell(webhook, event, body, this.#headersOf(webhook), { message: reason });
    }
  }

  /** One request, without the queue. Never rejects: also the error of a URL that may not be called is an outcome. */
  async run({ url, headers }: Pick<Webhook, "url" | "headers">, event: string, info?: unknown): Promise<Outcome> {
    const reason = refusal(url, this.reach);
    try {
      const body = formatBody(event, info, this.#clock.now());
      const request = { url, headers: this.#headersOf({ headers }), event, body };
      const call = this.#tell(
        { url },
        event,
        body,
        request.headers,
        reason === undefined ? reason : { message: reason },
      );
      if (reason !== undefined) return { statusCode: 500, message: `not sent: ${reason}` };
      const outcome = await post(request, this.reach, undefined, "body");
      if (call) call.outcome = outcome;
      return outcome;
    } catch (error) {
      return { statusCode: 500, message: (error as Error).message };
    }
  }

  async close(): Promise<void> {
    // writes that have just ended are still reported
    await new Promise((resolve) => setImmediate(resolve));
    const count = await this.queue.close(CLOSING_MS);
    if (count > 0) this.#log(`webhooks: ${count} requests were cut off by the end of the process`);
  }

  #headersOf({ headers }: Pick<Webhook, "headers">): Readonly<Record<string, string>> {
    return { ...this.defaultHeaders, ...headers };
  }

  /** Returns what is told of a request; undefined if nobody listens. */
  #tell(
    { name, url }: Partial<Pick<Webhook, "name">> & Pick<Webhook, "url">,
    event: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    outcome?: Partial<Outcome>,
  ): WebhookCall | undefined {
    if (!this.#onCall) return undefined;
    const call: WebhookCall = {
      event,
      name,
      url,
      headers: sentHeaders(headers, event),
      body,
      ...(outcome && { outcome }),
    };
    this.#onCall(call);
    return call;
  }

  /** Why a webhook is not sent, which is logged unless a test is told; undefined for one that is. */
  #reasonAgainst(webhook: Webhook): string | undefined {
    const reason = refusal(webhook.url, this.reach);
    if (reason === undefined && !isHeldBack(webhook, this.reach)) return undefined;
    if (!this.#onCall)
      this.#report(
        webhook,
        reason === undefined ? UNCONFIRMED : `is not sent: ${reason}; see webhooks in config/galley.json`,
      );
    return webhook.url === "" ? "it has no URL" : (reason ?? UNCONFIRMED);
  }

  #enqueue(webhook: Webhook, event: string, body: string): void {
    const { id, url } = webhook;
    const tags = this.#staleTags?.().next(webhook);
    const tagged: Record<string, string> = tags ? { [TAGS]: tags } : {};
    const request = { url, headers: { ...tagged, ...this.#headersOf(webhook) }, event, body };
    const call = this.#tell(webhook, event, body, request.headers);
    const send = async (closing: AbortSignal): Promise<void> => {
      const outcome = await post(request, this.reach, closing);
      if (call) call.outcome = outcome;
      if (closing.aborted) return;
      const { statusCode, message = "" } = outcome;
      if (statusCode < 300) this.#problems.delete(id);
      else fail(`failed: status ${statusCode} ${excerpt(message)}`);
    };
    const fail = (problem: string): void => {
      if (call) call.outcome ??= { message: problem };
      this.#staleTags?.().forget(webhook);
      this.#report(webhook, problem);
    };
    if (body.length > MAX_BODY) fail(`is not sent: ${excerpt(event)} is too large`);
    else if (!this.queue.add({ webhookId: id, size: body.length, send }))
      fail("is not sent: too many of its requests are waiting");
  }

  /** Logs a problem once. Neither URL nor headers are logged, which may contain secrets. */
  #report({ id, name }: Webhook, problem: string): void {
    if (this.#problems.get(id) === problem) return;
    this.#problems.set(id, problem);
    this.#log(printable(`webhook "${excerpt(name)}" ${problem}`));
  }
}

/** As they are sent; those that are not valid as they are given. */
function sentHeaders(headers: Readonly<Record<string, string>>, event: string): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(createHeaders({ headers, event }));
  } catch {
    return headers;
  }
}
