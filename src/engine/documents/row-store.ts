/**
 * How the rows of a type are validated and written, and the system columns that data set. Steps of a write yield where another
 * store than the plain one waits.
 */
import type { Budget } from "../../lib/budget.ts";
import type { SqlValue } from "../attributes/index.ts";
import type { Params } from "../query/parse.ts";
import type { ReadContext, Status } from "../query/reading.ts";
import type { Document } from "../query/select.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { ContentType } from "../schema/model.ts";
import { OWN_LOCALE } from "../schema/system-attribute-names.ts";
import type { Row } from "../storage/storage.ts";
import type { Data, Hashes } from "./documents.ts";
import type { Work } from "./steps.ts";

/** Columns by name, and their values. */
export type Columns = readonly (readonly [string, SqlValue])[];

/** The version that is being written. */
export interface Version {
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
}

/** One row of a document. */
export interface VersionRow extends Version {
  readonly id: number;
}

export interface Validation {
  /** Defaults are added, and missing required values are refused; an update refuses only null. */
  readonly creating: boolean;
  /** Drafts may be incomplete. */
  readonly draft: boolean;
  readonly locale: string | null;
  /** The updated row, whose values are no duplicates. */
  readonly row?: number;
  /** The data are of a row, whose links lead to rows that exist. */
  readonly isStored?: true;
  /** Data beyond it is refused. */
  readonly budget: Budget;
}

/** System columns that the data of a row set. Undefined: the default. Times are in ISO 8601. */
export interface SystemValues {
  readonly id?: number;
  readonly documentId?: string;
  readonly locale?: string | null;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly publishedAt?: string | null;
}

export interface WrittenRow {
  readonly id: number;
  /** The row as the store returns it; undefined if it is as stored. */
  readonly document?: Document | undefined;
}

/** A written row of a document, and what the store returns of it. */
export interface Written extends Pick<WrittenRow, "document"> {
  readonly row: VersionRow;
}

/** The fields to read of a row. `status`: the version of documents behind links; undefined: both. */
export type Selection = CheckedQuery & Partial<Pick<ReadContext, "status" | "listsVersions">>;

/** A write of one row. */
export interface RowWrite {
  readonly data: Data;
  readonly hashes?: Hashes | undefined;
  /** The fields to read of the written row, if the store returns it. */
  readonly selection?: Selection | undefined;
  /** Stores the data, which the store of rows may have changed, and returns the row's id. */
  readonly store: (data: Data, hashes: Hashes, own: SystemValues) => number;
}

export interface Deletion {
  /** Deletes the row together with its components. */
  readonly whole?: () => void;
  /** Calls what deletes the row. */
  readonly around?: (remove: () => void) => void;
}

/**
 * `components`: copies that exist already, by the keys of their originals. Returns the new id, and the values of `columns`, a list in SQL
 * that begins with a comma.
 */
export type CopyRow = (
  newId?: number,
  components?: ReadonlyMap<string, number>,
  columns?: string,
) => Row & [id: number];

/** Is told of the rows that a write finds, before and after it. */
export interface Lookups {
  /** Before a write that may change what localizations share, or copies it to a new one: the first row of the document. */
  original(documentId: string, rows: readonly VersionRow[]): Work<void>;
  /** After such a write: its first row. */
  result(id: number): Work<void>;
  /** The row to update, and whether the document exists if there is none. */
  updated(documentId: string, params: Params, row: VersionRow | undefined, rows: readonly VersionRow[]): Work<void>;
  /** A version that must not exist when it is created. */
  absent(version: Version): Work<void>;
  /** Whether the targets of relations in valid data exist: a query for each type. */
  targets(data: Readonly<Record<string, unknown>>): Work<void>;
  /** The versions to copy, and those that they replace. */
  replaced(
    documentId: string,
    params: Params,
    sources: readonly VersionRow[],
    old: () => readonly VersionRow[],
    from: Status,
  ): Work<void>;
  /** The versions to unpublish. */
  unpublished(documentId: string, params: Params, rows: readonly VersionRow[]): Work<void>;
  /** The versions to clone. */
  cloned(documentId: string, params: Params, rows: readonly VersionRow[]): Work<void>;
  /** The other localizations of a written version. */
  localizations(row: VersionRow, others: readonly number[]): Work<void>;
}

export interface RowStore {
  readonly lookups: Lookups;
  /** The data that are written. `valid` checks and casts them. */
  validated(data: Data, options: Validation, valid: () => Data): Work<Data>;
  create(write: RowWrite, status: Status): Work<WrittenRow>;
  /** `isShared`: the row is found as a localization of the written one, and not by its id. */
  update(write: RowWrite, row: VersionRow, isShared?: boolean): Work<WrittenRow>;
  /** Creates a row of the other version with `copy`. */
  copy(from: VersionRow, status: Status, copy: CopyRow, selection: Selection | undefined): Work<WrittenRow>;
  delete(id: number, selection?: CheckedQuery, deletion?: Deletion): Work<void>;
  /** Calls `read`, which reads the rows of a document in the locales of the parameters. */
  readAll(documentId: string, params: Params, read: () => Document[]): Work<Document[]>;
}

/** Another store than the plain one, for whoever takes part in the writes of rows. */
export interface RowStores {
  readonly of: (type: ContentType) => RowStore;
  /** Runs a write in a transaction; rolls back when it fails. */
  readonly run: <T>(work: () => Work<T>) => Promise<T>;
}

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

/** The column of a locale that code sets; undefined for types that keep none. */
export function localeColumn(type: ContentType): string | undefined {
  if (type.localized) return "locale";
  const attribute = type.attributes.get("locale");
  return attribute?.kind === "scalar" && attribute.column === OWN_LOCALE ? OWN_LOCALE : undefined;
}

/** The columns of a row with these values, except for its id. */
export function systemColumns(type: ContentType, values: SystemValues): Columns {
  const { locale, publishedAt } = values;
  const column = localeColumn(type);
  const columns: [string, SqlValue | undefined][] = [
    ["document_id", values.documentId],
    [column ?? "locale", column && locale],
    ["created_at", values.createdAt],
    ["updated_at", values.updatedAt],
    ["published_at", publishedAt],
    ["status", type.draftAndPublish && publishedAt !== undefined ? statusOf(publishedAt) : undefined],
  ];
  return columns.filter((column): column is [string, SqlValue] => column[1] !== undefined);
}
