/** `strapi.get('webhookStore')`: the stored webhooks, and the events that they may name. */
import type { Storage } from "../../engine/storage/storage.ts";
import {
  allowedEvents,
  changeWebhook,
  checkEvents,
  deleteWebhooks,
  insertWebhook,
  storedWebhooks,
  type Webhook,
  type WebhookValues,
} from "../../engine/webhooks/webhook.ts";
import { validationError } from "../../lib/errors.ts";
import type { Runtime } from "../runtime.ts";

export function createWebhookStore({
  raw,
  transactions,
  webhooks,
}: Pick<Runtime, "raw" | "transactions" | "webhooks">) {
  const { list } = webhooks;
  const events = allowedEvents(raw.storage);
  const check = ({ events }: WebhookValues): void => {
    if (!Array.isArray(events)) throw validationError("events must be an array");
    checkEvents(raw.storage, events);
  };
  const find = (id: unknown): Webhook | null =>
    storedWebhooks(raw.storage).find((own) => own.id === String(id)) ?? null;
  const write = async <T>(change: (storage: Storage) => T): Promise<T> => {
    const result = await transactions.run(async () => change(raw.storage));
    if (!transactions.onCommit(() => list.invalidate())) list.invalidate();
    return result;
  };
  return {
    allowedEvents: events,
    addAllowedEvent: (key: string, value: string): void => void events.set(key, value),
    removeAllowedEvent: (key: string): void => void events.delete(key),
    listAllowedEvents: (): string[] => [...events.keys()],
    getAllowedEvent: (key: string): string | undefined => events.get(key),
    findWebhooks: async (): Promise<Webhook[]> => storedWebhooks(raw.storage),
    findWebhook: async (id: unknown): Promise<Webhook | null> => find(id),
    /** As in Strapi, a new webhook is always enabled. */
    createWebhook: async (values: WebhookValues): Promise<Webhook> => {
      check(values);
      return write((storage) => insertWebhook(storage, { ...values, isEnabled: true }));
    },
    updateWebhook: async (id: unknown, values: WebhookValues): Promise<Webhook | null> => {
      check(values);
      return write((storage) => changeWebhook(storage, String(id), values) ?? null);
    },
    deleteWebhook: async (id: unknown): Promise<Webhook | null> =>
      write((storage) => {
        const found = find(id);
        if (found) deleteWebhooks(storage, new Set([found.id]));
        return found;
      }),
  };
}
