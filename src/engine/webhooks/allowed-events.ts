/** The events that webhooks may name. Some may be added and removed while the project is served. */
import { validationError } from "../../lib/errors.ts";
import type { Storage } from "../storage/storage.ts";

/** In the order of Strapi, by the names of its constants. */
const CONTENT_EVENTS = [
  ...["ENTRY_CREATE", "ENTRY_UPDATE", "ENTRY_DELETE", "ENTRY_PUBLISH", "ENTRY_UNPUBLISH", "ENTRY_DRAFT_DISCARD"],
  ...["MEDIA_CREATE", "MEDIA_UPDATE", "MEDIA_DELETE"],
].map((key): [string, string] => [key, key.toLowerCase().replace("_", ".").replaceAll("_", "-")]);

const allowed = new WeakMap<Storage, Map<string, string>>();

/** Those of a project, as a map that may be changed. */
export const allowedEvents = (storage: Storage): Map<string, string> =>
  allowed.getOrInsertComputed(storage, () => new Map(CONTENT_EVENTS));

/** Throws a ValidationError for the first event that webhooks may not name. */
export function checkEvents(storage: Storage, events: readonly unknown[]): void {
  const values = new Set<unknown>(allowedEvents(storage).values());
  for (const event of events) if (!values.has(event)) throw validationError(`Webhook event ${event} is not supported`);
}
