/**
 * `strapi.get('webhookRunner')`. Stored webhooks are sent without being added; those that code adds are sent until the next start.
 */

import type { Webhook } from "../../engine/webhooks/webhook.ts";
import type { Webhooks } from "../../engine/webhooks/webhooks.ts";
import { isRecord } from "../../lib/is-record.ts";

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

interface Occurrence {
  readonly event: string;
  readonly info?: unknown;
}

/** `eventHub`: plugins emit their events through the runner's. */
export function createWebhookRunner(webhooks: Webhooks, eventHub: unknown) {
  const { list, defaultHeaders } = webhooks;
  const set = (webhook: Partial<Webhook>): void => list.set(asWebhook(webhook));
  return {
    config: { defaultHeaders: { ...defaultHeaders } },
    eventHub,
    /** By event; also webhooks that are not enabled. */
    get webhooksMap(): Map<string, readonly Webhook[]> {
      return new Map(list.byEvent);
    },
    add: set,
    update: set,
    remove: ({ id }: Pick<Webhook, "id">): void => list.remove(String(id)),
    /** Sends an event to its enabled webhooks, without the hub's listeners. Returns before they respond. */
    executeListener: async ({ event, info }: Occurrence): Promise<void> => webhooks.emit(event, info),
    /** Never rejects: errors are in the result. */
    run: (...args: Parameters<Webhooks["run"]>) => webhooks.run(...args),
  };
}
