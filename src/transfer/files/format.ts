/**
 * The format of content files: a JSON file for each document, `<plural name>/<name>.json` or `<singular name>.json` for a single
 * type, and media with their records in `media/`. No file contains row ids.
 */

import type { ContentType } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../archive/shapes.ts";

export const MEDIA_FOLDER = "media";
/** Lists the files of an export, and the locales. */
export const MANIFEST = ".export.json";

/** One row of a document. */
export interface VersionFile {
  /** For localized types. */
  readonly locale?: string;
  /** For types with drafts. */
  readonly status?: "draft" | "published";
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt?: string;
  /** With links by document id, media by file name, and nested components. Null and empty values are omitted. */
  readonly data: Json;
}

export interface DocumentFile {
  readonly documentId: string;
  readonly versions: readonly VersionFile[];
}

/** A link. In files, it is only the document id if all other properties have their defaults. */
export interface LinkFile {
  readonly documentId: string;
  /** For polymorphic relations. */
  readonly __type?: string;
  /** If the link leads to another version than that with the owner's status and locale. */
  readonly status?: string;
  readonly locale?: string | null;
  /** The attribute of the target that shows a polymorphic link, if any. */
  readonly field?: string;
  /** Position in the target's list, if it differs from the order of the documents. */
  readonly order?: number;
}

export interface Manifest {
  readonly locales: readonly {
    readonly code: string;
    readonly name: string | null;
    /** Absent in files of early exports. */
    readonly documentId?: string;
  }[];
  readonly defaultLocale: string;
  /** Paths below the folder, sorted. */
  readonly files: readonly string[];
}

/** The folder of a collection's documents. */
export const folderOf = ({ pluralName }: ContentType): string =>
  pluralName === MEDIA_FOLDER ? `${pluralName}-documents` : pluralName;

export const isDocumentFile = (value: unknown): value is DocumentFile =>
  isRecord(value) && typeof value.documentId === "string" && Array.isArray(value.versions);

/** JSON as formatters write it: two spaces, and a newline at the end. */
export const formatJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Sort key of rows in an import, and so of unsorted lists afterwards. */
export interface LoadKey {
  readonly type: ContentType;
  readonly status: "draft" | "published";
  readonly createdAt: unknown;
  readonly publishedAt: unknown;
  readonly documentId: string;
  readonly locale: string | null;
}

/** Publishing inserts a new row for the published version, as in Strapi. */
const keysOf = ({ type, status, createdAt, publishedAt, documentId, locale }: LoadKey): readonly string[] => [
  String(type.draftAndPublish && status === "published" ? publishedAt : createdAt),
  documentId,
  locale ?? "",
  status,
];

export function compareLoadKeys(a: LoadKey, b: LoadKey): number {
  const [left, right] = [keysOf(a), keysOf(b)];
  const difference = left.findIndex((key, index) => key !== right[index]);
  return difference < 0 ? 0 : left[difference]! < right[difference]! ? -1 : 1;
}
