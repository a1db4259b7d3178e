/** Copies the settings of the core store into the database of the administration as rows, and changes of the rows back. */
import { deleteRow } from "../../engine/documents/delete-row.ts";
import { contentType } from "../../engine/schema/model.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { tryParseJson } from "../../lib/coerce.ts";
import { QueryEngine, type QueryServices } from "../data/query-engine.ts";
import { QueryRows } from "../data/query-rows.ts";
import { allSettings, dropSetting, type SettingSource, writeSetting } from "./settings.ts";
import { CORE_STORE } from "./types.ts";

/** The attributes of Strapi's rows, which are no documents. */
export const SETTING_COLUMNS = ["id", "key", "value", "type", "environment", "tag"] as const;

interface SettingRow {
  readonly id: number;
  readonly key: string | null;
  readonly value: string | null;
}

const NO_HASHES = new Map<string, string>();

/** Text that is no JSON is a value itself. */
function parsed(text: string | null): unknown {
  const value = text === null ? null : tryParseJson(text);
  return value === undefined ? text : value;
}

/** `services`: of the database that has the rows. */
export function createStoredSettings(services: QueryServices, source: SettingSource) {
  /** The settings that the rows equal, as JSON by key. */
  let loaded: ReadonlyMap<string, string> = new Map();
  /** Where they were read from, and its version then. */
  let readFrom: { readonly storage: Storage; readonly version: string } | undefined;
  const type = contentType(services.raw.model, CORE_STORE);

  /** The next load compares all rows again. */
  function forget(): void {
    loaded = new Map();
    readFrom = undefined;
  }

  function listSettings(): ReadonlyMap<string, string> {
    return new Map([...allSettings(source)].map(([key, value]) => [key, JSON.stringify(value ?? null)]));
  }

  function listRows(): readonly SettingRow[] {
    const { find } = new QueryEngine(services, type).withoutHooks;
    return find({ select: [...SETTING_COLUMNS], orderBy: "id" }) as unknown as readonly SettingRow[];
  }

  /** Does nothing if the rows are up to date. Rows keep their ids. */
  function load(): void {
    const { storage } = source.raw;
    const version = storage.version();
    if (readFrom?.storage === storage && readFrom.version === version) return;
    const settings = listSettings();
    readFrom = { storage, version };
    if (Bun.deepEquals(settings, loaded)) return;
    const { raw } = services;
    const writer = new QueryRows(raw, type);
    raw.storage.transaction(() => {
      const unchanged = new Set<string>();
      const ids = new Map<string, number>();
      for (const { id, key, value } of listRows()) {
        if (key !== null && settings.get(key) === value) unchanged.add(key);
        else deleteRow(raw, type, id);
        if (key !== null) ids.set(key, id);
      }
      for (const [key, value] of settings) {
        if (unchanged.has(key)) continue;
        const id = ids.get(key);
        writer.insert({ ...(id !== undefined && { id }), key, value, type: typeof parsed(value) }, NO_HASHES);
      }
    });
    loaded = settings;
  }

  /** Stores what differs. */
  function save(): void {
    const before = listSettings();
    const rows = new Map(listRows().map(({ key, value }) => [key, value]));
    for (const key of before.keys()) if (!rows.has(key)) dropSetting(source, key);
    for (const [key, value] of rows) {
      if (key === null) throw new Error(`${CORE_STORE}: a setting needs a key`);
      if (before.get(key) !== value) writeSetting(source, key, parsed(value));
    }
    forget();
  }

  return { forget, load, save };
}
