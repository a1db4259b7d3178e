/** Sends events to the webhooks that name them: the stored ones, and those that are added or removed until the next start. */

import type { Clock } from "../../lib/clock.ts";
import { excerpt, printable } from "../../lib/print-value.ts";
import { isPublic, UNREACHABLE } from "../../lib/public-address.ts";
import type { Settings } from "../config/settings.ts";
import type { Storage } from "../storage/storage.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { formatBody, isNamed, isUrl, type Outcome, post, refusal, type WebhookReach } from "./request.ts";
import { storedWebhooks, WEBHOOKS, type Webhook } from "./webhook.ts";

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

interface WebhookOptions {
  readonly clock: Clock;
  readonly inMemory?: boolean;
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
  /** By webhook: the last problem that was logged. */
  readonly #problems = new Map<string, string>();
  /** Undefined if they are off. */
  readonly #staleTags: (() => WebhookTags) | undefined;

  /** `storage`: the connection that reads what is committed. */
  constructor(
    storage: Storage,
    settings: Settings,
    log: (line: string) => void,
    { clock, inMemory = false, staleTags }: WebhookOptions,
  ) {
    this.#clock = clock;
    this.#staleTags = staleTags;
    this.list = new WebhookList(storage);
    this.reach = readReach(settings, inMemory);
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
    const webhooks = (this.list.byEvent.get(event) ?? []).filter(({ isEnabled }) => isEnabled);
    const called = webhooks.filter((webhook) => this.#isAllowed(webhook));
    if (called.length === 0) return;
    let body: string;
    try {
      body = formatBody(event, info, this.#clock.now());
    } catch (error) {
      this.#log(printable(`webhooks: ${excerpt(event)} is not sent: ${excerpt((error as Error).message)}`));
      return;
    }
    for (const webhook of called) this.#enqueue(webhook, event, body);
  }

  /** One request, without the queue. Never rejects: also the error of a URL that may not be called is an outcome. */
  async run({ url, headers }: Pick<Webhook, "url" | "headers">, event: string, info?: unknown): Promise<Outcome> {
    const reason = refusal(url, this.reach);
    if (reason !== undefined) return { statusCode: 500, message: `not sent: ${reason}` };
    try {
      const body = formatBody(event, info, this.#clock.now());
      const request = { url, headers: { ...this.defaultHeaders, ...headers }, event, body };
      return await post(request, this.reach, undefined, "body");
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

  #isAllowed(webhook: Webhook): boolean {
    const reason = refusal(webhook.url, this.reach);
    if (reason !== undefined) this.#report(webhook, `is not sent: ${reason}; see webhooks in config/galley.json`);
    else if (isHeldBack(webhook, this.reach)) {
      this.#report(webhook, UNCONFIRMED);
      return false;
    }
    return reason === undefined;
  }

  #enqueue(webhook: Webhook, event: string, body: string): void {
    const { id, url, headers } = webhook;
    const tags = this.#staleTags?.().next(webhook);
    const tagged: Record<string, string> = tags ? { [TAGS]: tags } : {};
    const request = { url, headers: { ...tagged, ...this.defaultHeaders, ...headers }, event, body };
    const send = async (closing: AbortSignal): Promise<void> => {
      const { statusCode, message = "" } = await post(request, this.reach, closing);
      if (closing.aborted) return;
      if (statusCode < 300) this.#problems.delete(id);
      else fail(`failed: status ${statusCode} ${excerpt(message)}`);
    };
    const fail = (problem: string): void => {
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

/** How long webhooks of other processes may be out of date. */
const MAX_AGE_MS = 1_000;

export class WebhookList {
  readonly #storage: Storage;
  #text: string | undefined;
  #stored: ReadonlyMap<string, Webhook> = new Map();
  /** By id; undefined: removed. */
  readonly #changed = new Map<string, Webhook | undefined>();
  #byEvent: ReadonlyMap<string, readonly Webhook[]> = new Map();
  #seen = { own: -1, others: -1, at: Number.NEGATIVE_INFINITY };

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /**
   * Also those that are not enabled. Takes no statement, unless settings may have changed. Never throws, since it is called after writes:
   * webhooks that cannot be read now are read the next time.
   */
  get byEvent(): ReadonlyMap<string, readonly Webhook[]> {
    try {
      if (this.#mayHaveChanged()) this.#load();
    } catch {
      this.invalidate();
    }
    return this.#byEvent;
  }

  set(webhook: Webhook): void {
    this.#load();
    this.#changed.set(webhook.id, webhook);
    this.#group();
  }

  remove(id: string): void {
    this.#load();
    this.#changed.set(id, undefined);
    this.#group();
  }

  /** Expected after writes by another connection of this process. */
  invalidate(): void {
    this.#seen.own = -1;
  }

  #mayHaveChanged(): boolean {
    const own = this.#storage.metaWrites;
    const now = performance.now();
    if (own === this.#seen.own && now - this.#seen.at < MAX_AGE_MS) return false;
    const others = this.#storage.othersVersion();
    const isSame = own === this.#seen.own && others === this.#seen.others;
    this.#seen = { own, others, at: now };
    return !isSame;
  }

  #load(): void {
    const text = this.#storage.meta(WEBHOOKS) ?? "[]";
    if (text === this.#text) return;
    const before = this.#stored;
    this.#text = text;
    this.#stored = new Map(storedWebhooks(this.#storage).map((webhook) => [webhook.id, webhook]));
    // a webhook that is stored later replaces the change
    for (const id of this.#changed.keys()) {
      if (!Bun.deepEquals(before.get(id), this.#stored.get(id))) this.#changed.delete(id);
    }
    this.#group();
  }

  #group(): void {
    const groups = new Map<string, Webhook[]>();
    for (const webhook of new Map([...this.#stored, ...this.#changed]).values()) {
      for (const event of new Set(webhook?.events)) groups.getOrInsertComputed(event, () => []).push(webhook!);
    }
    this.#byEvent = groups;
  }
}
