/**
 * `strapi.get('webhookRunner')`, with the members of Strapi. Stored webhooks are sent without being added; those that code adds
 * are sent until the next start.
 */

import type { EventTarget } from "../../engine/webhooks/entry-events.ts";
import type { Outcome } from "../../engine/webhooks/request.ts";
import type { Webhook } from "../../engine/webhooks/webhook.ts";
import type { Webhooks } from "../../engine/webhooks/webhooks.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Log } from "../lib/log.ts";
import type { EventHub } from "../members/event-hub.ts";

interface Emitted {
  readonly event: string;
  readonly info?: unknown;
}

const asWebhook = ({ id, name, url, headers, events, isEnabled }: Partial<Webhook>): Webhook => {
  if (!Array.isArray(events)) throw new TypeError("A webhook needs a list of events");
  return {
    id: String(id),
    name: String(name ?? id),
    url: String(url),
    headers: isRecord(headers) ? headers : {},
    events: events.map(String),
    isEnabled: isEnabled === true,
  };
};

export class WebhookRunner implements EventTarget {
  readonly #webhooks: Webhooks;
  /** Events whose listener code has deleted. */
  readonly #muted = new Set<string>();
  readonly eventHub: EventHub;
  readonly logger: Log;
  readonly config: { readonly defaultHeaders: Readonly<Record<string, string>> };

  constructor(webhooks: Webhooks, eventHub: EventHub, logger: Log) {
    this.#webhooks = webhooks;
    this.eventHub = eventHub;
    this.logger = logger;
    this.config = { defaultHeaders: { ...webhooks.defaultHeaders } };
  }

  get hasListeners(): boolean {
    return this.#webhooks.hasListeners;
  }

  listensTo(event: string): boolean {
    return !this.#muted.has(event) && this.#webhooks.listensTo(event);
  }

  emit(event: string, info?: unknown): void {
    if (!this.#muted.has(event)) this.#webhooks.emit(event, info);
  }

  /** By event; also webhooks that are not enabled. */
  get webhooksMap(): Map<string, readonly Webhook[]> {
    return new Map(this.#webhooks.list.byEvent);
  }

  get listeners(): Map<string, (info: unknown) => void> {
    const events = [...this.#webhooks.list.byEvent.keys()].filter((event) => !this.#muted.has(event));
    return new Map(events.map((event) => [event, (info) => this.#webhooks.emit(event, info)]));
  }

  get queue() {
    const { running, waiting } = this.#webhooks.queue;
    return { running, queue: waiting, enqueue: ({ event, info }: Emitted) => this.#webhooks.emit(event, info) };
  }

  add(webhook: Partial<Webhook>): void {
    this.#webhooks.list.set(asWebhook(webhook));
  }

  update(webhook: Partial<Webhook>): void {
    this.#webhooks.list.set(asWebhook(webhook));
  }

  remove({ id }: Pick<Webhook, "id">): void {
    this.#webhooks.list.remove(String(id));
  }

  createListener(event: string): void {
    if (this.listeners.has(event))
      this.logger.error(`The webhook runner is already listening for the event '${event}'`);
    this.#muted.delete(event);
  }

  deleteListener(event: string): void {
    this.#muted.add(event);
  }

  /** Never rejects: errors are in the result. */
  run(webhook: Pick<Webhook, "url" | "headers">, event: string, info?: unknown): Promise<Outcome> {
    return this.#webhooks.run(webhook, event, info);
  }

  async executeListener({ event, info }: Emitted): Promise<void> {
    const webhooks = this.#webhooks.list.byEvent.get(event) ?? [];
    for (const webhook of webhooks) if (webhook.isEnabled) await this.run(webhook, event, info);
  }
}
