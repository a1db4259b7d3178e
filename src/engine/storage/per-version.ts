/** Caches that are cleared when content changes. */
import type { Storage } from "./storage.ts";

/** Caches a value per database until content may have changed, by this process or another. */
export function perVersion<T>(make: () => T): (storage: Storage) => T {
  const values = new WeakMap<Storage, { readonly version: string; readonly value: T }>();
  return (storage) => {
    const version = storage.version();
    const cached = values.get(storage);
    if (cached?.version === version) return cached.value;
    const value = make();
    values.set(storage, { version, value });
    return value;
  };
}
