/** The cache tags that each request to a webhook carries: those that became stale since the request before it, by whatever writes. */
import { EVERYTHING } from "../../lib/cache-tags.ts";
import type { Clock } from "../../lib/clock.ts";
import { logError } from "../../lib/printable.ts";
import { ofEveryCaller } from "../query/named-in-tags.ts";
import type { Model } from "../schema/model.ts";
import { enableChangeLog, isEnabled, lastSequence } from "../storage/change-log/change-log.ts";
import { staleSince } from "../storage/change-log/stale-tags.ts";
import { tendLog } from "../storage/change-log/upkeep.ts";
import type { Storage } from "../storage/storage.ts";
import type { Webhook } from "./webhook.ts";
import type { WebhookTags } from "./webhooks.ts";

/** In characters: receivers limit the headers of a request, many to 8 KB together with the request line and a webhook's own headers. */
const MAX_LENGTH = 6_000;
/** More would take longer than a write, and hardly fit into the header. */
const BOUNDS = { entries: 500, tags: 1_000 };

/**
 * The first request of a webhook in a process, one after a request that was not received, and one that needs more than a header takes say
 * that everything is stale. The change log is enabled with the first, since only webhooks that are sent need it.
 */
export function createStaleTags(storage: Storage, model: Model, clock: Clock): WebhookTags {
  // ids are used again, and another URL has received nothing yet
  const sent = new WeakMap<Webhook, number>();
  const scope = ofEveryCaller(model);
  function next(webhook: Webhook): string {
    if (!isEnabled(storage) && !storage.tryTransaction(() => enableChangeLog(storage))) return EVERYTHING;
    tendLog(storage, clock);
    const since = sent.get(webhook);
    sent.set(webhook, lastSequence(storage));
    if (since === undefined) return EVERYTHING;
    const tags = staleSince(storage, since, scope, BOUNDS).join(",");
    return tags.length > MAX_LENGTH ? EVERYTHING : tags;
  }
  return {
    next: (webhook) => {
      try {
        return next(webhook);
      } catch (error) {
        logError(error);
        return EVERYTHING;
      }
    },
    forget: (webhook) => void sent.delete(webhook),
  };
}
