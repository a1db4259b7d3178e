/** The events that webhooks may name. The project's code may add some, and remove some. */
import { validationError } from "../../lib/errors.ts";
import type { Storage } from "../storage/storage.ts";

/** In the order of Strapi, by the names of its constants. */
const CONTENT_EVENTS = [
  ...["ENTRY_CREATE", "ENTRY_UPDATE", "ENTRY_DELETE", "ENTRY_PUBLISH", "ENTRY_UNPUBLISH", "ENTRY_DRAFT_DISCARD"],
  ...["MEDIA_CREATE", "MEDIA_UPDATE", "MEDIA_DELETE"],
].map((key): [string, string] => [key, key.toLowerCase().replace("_", ".").replaceAll("_", "-")]);

const changed = new WeakMap<Storage, Map<string, string>>();

/** Those of a project as a map that its code may change. */
export function changeableEvents(storage: Storage): Map<string, string> {
  const events = changed.get(storage) ?? new Map(CONTENT_EVENTS);
  changed.set(storage, events);
  return events;
}

/** Throws a ValidationError for the first event that webhooks may not name. */
export function checkEvents(storage: Storage, events: readonly unknown[]): void {
  const allowed = new Set<unknown>((changed.get(storage) ?? new Map(CONTENT_EVENTS)).values());
  for (const event of events) if (!allowed.has(event)) throw validationError(`Webhook event ${event} is not supported`);
}
