/**
 * Imports and exports the configuration rows of an archive: settings of Strapi and its plugins. They are stored unchanged
 * and exported again; settings that Galley has itself are converted.
 */

import { ADVANCED_KEY, advancedValue } from "../engine/access/stored-auth.ts";
import { parseSetting } from "../engine/config/config-sync.ts";
import type { Settings } from "../engine/config/settings.ts";
import { API_FOLDER_META } from "../engine/media/folders.ts";
import {
  API_FOLDER_KEY,
  DEFAULT_LOCALE,
  DEFAULT_LOCALE_KEY,
  dropStored,
  setStored,
  storedKeys,
  storedValue,
  UNKEPT_KEYS,
} from "../engine/storage/core-store.ts";
import type { Storage } from "../engine/storage/storage.ts";
import { asExported, asImported, WEBHOOKS } from "../engine/webhooks/webhook.ts";
import { MAX_DEPTH, measureDepth } from "../lib/depth.ts";
import { isRecord } from "../lib/is-record.ts";
import { type CoreStoreRow, coreStoreRow, isId, type Json } from "./archive/shapes.ts";

/** Meta key: rows for a single environment, which versions before 4 wrote. */
const OTHER_ROWS = "configuration_rows";

/** Length of a value as JSON, in characters. The largest ones are logos. */
const MAX_VALUE_LENGTH = 8_000_000;
/** Webhooks and rows for a single environment, which are kept in memory until the end. */
const MAX_OTHER_ROWS = 1_000;
const MAX_OTHER_LENGTH = 20_000;

/** Whether a value is small enough. The depth is checked first, since deep values cannot be written as JSON. */
const isWithinLimit = (value: unknown, maxLength: number): boolean =>
  measureDepth(value) <= MAX_DEPTH && (JSON.stringify(value) ?? "").length <= maxLength;

/** The import that the configuration belongs to. */
export interface ConfigurationTarget {
  readonly storage: Storage;
  /** Keep existing settings, and add only missing ones. */
  readonly merges: boolean;
  /** Keep the settings that are not imported; false by default. */
  readonly keepsOthers?: boolean;
  /** Maps the id of a folder in the archive to its id in the database. */
  readonly folderId: (id: number) => number;
  /** Whether the media folders stay as they are. */
  readonly keepsFolders: boolean;
}

export function createConfigurationImport(target: ConfigurationTarget) {
  const webhooks: Json[] = [];
  const otherRows: Json[] = [];
  let isCleared = false;
  let exceedsLimits = false;
  let defaultLocale: string | undefined;
  let apiFolder: number | undefined;
  /** Messages about settings without effect. */
  const notes: string[] = [];

  /** Removes existing settings, once the archive turns out to have any. */
  function clear(): void {
    if (isCleared || target.merges || target.keepsOthers) return;
    isCleared = true;
    const { storage } = target;
    for (const key of storedKeys(storage)) dropStored(storage, key);
    storage.dropMeta(WEBHOOKS);
    storage.dropMeta(OTHER_ROWS);
  }

  function add(row: unknown): void {
    clear();
    const stored = coreStoreRow(row);
    if (stored) addStored(stored, (row as { readonly value: Json }).value);
    else if (isRecord(row) && row.type === "webhook" && isRecord(row.value)) addTo(webhooks, row.value);
  }

  function addTo(rows: Json[], row: Json): void {
    if (rows.length < MAX_OTHER_ROWS && isWithinLimit(row, MAX_OTHER_LENGTH)) rows.push(row);
    else exceedsLimits = true;
  }

  function addStored(row: CoreStoreRow, rawRow: Json): void {
    const value = parseSetting(row);
    if (row.key === DEFAULT_LOCALE_KEY) {
      if (typeof value === "string") defaultLocale = value;
    } else if (row.key === API_FOLDER_KEY) {
      apiFolder = isRecord(value) && isId(value.id) ? value.id : undefined;
    } else if (rawRow.environment) addTo(otherRows, rawRow);
    else if (!UNKEPT_KEYS.has(row.key)) store(row.key, value);
  }

  function store(key: string, value: unknown): void {
    const { storage, merges } = target;
    if (merges && storedValue(storage, key) !== undefined) return;
    if (!isWithinLimit(value, MAX_VALUE_LENGTH)) {
      notes.push(`left out: the setting ${key.slice(0, 100)}, which is too large or nested too deep`);
      return;
    }
    setStored(storage, key, value);
  }

  /** Called after the rows of all types have been imported. */
  function finish(): void {
    const { storage, merges, folderId, keepsFolders } = target;
    if (exceedsLimits) notes.push("left out: webhooks and old settings that are too many or too large");
    if (merges) return;
    if (defaultLocale !== undefined) storage.setMeta(DEFAULT_LOCALE, defaultLocale);
    if (!keepsFolders) storage.dropMeta(API_FOLDER_META);
    if (!keepsFolders && apiFolder !== undefined) storage.setMeta(API_FOLDER_META, String(folderId(apiFolder)));
    if (otherRows.length > 0) storage.setMeta(OTHER_ROWS, JSON.stringify(otherRows));
    if (webhooks.length === 0) return;
    storage.setMeta(WEBHOOKS, JSON.stringify(webhooks.map(asImported)));
    notes.push(`${webhooks.length} webhooks; webhooks in config/galley.json says which of them are sent`);
  }

  return { notes, add, finish };
}

const describeType = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? typeof value : "object";

const storedList = (storage: Storage, key: string): Json[] => (storage.metaJson(key) ?? []) as Json[];

/** Yields the settings of a database as rows of an archive. */
export function* configurationRows(storage: Storage, settings: Settings): Generator<Json> {
  const values = new Map(storedKeys(storage).map((key) => [key, storedValue(storage, key)]));
  values.set(DEFAULT_LOCALE_KEY, storage.meta(DEFAULT_LOCALE) ?? "en");
  values.set(ADVANCED_KEY, advancedValue(settings, values.get(ADVANCED_KEY)));
  const folder = storage.meta(API_FOLDER_META);
  if (folder !== undefined) values.set(API_FOLDER_KEY, { id: Number(folder) });
  let id = 0;
  for (const [key, value] of values)
    yield {
      type: "core-store",
      value: { id: ++id, key, value, type: describeType(value), environment: null, tag: null },
    };
  for (const row of storedList(storage, OTHER_ROWS)) yield { type: "core-store", value: { ...row, id: ++id } };
  for (const value of storedList(storage, WEBHOOKS)) yield { type: "webhook", value: asExported(value) };
}
