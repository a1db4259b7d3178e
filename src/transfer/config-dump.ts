/**
 * Settings as `strapi configuration:dump` writes them and `configuration:restore` reads them: a list of the rows of Strapi's store whose keys begin
 * with `plugin_`, with values as strings.
 */
import type { Settings } from "../engine/config/settings.ts";
import type { Storage } from "../engine/storage/storage.ts";
import { tryParseJson } from "../lib/coerce.ts";
import { ProjectError } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { type CoreStoreRow, coreStoreRow, type Json } from "./archive/shapes.ts";
import { configurationRows, createConfigurationImport } from "./configuration.ts";

const PREFIX = "plugin_";

/** What happens to keys that are there already. As in Strapi, `merge` replaces their values, too, since those are strings. */
export const strategies = ["replace", "merge", "keep"] as const;
export type Strategy = (typeof strategies)[number];

const storeRows = (storage: Storage, settings: Settings): CoreStoreRow[] =>
  [...configurationRows(storage, settings)].flatMap((row) => coreStoreRow(row) ?? []);

/** Sorted by key. */
export const dumpConfiguration = (storage: Storage, settings: Settings): Json[] =>
  storeRows(storage, settings)
    .filter(({ key }) => key.startsWith(PREFIX))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, value, type }) => ({
      key,
      value: typeof value === "string" ? value : JSON.stringify(value),
      type,
      environment: null,
      tag: null,
    }));

/** The rows of a dump. Throws a ProjectError for anything else. */
export function parseDump(text: string, name: string): readonly Json[] {
  const refuse = (reason: string) => new ProjectError(name, undefined, reason);
  const rows = tryParseJson(text);
  if (rows === undefined) throw refuse("is not valid JSON");
  if (!Array.isArray(rows)) throw refuse("is not a list of settings");
  const wrong = rows.findIndex((row) => !isRecord(row) || typeof row.key !== "string" || row.value === undefined);
  if (wrong >= 0) throw refuse(`entry ${wrong + 1} has no key or no value`);
  return rows as Json[];
}

/** Expects a transaction. `existing`: keys that were there before: replaced, or left as they are. */
export function restoreConfiguration(storage: Storage, settings: Settings, rows: readonly Json[], strategy: Strategy) {
  const present = new Set(storeRows(storage, settings).map(({ key }) => key));
  const target = createConfigurationImport({
    storage,
    merges: false,
    keepsOthers: true,
    folderId: (id) => id,
    keepsFolders: true,
  });
  const isPresent = ({ key }: Json): boolean => present.has(String(key));
  for (const row of rows) if (strategy !== "keep" || !isPresent(row)) target.add({ type: "core-store", value: row });
  target.finish();
  const existing = rows.filter(isPresent).length;
  return { created: rows.length - existing, existing, notes: target.notes };
}
