/**
 * The reference's store of settings by key, such as `plugin_upload_settings`: kept with the content in `galley_meta`, read
 * by what they are for, and handed on by exports.
 */
import type { Storage } from "./storage.ts";

/** Before the keys in `galley_meta`. */
export const STORED_PREFIX = "store:";

/** Rows that Galley has in a place of its own. */
export const DEFAULT_LOCALE_KEY = "plugin_i18n_default_locale";
export const API_FOLDER_KEY = "plugin_upload_api-folder";

/**
 * The reference writes it at every start, and converts content where it differs from the project's schemas: one that is out
 * of date would do harm.
 */
export const UNKEPT_KEYS: ReadonlySet<string> = new Set(["strapi_content_types_schema"]);

/** Undefined for a key that is not there. */
export function storedValue(storage: Storage, key: string): unknown {
  const text = storage.meta(STORED_PREFIX + key);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

export const storedKeys = (storage: Storage): string[] =>
  storage.metaKeys(STORED_PREFIX).map((key) => key.slice(STORED_PREFIX.length));

/** Expects a transaction. */
export const setStored = (storage: Storage, key: string, value: unknown): void =>
  storage.setMeta(STORED_PREFIX + key, JSON.stringify(value ?? null));

export const dropStored = (storage: Storage, key: string): void => storage.dropMeta(STORED_PREFIX + key);
