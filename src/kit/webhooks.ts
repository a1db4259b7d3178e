/** The webhooks of a test: those that its options name, and what was sent to all of them. */
import { isUrl } from "../engine/webhooks/request.ts";
import { contentEvents, type Webhook } from "../engine/webhooks/webhook.ts";
import type { WebhookCall } from "../engine/webhooks/webhooks.ts";
import { isRecord } from "../lib/is-record.ts";
import type { SentWebhook, TestWebhook } from "../public-types.ts";
import { checkOptions, type OptionRule, text } from "./check-options.ts";

const MAX_WEBHOOKS = 100;

const rules: Readonly<Record<string, OptionRule>> = {
  name: text,
  url: {
    expected: "a URL of http or https",
    fits: (value) => value === "" || (typeof value === "string" && isUrl(value)),
  },
  events: {
    expected: 'a list of events, as ["entry.publish"]',
    fits: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((event) => event !== "" && text.fits(event)),
  },
  headers: {
    expected: "an object of strings",
    fits: (value) => isRecord(value) && Object.values(value).every(text.fits),
  },
};

function readWebhook(value: unknown, index: number): Webhook {
  checkOptions(`webhooks[${index}]`, value, rules);
  const { name = `webhook ${index + 1}`, url = "", events = contentEvents, headers = {} } = value as TestWebhook;
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
