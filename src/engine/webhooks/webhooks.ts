/** Sends events to the webhooks that name them. */
import type { Clock } from "../../lib/clock.ts";
import { excerpt } from "../../lib/print-value.ts";
import { printable } from "../../lib/printable.ts";
import type { Settings } from "../config/settings.ts";
import type { Storage } from "../storage/storage.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import type { KeptDeliveries, KeptDelivery } from "./kept-deliveries.ts";
import {
  createHeaders,
  formatBody,
  isHeldBack,
  type Outcome,
  post,
  reachOfTest,
  readReach,
  refusal,
  type WebhookReach,
  type WebhookRequest,
} from "./request.ts";
import { type Webhook, WebhookList } from "./webhook.ts";

/** How long closing waits for requests. */
const CLOSING_MS = 1_000;
const UNCONFIRMED =
  "it was imported, and its host is not public; confirm it on the admin page (Settings, Webhooks), or name the host in webhooks.hosts of config/galley.json";
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

/** A request to a webhook: one that was sent, or is not. */
export interface WebhookCall extends WebhookRequest {
  /** Undefined for one that code sends by itself. */
  readonly name: string | undefined;
  /** Undefined as long as there is none. */
  outcome?: Partial<Outcome>;
}

/** What tests add. */
export interface WebhookTest {
  /** Beside those that are stored, and sent to any host. Without a URL, nothing is sent. */
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
  /** Where the last requests are kept; in memory by default. */
  readonly deliveriesFile?: string | undefined;
}

export class Webhooks {
  readonly list: WebhookList;
  readonly queue = new DeliveryQueue();
  readonly reach: WebhookReach;
  readonly #deliveriesFile: string | undefined;
  #deliveries: KeptDeliveries | undefined;
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
    { clock, inMemory = false, staleTags, test, deliveriesFile }: WebhookOptions,
  ) {
    this.#deliveriesFile = deliveriesFile;
    this.#clock = clock;
    this.#staleTags = staleTags;
    this.list = new WebhookList(storage);
    this.reach = test ? reachOfTest(settings, test.webhooks) : readReach(settings, inMemory);
    this.#onCall = test?.onCall;
    for (const webhook of test?.webhooks ?? []) this.list.set(webhook);
    this.defaultHeaders = settings.server.webhookHeaders;
    this.#log = log;
  }

  /** Loaded with the first request. */
  get deliveries(): KeptDeliveries {
    const load = () => require("./kept-deliveries.ts") as typeof import("./kept-deliveries.ts");
    this.#deliveries ??= new (load().KeptDeliveries)(this.#deliveriesFile, this.#log);
    return this.#deliveries;
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
      else this.#announce(webhook, event, body, this.#headersOf(webhook), { message: reason });
    }
  }

  /** One request, without the queue. Never rejects: also the error of a URL that may not be called is an outcome. */
  async run({ url, headers }: Pick<Webhook, "url" | "headers">, event: string, info?: unknown): Promise<Outcome> {
    const reason = refusal(url, this.reach);
    try {
      const body = formatBody(event, info, this.#clock.now());
      const request = { url, headers: this.#headersOf({ headers }), event, body };
      const refused = reason === undefined ? undefined : { message: reason };
      const call = this.#announce({ url }, event, body, request.headers, refused);
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
    this.#deliveries?.close();
  }

  /** Why requests to a webhook are not sent; undefined if they are. */
  reasonAgainst(webhook: Webhook): string | undefined {
    return refusal(webhook.url, this.reach) ?? (isHeldBack(webhook, this.reach) ? UNCONFIRMED : undefined);
  }

  /** Sends a body again, at once. The webhook may be called (`reasonAgainst`). Throws if the outcome cannot be kept. */
  async repeat(webhook: Webhook, event: string, body: string): Promise<KeptDelivery> {
    const request = this.#createRequest(webhook, event, body);
    const call = this.#announce(webhook, event, body, request.headers);
    const started = performance.now();
    const outcome = await post(request, this.reach);
    if (call) call.outcome = outcome;
    this.#settle(webhook, outcome);
    return this.#add(webhook, request, outcome, started);
  }

  #headersOf({ headers }: Pick<Webhook, "headers">): Readonly<Record<string, string>> {
    return { ...this.defaultHeaders, ...headers };
  }

  /** Returns what the test sees of a request; undefined if nobody listens. */
  #announce(
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

  /** Why a webhook is not sent, which is logged unless a test sees it; undefined for one that is. */
  #reasonAgainst(webhook: Webhook): string | undefined {
    const reason = this.reasonAgainst(webhook);
    if (reason === undefined) return undefined;
    const advice = reason === UNCONFIRMED ? "" : "; see webhooks in config/galley.json";
    if (!this.#onCall) this.#report(webhook, `is not sent: ${reason}${advice}`);
    return webhook.url === "" ? "it has no URL" : reason;
  }

  #createRequest(webhook: Webhook, event: string, body: string): WebhookRequest {
    const tags = this.#staleTags?.().next(webhook);
    const tagged: Record<string, string> = tags ? { [TAGS]: tags } : {};
    return { url: webhook.url, headers: { ...tagged, ...this.#headersOf(webhook) }, event, body };
  }

  #enqueue(webhook: Webhook, event: string, body: string): void {
    const request = this.#createRequest(webhook, event, body);
    const call = this.#announce(webhook, event, body, request.headers);
    const send = async (closing: AbortSignal): Promise<void> => {
      const started = performance.now();
      const outcome = await post(request, this.reach, closing);
      if (call) call.outcome = outcome;
      if (closing.aborted) return;
      this.#settle(webhook, outcome);
      this.#keep(webhook, request, outcome, started);
    };
    const refuse = (problem: string): void => {
      if (call) call.outcome = { message: problem };
      this.#fail(webhook, problem);
      this.#keep(webhook, request, { message: problem });
    };
    if (body.length > MAX_BODY) refuse(`is not sent: ${excerpt(event)} is too large`);
    else if (!this.queue.add({ webhookId: webhook.id, size: body.length, send }))
      refuse("is not sent: too many of its requests are waiting");
  }

  #settle(webhook: Webhook, { statusCode, message = "" }: Outcome): void {
    if (statusCode < 300) this.#problems.delete(webhook.id);
    else this.#fail(webhook, `failed: status ${statusCode} ${excerpt(message)}`);
  }

  #fail(webhook: Webhook, problem: string): void {
    this.#staleTags?.().forget(webhook);
    this.#report(webhook, problem);
  }

  /** `started`: undefined if nothing was sent. */
  #add(
    { id, name, url }: Webhook,
    { event, body }: WebhookRequest,
    outcome: Partial<Outcome>,
    started?: number,
  ): KeptDelivery {
    const { statusCode: status = null, message = "" } = outcome;
    return this.deliveries.add({
      ...{ webhookId: id, name, url, event, status, message: excerpt(message), body },
      sentAt: new Date(this.#clock.now()).toISOString(),
      milliseconds: started === undefined ? 0 : performance.now() - started,
    });
  }

  /** Never throws: requests are sent on a full disk as well. */
  #keep(webhook: Webhook, request: WebhookRequest, outcome: Partial<Outcome>, started?: number): void {
    try {
      this.#add(webhook, request, outcome, started);
    } catch (error) {
      this.#report(webhook, `was called, which could not be kept: ${(error as Error).message}`);
    }
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
