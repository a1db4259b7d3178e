/** The types of an archive's rows, and their guards. */
import { isRecord } from "../../lib/is-record.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface ArchiveMetadata {
  readonly createdAt: string;
  readonly strapi: { readonly version: string };
}

/** A row of a content-type, with its components inside. */
export interface Entity {
  readonly type: string;
  readonly id: number;
  readonly data: Json;
}

export interface LinkEnd {
  readonly type: string;
  /** A row's id; a document id in links between localizations. */
  readonly ref: number | string;
  readonly field?: string | null | undefined;
  readonly pos?: number | undefined;
  /** For rows read over REST, whose row ids may change between two requests: identifies the target by its document. */
  readonly documentId?: string | undefined;
  readonly status?: string | undefined;
  readonly locale?: string | null | undefined;
}

export interface LinkRow {
  readonly kind: string;
  readonly relation: string;
  readonly left: LinkEnd;
  readonly right: LinkEnd;
}

/** One row of Strapi's key-value store. */
export interface CoreStoreRow {
  readonly key: string;
  readonly value: unknown;
  readonly type: string;
}

export interface ArchiveSchema {
  readonly uid: string;
  readonly modelType: "contentType" | "component";
  readonly collectionName?: string;
  readonly info: Json;
  readonly options?: Json;
  readonly pluginOptions?: Json;
  readonly kind?: string;
  readonly plugin?: string;
  readonly attributes: Readonly<Record<string, Json>>;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Ids of rows. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

const isOptionalText = (value: unknown): boolean => value === undefined || value === null || typeof value === "string";

const isPosition = (value: unknown): boolean => value === undefined || value === null || typeof value === "number";

export const isMetadata = (value: unknown): value is ArchiveMetadata =>
  isRecord(value) && isRecord(value.strapi) && isText(value.strapi.version);

export const isEntity = (value: unknown): value is Entity =>
  isRecord(value) && isText(value.type) && isId(value.id) && isRecord(value.data);

const isLinkEnd = (value: unknown): value is LinkEnd =>
  isRecord(value) &&
  isText(value.type) &&
  (isId(value.ref) || typeof value.ref === "string") &&
  (value.field === undefined || value.field === null || typeof value.field === "string") &&
  isPosition(value.pos) &&
  ["documentId", "status", "locale"].every((key) => isOptionalText(value[key]));

export const isLinkRow = (value: unknown): value is LinkRow =>
  isRecord(value) && isText(value.kind) && isLinkEnd(value.left) && isLinkEnd(value.right);

export const isSchema = (value: unknown): value is ArchiveSchema =>
  isRecord(value) &&
  isText(value.uid) &&
  (value.modelType === "contentType" || value.modelType === "component") &&
  isRecord(value.attributes) &&
  Object.values(value.attributes).every(isRecord) &&
  isRecord(value.info);

/** Undefined for other rows of the configuration, such as webhooks. */
export function coreStoreRow(row: unknown): CoreStoreRow | undefined {
  if (!isRecord(row) || row.type !== "core-store" || !isRecord(row.value)) return undefined;
  const { key, value, type } = row.value;
  return isText(key) ? { key, value, type: isText(type) ? type : "object" } : undefined;
}

/** The name of a media file in an archive. */
export const assetName = ({ hash, ext }: Json): string => `${hash}${ext ?? ""}`;

/** The metadata of a record's media files: its own and those of its formats. */
export function assetMetadata(record: Json): Json[] {
  const formats = isRecord(record.formats) ? Object.entries(record.formats) : [];
  const { id, hash: mainHash } = record;
  return [
    record,
    ...formats.flatMap(([type, format]) => (isRecord(format) ? [{ ...format, type, id, mainHash }] : [])),
  ];
}

/** The problem of a media file's metadata; undefined if it is valid. `name`: the file's name in the archive. */
export function assetProblem(value: unknown, name: string): string | undefined {
  if (!isRecord(value)) return "is not an object";
  // in archives of version 4, formats have no id
  if (value.id !== undefined && value.id !== null && !isId(value.id)) return "has a wrong id";
  if (typeof value.size !== "number" || !(value.size >= 0)) return "has no size";
  for (const key of ["name", "hash", "mime", "url"]) if (!isText(value[key])) return `has no ${key}`;
  for (const key of ["ext", "type", "mainHash"])
    if (value[key] !== undefined && value[key] !== null && typeof value[key] !== "string") return `has a wrong ${key}`;
  const own = assetName(value);
  return own === name ? undefined : `belongs to ${JSON.stringify(own.slice(0, 100))}`;
}
