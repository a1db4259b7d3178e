/** Writes the files of the config-sync plugin to the database. */
import type { SyncedConfiguration } from "../config/config-sync.ts";
import { API_FOLDER_KEY, DEFAULT_LOCALE_KEY, setStored, UNKEPT_KEYS } from "../storage/core-store.ts";
import type { Storage } from "../storage/storage.ts";
import type { Roles } from "./roles.ts";

/** The database operations of the sync. */
export interface SyncTarget {
  readonly storage: Storage;
  readonly roles: Roles;
  /** Adds a missing locale. */
  readonly addLocale: (code: string, name: string | undefined) => void;
  readonly defaultLocale: () => string | undefined;
  readonly setDefaultLocale: (code: string) => void;
}

/** Keys that refer to rows of another database, or that every server creates anew. */
const isServerSpecific = (key: string): boolean =>
  key === API_FOLDER_KEY || key === DEFAULT_LOCALE_KEY || UNKEPT_KEYS.has(key);

/** Roles and locales without a file are kept, since content may use them. */
export function applySynced({ roles, locales, settings }: SyncedConfiguration, target: SyncTarget): void {
  for (const { code, name } of locales) target.addLocale(code, name);
  const configured = settings.get(DEFAULT_LOCALE_KEY);
  const defaultLocale = typeof configured === "string" ? configured : (target.defaultLocale() ?? locales[0]?.code);
  if (defaultLocale !== undefined && locales.some(({ code }) => code === defaultLocale))
    target.setDefaultLocale(defaultLocale);
  for (const { type, name, description, actions } of roles) {
    const id = target.roles.idByType(type);
    const texts = { name: name ?? type, description: description ?? "" };
    const role = id ?? target.roles.insert({ type, ...texts });
    if (id !== undefined) target.roles.rename(id, texts);
    target.roles.setActions(role, actions);
  }
  for (const [key, value] of settings) if (!isServerSpecific(key)) setStored(target.storage, key, value);
}
