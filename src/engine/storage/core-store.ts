/** Strapi's core store: settings by key, such as `plugin_upload_settings`, stored in `galley_meta` and exported. */
import type { Storage } from "./storage.ts";

/** The prefix of their keys in `galley_meta`. */
const STORED_PREFIX = "store:";

/** Keys that Galley stores elsewhere. */
export const DEFAULT_LOCALE_KEY = "plugin_i18n_default_locale";
export const API_FOLDER_KEY = "plugin_upload_api-folder";

/**
 * Not stored: Strapi writes it at every start, and migrates content where it differs from the schemas, so that an
 * outdated value would do damage.
 */
export const UNKEPT_KEYS: ReadonlySet<string> = new Set(["strapi_content_types_schema"]);

/** Undefined for an unknown key. */
export const storedValue = (storage: Storage, key: string): unknown => storage.metaJson(STORED_PREFIX + key);

export const storedKeys = (storage: Storage): string[] =>
  storage.metaKeys(STORED_PREFIX).map((key) => key.slice(STORED_PREFIX.length));

/** Expects a transaction. */
export const setStored = (storage: Storage, key: string, value: unknown): void =>
  storage.setMeta(STORED_PREFIX + key, JSON.stringify(value ?? null));

export const dropStored = (storage: Storage, key: string): void => storage.dropMeta(STORED_PREFIX + key);

/** Meta key: code of the default locale. */
export const DEFAULT_LOCALE = "default_locale";
