/** The cache tags that each request to a webhook carries: those that became stale since the request before it, by whatever writes. */
import { logError } from "../../lib/print-value.ts";
import { isNamedInTags } from "../query/dependencies.ts";
import { contentType, type Model } from "../schema/model.ts";
import { EVERYTHING } from "../storage/cache-tags.ts";
import { enableChangeLog, isEnabled, lastSequence } from "../storage/change-log/change-log.ts";
import { staleSince } from "../storage/change-log/stale-tags.ts";
import { tendLog } from "../storage/change-log/upkeep.ts";
import type { Storage } from "../storage/storage.ts";
import type { StaleTagsOf } from "./webhooks.ts";

/** In characters: receivers limit the headers of a request. */
const MAX_LENGTH = 8_000;

/**
 * The first request in a process, and one that needs more than a header takes, says that everything is stale. The change log is enabled
 * with it, since only webhooks that are sent need it.
 */
export function createStaleTags(storage: Storage, model: Model): StaleTagsOf {
  const sent = new Map<string, number>();
  const isNamed = (uid: string, name: string): boolean => isNamedInTags(contentType(model, uid), name);
  const scope = { mayList: (uid: string) => model.types.has(uid), isNamed, status: undefined };
  function next(webhookId: string): string {
    if (!isEnabled(storage) && !storage.tryTransaction(() => enableChangeLog(storage))) return EVERYTHING;
    tendLog(storage);
    const since = sent.get(webhookId);
    sent.set(webhookId, lastSequence(storage));
    if (since === undefined) return EVERYTHING;
    const tags = staleSince(storage, since, scope).join(",");
    return tags.length > MAX_LENGTH ? EVERYTHING : tags;
  }
  return (webhookId) => {
    try {
      return next(webhookId);
    } catch (error) {
      logError(error);
      return EVERYTHING;
    }
  };
}
