/** The keys of content files that begin with `$`: their order and the types of their values. */
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../archive/shapes.ts";
import { ContentFileError } from "./file-error.ts";

type Check = (value: unknown) => boolean;
export type KeyPath = readonly (string | number)[];

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/;

const text = { is: (value: unknown) => typeof value === "string" && value !== "", reason: "must be a text, in quotes" };
const time = {
  is: (value: unknown) => typeof value === "string" && TIME.test(value) && !Number.isNaN(Date.parse(value)),
  reason: "must be a time such as 2026-01-31T12:00:00.000Z",
};
const published = {
  is: (value: unknown) => value === true || isRecord(value),
  reason: "must be true, or a mapping of the values that differ",
};
const locales = {
  is: (value: unknown) =>
    isRecord(value) && Object.entries(value).every(([locale, keys]) => locale !== "" && isRecord(keys)),
  reason: "must be a mapping of locales, each with a mapping",
};

type KeyTable = Readonly<Record<string, { readonly is: Check; readonly reason: string }>>;

/** Those that a published version has of its own. */
const editKeys: KeyTable = { $createdAt: time, $updatedAt: time };
/** In the order in which they are printed, before the attributes. */
const versionKeys: KeyTable = { ...editKeys, $publishedAt: time, $published: published };
const leadingKeys: KeyTable = { $id: text, $locale: text, ...versionKeys };
const fileKeys: KeyTable = { ...leadingKeys, $locales: locales };

const LEADING = Object.keys(leadingKeys);

const orderVersion = (version: Json): [string, unknown][] => [
  ...LEADING.filter((key) => Object.hasOwn(version, key)).map((key): [string, unknown] => [key, version[key]]),
  ...Object.entries(version).filter(([key]) => !Object.hasOwn(leadingKeys, key)),
];

/** A file with its keys in the order in which they are printed: `$locales` last, all others that begin with `$` first. */
export function orderKeys(file: Json): Json {
  const { $locales, ...version } = file;
  const ordered = orderVersion(version);
  if (isRecord($locales)) {
    const versions = Object.entries($locales).map(([code, inner]) => [
      code,
      Object.fromEntries(orderVersion(inner as Json)),
    ]);
    ordered.push(["$locales", Object.fromEntries(versions)]);
  }
  return Object.fromEntries(ordered);
}

function checkMapping(mapping: Json, table: KeyTable, path: KeyPath, findLine: (path: KeyPath) => number): void {
  for (const [key, value] of Object.entries(mapping)) {
    if (!key.startsWith("$")) continue;
    const inner = [...path, key];
    const row = Object.hasOwn(table, key) ? table[key] : undefined;
    if (row === undefined)
      throw new ContentFileError("key", findLine(inner), `the key ${inner.join(".")} is unknown here`);
    if (!row.is(value)) throw new ContentFileError("key", findLine(inner), `${inner.join(".")} ${row.reason}`);
    if (key === "$published" && isRecord(value)) checkMapping(value, editKeys, inner, findLine);
    if (key === "$locales") {
      for (const [code, version] of Object.entries(value as Record<string, Json>)) {
        checkMapping(version, versionKeys, [...inner, code], findLine);
      }
    }
  }
}

/** Throws a `ContentFileError` for the first `$` key that is unknown or has a value of the wrong type. */
export const checkKeys = (file: Json, findLine: (path: KeyPath) => number): void =>
  checkMapping(file, fileKeys, [], findLine);
