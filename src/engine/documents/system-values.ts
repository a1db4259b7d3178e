/**
 * The system columns that a project's code sets in the data of a row, which the reference stores as they are. Data of
 * clients have none of them: `input-keys.ts` refuses these keys.
 */

import { textOf } from "../../lib/coerce.ts";
import { datetime } from "../attributes/datetime.ts";
import type { SqlValue } from "../attributes/index.ts";
import type { Status } from "../query/read-context.ts";
import type { ContentType, Schema } from "../schema/model.ts";
import type { DocumentsContext, Version } from "./context.ts";
import type { Columns, Data } from "./rows.ts";

/** Undefined: the default. Times are in ISO 8601. */
export interface SystemValues {
  readonly id?: number;
  readonly documentId?: string;
  readonly locale?: string | null;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly publishedAt?: string | null;
}

const NO_SYSTEM_VALUES: SystemValues = {};

/** Their columns cannot be null, unlike the reference's. */
const WITH_DEFAULT = ["documentId", "createdAt", "updatedAt"] as const;

const READERS = {
  id: rowId,
  documentId: textOf,
  locale: (value) => (value === null ? null : textOf(value)),
  createdAt: datetime.store,
  updatedAt: datetime.store,
  publishedAt: datetime.store,
} satisfies Record<keyof SystemValues, (value: unknown) => unknown>;

const NAMES = Object.keys(READERS) as readonly (keyof SystemValues)[];

function rowId(value: unknown): number | undefined {
  if (value === null) return undefined;
  const id = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(id)) throw new Error(`Invalid id, expected a string or integer, got ${textOf(value)}`);
  return id as number;
}

/**
 * None if no code is involved. Values that Galley cannot store get their default, with a warning. Throws a ValidationError for
 * an invalid time, and an Error for an invalid id.
 */
export function systemValuesOf({ rowHooks }: DocumentsContext, type: Schema, data: Data): SystemValues {
  if (!rowHooks) return NO_SYSTEM_VALUES;
  const values: Partial<Record<keyof SystemValues, unknown>> = {};
  for (const name of NAMES) {
    const value = data[name];
    if (value === undefined) continue;
    if (value === null && WITH_DEFAULT.some((other) => other === name))
      rowHooks.warn(`${type.uid}: code sets ${name} to null, which Galley replaces by a value`);
    else if (name === "locale" && value !== null && !(type.modelType === "contentType" && type.localized))
      rowHooks.warn(`${type.uid}: code sets a locale, which Galley does not store for types that are not localized`);
    else values[name] = READERS[name](value);
  }
  return values as SystemValues;
}

const statusOf = (publishedAt: string | null): Status => (publishedAt === null ? "draft" : "published");

/** The reference fails in such cases, too, since it does not find what it has written. */
export class OtherVersionError extends TypeError {
  constructor({ uid }: ContentType) {
    super(`${uid}: code has set publishedAt, so that the written row is not of the version that the action writes`);
  }
}

/** The version that a row with these values is of. */
export function versionWith<V extends Version>(
  type: ContentType,
  version: V,
  { documentId, locale, publishedAt }: SystemValues,
): V {
  return {
    ...version,
    ...(documentId === undefined ? {} : { documentId }),
    ...(locale === undefined || !type.localized ? {} : { locale }),
    ...(publishedAt === undefined || !type.draftAndPublish ? {} : { status: statusOf(publishedAt) }),
  };
}

/** The columns of a new row with these values. */
export const newSystemColumns = (type: ContentType, values: SystemValues): Columns => [
  ...(values.id === undefined ? [] : [["id", values.id] as const]),
  ...systemColumns(type, values),
];

/** The columns of a row with these values, except for its id. */
export function systemColumns(type: ContentType, values: SystemValues): Columns {
  const { locale, publishedAt } = values;
  const columns: [string, SqlValue | undefined][] = [
    ["document_id", values.documentId],
    ["locale", type.localized ? locale : undefined],
    ["created_at", values.createdAt],
    ["updated_at", values.updatedAt],
    ["published_at", publishedAt],
    ["status", type.draftAndPublish && publishedAt !== undefined ? statusOf(publishedAt) : undefined],
  ];
  return columns.filter((column): column is [string, SqlValue] => column[1] !== undefined);
}
