/** `strapi.store`: values by key, stored in the database. Settings of plugins have the same effects as in the reference. */
import { DEFAULT_LOCALE } from "../../access/default-locale.ts";
import { EMAIL_KEY } from "../../access/mail-templates.ts";
import { ADVANCED_KEY, advancedValue } from "../../access/stored-auth.ts";
import { UPLOAD_SETTINGS_KEY } from "../../media/file-preparer.ts";
import { DEFAULT_LOCALE_KEY, dropStored, setStored, storedValue } from "../../storage/core-store.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Runtime } from "../runtime.ts";
import { emailTemplates, GRANT_KEY, signInProviders, uploadSettings, uploadView } from "./store-defaults.ts";

interface StoreScope {
  readonly type?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly key?: string;
}

/** A value that is stored elsewhere, or has a default. */
interface Setting {
  readonly get: (storage: Storage, runtime: StoreServices) => unknown;
  readonly set?: (storage: Storage, value: unknown) => void;
}

type StoreServices = Pick<Runtime, "raw" | "transactions" | "settings">;

/** A setting with a default value. */
const preset = (key: string, defaultValue: unknown): Setting => ({
  get: (storage) => storedValue(storage, key) ?? structuredClone(defaultValue),
});

const UPLOAD_VIEW_KEY = "plugin_upload_view_configuration";

const settings: Readonly<Record<string, Setting>> = {
  [GRANT_KEY]: { get: (storage, { settings }) => storedValue(storage, GRANT_KEY) ?? signInProviders(settings) },
  [EMAIL_KEY]: preset(EMAIL_KEY, emailTemplates),
  [UPLOAD_SETTINGS_KEY]: preset(UPLOAD_SETTINGS_KEY, uploadSettings),
  [UPLOAD_VIEW_KEY]: preset(UPLOAD_VIEW_KEY, uploadView),
  [ADVANCED_KEY]: { get: (storage, runtime) => advancedValue(runtime.settings, storedValue(storage, ADVANCED_KEY)) },
  [DEFAULT_LOCALE_KEY]: {
    get: (storage) => storage.meta(DEFAULT_LOCALE) ?? "en",
    set: (storage, value) => storage.setMeta(DEFAULT_LOCALE, String(value)),
  },
};

const keyOf = ({ type = "core", name, environment, key }: StoreScope): string =>
  [type, name, environment, key].filter((part) => part !== undefined && part !== "").join("_");

export function createStore(services: StoreServices) {
  const { raw, transactions } = services;
  const of = (scope: StoreScope) => {
    const resolveKey = (own: string | StoreScope = {}): string =>
      keyOf({ ...scope, ...(typeof own === "string" ? { key: own } : own) });
    return {
      get: async (own?: string | StoreScope): Promise<unknown> => {
        const key = resolveKey(own);
        return settings[key]?.get(raw.storage, services) ?? storedValue(raw.storage, key) ?? null;
      },
      set: async ({ value, ...own }: StoreScope & { readonly value?: unknown }): Promise<void> => {
        const key = resolveKey(own);
        const set = settings[key]?.set ?? ((storage: Storage) => setStored(storage, key, value));
        await transactions.run(async () => set(raw.storage, value));
      },
      delete: async (own?: string | StoreScope): Promise<void> => {
        await transactions.run(async () => dropStored(raw.storage, resolveKey(own)));
      },
    };
  };
  return Object.assign((scope: StoreScope = {}) => of(scope), of({}));
}
