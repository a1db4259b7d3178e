/** What was read of the content and may be used again until the content changes. */
import type { Storage } from "./storage.ts";

/** Answers the value for a database, made anew whenever content may have changed, by this process or another. */
export function perVersion<T>(make: () => T): (storage: Storage) => T {
  const values = new WeakMap<Storage, { readonly version: string; readonly value: T }>();
  return (storage) => {
    const version = storage.version();
    const known = values.get(storage);
    if (known?.version === version) return known.value;
    const value = make();
    values.set(storage, { version, value });
    return value;
  };
}
