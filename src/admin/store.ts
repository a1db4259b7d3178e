/**
 * Settings that are kept with the content, under the keys of the reference's store, so that a project's own code finds
 * them with `strapi.store`.
 */
import type { Storage } from "../storage/storage.ts";

/** As `strapi.store` has them. */
const PREFIX = "store:";

export function readStored<T>(storage: Storage, key: string): T | undefined {
  const text = storage.meta(PREFIX + key);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

export function storedWith(storage: Storage, prefix: string): string[] {
  return storage.metaKeys(PREFIX + prefix).map((key) => key.slice(PREFIX.length));
}

/** In a transaction of its own; waits for other writers. */
export const store = (storage: Storage, key: string, value: unknown): Promise<void> =>
  storage.write(() => storage.setMeta(PREFIX + key, JSON.stringify(value)));

export const forget = (storage: Storage, key: string): void => storage.dropMeta(PREFIX + key);
