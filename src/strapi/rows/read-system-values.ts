/**
 * Reads the system columns that code sets in the data of a row. Data of clients have none of them: `input-keys.ts` refuses these
 * keys.
 */
import { datetime } from "../../engine/attributes/datetime.ts";
import { localeColumn, type SystemValues } from "../../engine/documents/row-store.ts";
import type { Data } from "../../engine/documents/rows.ts";
import type { Schema } from "../../engine/schema/model.ts";
import { toText } from "../../lib/coerce.ts";
import type { RawContext } from "./row-hooks.ts";

/** Their columns cannot be null, unlike Strapi's. */
const WITH_DEFAULT = ["documentId", "createdAt", "updatedAt"] as const;

const READERS = {
  id: rowId,
  documentId: toText,
  locale: (value) => (value === null ? null : toText(value)),
  createdAt: datetime.store,
  updatedAt: datetime.store,
  publishedAt: datetime.store,
} satisfies Record<keyof SystemValues, (value: unknown) => unknown>;

const NAMES = Object.keys(READERS) as readonly (keyof SystemValues)[];

function rowId(value: unknown): number | undefined {
  if (value === null) return undefined;
  const id = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(id)) throw new Error(`Invalid id, expected a string or integer, got ${toText(value)}`);
  return id as number;
}

/**
 * Values that Galley cannot store get their default, with a warning. Throws a ValidationError for
 * an invalid time, and an Error for an invalid id.
 */
export function readSystemValues({ rowHooks }: RawContext, type: Schema, data: Data): SystemValues {
  const values: Partial<Record<keyof SystemValues, unknown>> = {};
  for (const name of NAMES) {
    const value = data[name];
    if (value === undefined) continue;
    if (value === null && WITH_DEFAULT.some((other) => other === name))
      rowHooks.warn(`${type.uid}: code sets ${name} to null, which Galley replaces by a value`);
    else if (name === "locale" && value !== null && !(type.modelType === "contentType" && localeColumn(type)))
      rowHooks.warn(`${type.uid}: code sets a locale, which Galley does not store for types that are not localized`);
    else values[name] = READERS[name](value);
  }
  return values as SystemValues;
}
