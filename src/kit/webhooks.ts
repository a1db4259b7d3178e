/** The webhooks of a test: those that its options name, and what was sent to all of them. */
import { isUrl } from "../engine/webhooks/request.ts";
import { contentEvents, type Webhook } from "../engine/webhooks/webhook.ts";
import type { WebhookCall } from "../engine/webhooks/webhooks.ts";
import { isRecord } from "../lib/is-record.ts";
import type { SentWebhook } from "../public-types.ts";

const MAX_WEBHOOKS = 100;
const KEYS: readonly string[] = ["name", "url", "events", "headers"];

const isTextRecord = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((item) => typeof item === "string");

const isEvents = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((event) => typeof event === "string" && event !== "");

function readWebhook(value: unknown, index: number): Webhook {
  const refuse = (problem: string): never => {
    throw new TypeError(`webhooks[${index}]${problem}`);
  };
  if (!isRecord(value)) return refuse(" must be an object");
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) refuse(` has no ${unknown}; there are ${KEYS.join(", ")}`);
  const { name = `webhook ${index + 1}`, url = "", events = contentEvents, headers = {} } = value;
  if (typeof name !== "string") return refuse(".name must be a string");
  if (typeof url !== "string" || (url !== "" && !isUrl(url))) return refuse(".url must be a URL of http or https");
  if (!isEvents(events)) return refuse('.events must be a list of events, as ["entry.publish"]');
  if (!isTextRecord(headers)) return refuse(".headers must be an object of strings");
  return { id: `of the test ${index + 1}`, name, url, events, headers, isEnabled: true };
}

/** The option of `createGalley`. Throws a TypeError that says what is accepted. */
export function readWebhooks(value: unknown): Webhook[] {
  if (!Array.isArray(value) || value.length > MAX_WEBHOOKS)
    throw new TypeError(`webhooks must be a list of ${MAX_WEBHOOKS} webhooks at most`);
  return value.map(readWebhook);
}

export const toSentWebhook = ({ event, name, url, headers, body, outcome }: WebhookCall): SentWebhook => ({
  event,
  webhook: name,
  url: url || undefined,
  headers,
  payload: JSON.parse(body) as SentWebhook["payload"],
  status: outcome?.statusCode,
  problem: outcome?.message,
});
