/** Snapshots of documents for their history: all values except passwords, and links as ids. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Status } from "../../engine/query/reading.ts";
import type { Document } from "../../engine/query/select.ts";
import { emptyQuery, type Populate, type Query } from "../../engine/query/tree.ts";
import type { Scope } from "../../engine/query/where.ts";
import { type ContentType, isLink } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { ADMINISTRATOR_ID } from "../administrator.ts";
import { editedStatus, ofDocuments, readRows } from "../read-rows.ts";
import { mapLinks } from "./snapshot-links.ts";
import { readStates } from "./versions.ts";
import { insertVersions, latestVersions, latestVersionTime, type NewVersion } from "./versions-table.ts";
import { wholeQuery } from "./whole-query.ts";

/** Attributes of the row rather than of its content. */
const EXCLUDED = new Set(["createdAt", "updatedAt", "publishedAt"]);
const IDENTIFYING = new Set(["locale", "publishedAt"]);

function narrowPopulate(item: Populate): Populate[] {
  const { attribute } = item;
  const narrow = (query: Query): Query => ({
    ...emptyQuery(query.schema),
    fields: attribute.kind === "media" ? [] : query.fields.filter(({ name }) => IDENTIFYING.has(name)),
  });
  const map = isLink(attribute) ? narrow : narrowed;
  if (attribute.kind === "relation" && attribute.virtual) return [];
  const on = item.on && new Map([...item.on].map(([uid, query]) => [uid, map(query)]));
  return [{ ...item, count: false, query: item.query && map(item.query), on }];
}

/** The query with its links as references. */
export const narrowed = (query: Query): Query => ({ ...query, populate: query.populate.flatMap(narrowPopulate) });

function createQuery({ model }: DocumentsContext, type: ContentType): Query {
  const whole = narrowed(wholeQuery(model, type, "single"));
  return { ...whole, fields: whole.fields.filter(({ name }) => !EXCLUDED.has(name)) };
}

/** Identifies a linked row. */
const referenceTo = ({ id, documentId, locale, publishedAt, __type }: Document): Document => ({
  ...(__type === undefined ? {} : { __type }),
  id,
  ...(documentId === undefined ? {} : { documentId }),
  ...(locale === undefined ? {} : { locale }),
  ...(publishedAt === undefined ? {} : { publishedAt }),
});

const createSnapshot = ({ model }: DocumentsContext, type: ContentType, document: Document): Document =>
  mapLinks(model, type, document, (attribute, linked, value) => {
    const references = attribute.kind === "media" ? linked.map(fileId) : onePerDocument(linked).map(referenceTo);
    return Array.isArray(value) ? references : (references[0] ?? null);
  });

const fileId = ({ id }: Document): Document => ({ id });

/** A type without drafts leads to the draft and to the published version of a document. */
const onePerDocument = (linked: readonly Document[]): Document[] => [
  ...new Map(linked.map((row) => [JSON.stringify([row.__type, row.documentId ?? row.id, row.locale]), row])).values(),
];

/** Documents per batch: each may be large. */
const BATCH = 100;

/**
 * Stores the current state of documents: of the draft, if the type has drafts. Only the project's own types have a history.
 * `locales`: undefined for all.
 */
export async function recordVersions(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  locales: Scope["locales"],
): Promise<void> {
  if (type.plugin !== undefined) return;
  for (let start = 0; start < documentIds.length; start += BATCH)
    await recordBatch(context, type, documentIds.slice(start, start + BATCH), locales);
}

interface Snapshot {
  readonly row: Document;
  readonly data: Document;
}

/** Versions of documents as they are now. `locales`: undefined for all. */
export function readSnapshots(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  locales: Scope["locales"],
  status: Status,
): Snapshot[] {
  const query = { ...createQuery(context, type), where: ofDocuments(documentIds) };
  // links of a type without drafts are read whichever version they lead to
  return readRows(context, type.draftAndPublish ? status : undefined, query, { locales }).map((row) => ({
    row,
    data: createSnapshot(context, type, row),
  }));
}

/** The current state of documents, as versions to store. */
function currentVersions(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  locales: Scope["locales"],
  createdBy: number | null = ADMINISTRATOR_ID,
): NewVersion[] {
  const snapshots = readSnapshots(context, type, documentIds, locales, editedStatus(type));
  const stateOf = readStates(context, type, documentIds);
  return snapshots.map(({ row, data }) => ({
    contentType: type.uid,
    documentId: row.documentId as string,
    locale: type.localized ? (row.locale as string) : null,
    status: stateOf(row) ?? "published",
    data,
    createdBy,
  }));
}

const recordBatch = (
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  locales: Scope["locales"],
): Promise<void> =>
  context.storage.write(() =>
    insertVersions(context, currentVersions(context, type, documentIds, locales), type.definition.attributes),
  );

/**
 * Stores the state that others have written, as requests of the Content API, imports and content files do, before it is changed here.
 * Must be called inside a transaction.
 */
export function insertForeignVersion(
  context: DocumentsContext,
  type: ContentType,
  documentId: string,
  locale: string | null,
): void {
  if (type.plugin !== undefined) return;
  const { storage } = context;
  const sql = `SELECT updated_at FROM ${quote(type.table)} WHERE document_id = ? AND locale IS ? AND status = ?`;
  const updatedAt = storage.first(sql, [documentId, locale, editedStatus(type)])?.[0] as string | undefined;
  if (updatedAt === undefined) return;
  const storedAt = latestVersionTime(storage, { contentType: type.uid, documentId, locale });
  if (storedAt !== undefined && updatedAt <= storedAt) return;
  const versions = currentVersions(context, type, [documentId], [locale], null);
  insertVersions(context, versions, type.definition.attributes);
}

/** As `recordMissingVersions`, for callers in a transaction. */
export function insertMissingVersions(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  locale: string | null,
): void {
  if (type.plugin !== undefined) return;
  const { storage } = context;
  const stored = latestVersions(storage, { contentType: type.uid, documentIds, locale });
  const missing = currentVersions(context, type, documentIds, [locale]).filter(
    ({ documentId, data }) => stored.get(documentId)?.data !== JSON.stringify(data),
  );
  insertVersions(context, missing, type.definition.attributes);
}

/**
 * Stores the current state of documents in one locale unless it is their latest version, and returns the ids of these versions by
 * document: for writes that can be undone, since documents that other clients write have no versions.
 */
export async function recordMissingVersions(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  locale: string | null,
): Promise<ReadonlyMap<string, number>> {
  const { storage } = context;
  let latest = new Map<string, number>();
  await storage.write(() => {
    insertMissingVersions(context, type, documentIds, locale);
    const versions = latestVersions(storage, { contentType: type.uid, documentIds, locale });
    latest = new Map([...versions].map(([documentId, { id }]) => [documentId, id]));
  });
  return latest;
}
