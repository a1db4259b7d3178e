/** The system columns that the data of a row set; Strapi stores them as they are. */
import type { SqlValue } from "../attributes/index.ts";
import type { Status } from "../query/reading.ts";
import type { ContentType } from "../schema/model.ts";
import type { SystemValues, Version } from "./row-store.ts";
import type { Columns } from "./rows.ts";

const statusOf = (publishedAt: string | null): Status => (publishedAt === null ? "draft" : "published");

/** Strapi fails in such cases, too, since it does not find what it has written. */
export class OtherVersionError extends TypeError {
  constructor({ uid }: ContentType) {
    super(`${uid}: publishedAt was set, so that the written row is not of the version that the action writes`);
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
