/** The settings of Strapi's core store: those that are stored, those that are stored elsewhere, and default values. */
import { EMAIL_KEY } from "../../engine/access/mail-templates.ts";
import {
  emailTemplates,
  GRANT_KEY,
  signInProviders,
  UPLOAD_VIEW_KEY,
  uploadSettings,
  uploadView,
} from "../../engine/access/store-defaults.ts";
import { ADVANCED_KEY, advancedValue } from "../../engine/access/stored-auth.ts";
import { UPLOAD_SETTINGS_KEY } from "../../engine/media/file-preparer.ts";
import {
  DEFAULT_LOCALE,
  DEFAULT_LOCALE_KEY,
  dropStored,
  setStored,
  storedKeys,
  storedValue,
} from "../../engine/storage/core-store.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { Runtime } from "../runtime.ts";

/** What settings and their default values are read from. */
export type SettingSource = Pick<Runtime, "raw" | "settings" | "formConfigurations">;

/** A value that is stored elsewhere, or has a default. */
interface Setting {
  readonly get: (storage: Storage, source: SettingSource) => unknown;
  readonly set?: (storage: Storage, value: unknown) => void;
}

const preset = (key: string, defaultValue: unknown): Setting => ({
  get: (storage) => storedValue(storage, key) ?? structuredClone(defaultValue),
});

const settings: Readonly<Record<string, Setting>> = {
  [GRANT_KEY]: { get: (storage, { settings }) => storedValue(storage, GRANT_KEY) ?? signInProviders(settings) },
  [EMAIL_KEY]: preset(EMAIL_KEY, emailTemplates),
  [UPLOAD_SETTINGS_KEY]: preset(UPLOAD_SETTINGS_KEY, uploadSettings),
  [UPLOAD_VIEW_KEY]: preset(UPLOAD_VIEW_KEY, uploadView),
  [ADVANCED_KEY]: { get: (storage, source) => advancedValue(source.settings, storedValue(storage, ADVANCED_KEY)) },
  [DEFAULT_LOCALE_KEY]: {
    get: (storage) => storage.meta(DEFAULT_LOCALE) ?? "en",
    set: (storage, value) => storage.setMeta(DEFAULT_LOCALE, String(value)),
  },
};

/** Before the kind and the uid of a type. */
export const FORM_CONFIGURATION = "plugin_content_manager_configuration_";

/** Undefined for an unknown key. */
export function readSetting(source: SettingSource, key: string): unknown {
  const { storage } = source.raw;
  const value = settings[key]?.get(storage, source) ?? storedValue(storage, key);
  if (value !== undefined || !key.startsWith(FORM_CONFIGURATION)) return value;
  return new Map(source.formConfigurations()).get(key);
}

/** Expects a transaction. */
export function writeSetting({ raw: { storage } }: SettingSource, key: string, value: unknown): void {
  const set = settings[key]?.set;
  if (set) set(storage, value);
  else setStored(storage, key, value);
}

/** Expects a transaction. A setting with a default value has that one again. */
export const dropSetting = ({ raw }: SettingSource, key: string): void => dropStored(raw.storage, key);

/** All settings by key. */
export function allSettings(source: SettingSource): ReadonlyMap<string, unknown> {
  const { storage } = source.raw;
  return new Map([
    ...source.formConfigurations(),
    ...Object.entries(settings).map(([key, { get }]) => [key, get(storage, source)] as const),
    ...storedKeys(storage)
      .filter((key) => !(key in settings) && !key.startsWith(FORM_CONFIGURATION))
      .map((key) => [key, storedValue(storage, key)] as const),
  ]);
}
