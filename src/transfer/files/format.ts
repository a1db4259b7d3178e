/**
 * Content as files: one JSON file per document, `<plural name>/<name>.json`, or `<singular name>.json` for a single type,
 * and media with their records in `media/`. Row ids are in none of them.
 */
import { isRecord } from "../../query/key-check.ts";
import type { ContentType } from "../../schema/model.ts";
import type { Json } from "../archive/shapes.ts";

export const MEDIA_FOLDER = "media";
/** Which files an export wrote, and the locales. */
export const MANIFEST = ".export.json";

/** One row of a document. */
export interface VersionFile {
  /** Of localized types. */
  readonly locale?: string;
  /** Of types with drafts. */
  readonly status?: "draft" | "published";
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt?: string;
  /** Links by document id; media by their file's name; components inside. Without what is null or empty. */
  readonly data: Json;
}

export interface DocumentFile {
  readonly documentId: string;
  readonly versions: readonly VersionFile[];
}

/** A link; the document id alone where every other part has its default. */
export interface LinkFile {
  readonly documentId: string;
  /** For relations with targets of several types. */
  readonly __type?: string;
  /** Where the link leads to another version than that of the owner's status and locale. */
  readonly status?: string;
  readonly locale?: string | null;
  /** The attribute of the target that shows a link of a relation to several types, if one does. */
  readonly field?: string;
  /** The place in the target's list, where it is not that of the documents. */
  readonly order?: number;
}

export interface Manifest {
  readonly locales: readonly { readonly code: string; readonly name: string }[];
  readonly defaultLocale: string;
  /** Paths below the folder, sorted. */
  readonly files: readonly string[];
}

/** The folder of a collection's documents. */
export const folderOf = ({ pluralName }: ContentType): string =>
  pluralName === MEDIA_FOLDER ? `${pluralName}-documents` : pluralName;

export const isDocumentFile = (value: unknown): value is DocumentFile =>
  isRecord(value) && typeof value.documentId === "string" && Array.isArray(value.versions);

/** Two spaces and a newline at the end, as formatters have it. */
export const printed = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Sort key of rows in an import, and so of unsorted lists afterwards. */
export interface LoadKey {
  readonly type: ContentType;
  readonly status: "draft" | "published";
  readonly createdAt: unknown;
  readonly publishedAt: unknown;
  readonly documentId: string;
  readonly locale: string | null;
}

/** Publishing inserts a new row for the published version, as in the reference. */
const keysOf = ({ type, status, createdAt, publishedAt, documentId, locale }: LoadKey): readonly string[] => [
  String(type.draftAndPublish && status === "published" ? publishedAt : createdAt),
  documentId,
  locale ?? "",
  status,
];

export function compareLoadKeys(a: LoadKey, b: LoadKey): number {
  const [left, right] = [keysOf(a), keysOf(b)];
  const at = left.findIndex((key, index) => key !== right[index]);
  return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1;
}
