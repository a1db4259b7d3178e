/** Keeps what is deleted and unpublished here, so that it can be restored. The table is created with the first document. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ScheduledDocument } from "../../engine/documents/schedule.ts";
import type { Document } from "../../engine/query/select.ts";
import type { Scope } from "../../engine/query/where.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { hasTable } from "../../engine/storage/has-table.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { isRecord } from "../../lib/is-record.ts";
import { findMainField } from "./main-field.ts";
import { readSnapshots } from "./snapshot.ts";

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
/** More are forgotten, the oldest first. */
const MAX_KEPT = 10_000;
const MAX_NAME_LENGTH = 200;

const TABLE = "galley_kept";
const IS_KEPT = "content_type = ? AND document_id = ? AND locale IS ? AND reason = ?";
const STATEMENTS = [
  `CREATE TABLE IF NOT EXISTS galley_kept (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content_type TEXT NOT NULL, document_id TEXT NOT NULL, locale TEXT, reason TEXT NOT NULL,
    name TEXT, draft TEXT, published TEXT, created_at TEXT, kept_at TEXT NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS galley_kept_document ON galley_kept (content_type, document_id, locale, reason, id)",
];

export type KeptReason = "deleted" | "unpublished";

export interface DeletedDocument extends ScheduledDocument {
  /** The text of the main field, if it is one. */
  readonly name: string | null;
  /** ISO time. */
  readonly deletedAt: string;
}

export interface KeptDocument extends ScheduledDocument {
  /** The versions that there were, as in the history. */
  readonly draft: Document | undefined;
  readonly published: Document | undefined;
  /** When the document was created, in ISO 8601. */
  readonly createdAt: string | null;
}

const buildKey = ({ documentId, locale }: Document): string => JSON.stringify([documentId, locale ?? null]);

function readName(type: ContentType, data: Document): string | null {
  const name = data[findMainField(type)];
  return typeof name === "string" ? name.slice(0, MAX_NAME_LENGTH) : null;
}

/**
 * Keeps the versions of documents that are about to be deleted or unpublished. Must be called inside a transaction. Documents of
 * plugins are not kept: users have passwords. `locales`: undefined for all.
 */
export function keepDocuments(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  { locales, reason }: { readonly locales: Scope["locales"]; readonly reason: KeptReason },
): void {
  if (type.plugin !== undefined || documentIds.length === 0) return;
  const { storage, clock } = context;
  const drafts = type.draftAndPublish ? readSnapshots(context, type, documentIds, locales, "draft") : [];
  const published = new Map(
    readSnapshots(context, type, documentIds, locales, "published").map((version) => [
      buildKey(version.row),
      version.data,
    ]),
  );
  const kept = new Map(drafts.map(({ row, data }) => [buildKey(row), data]));
  const keys = [...new Set([...kept.keys(), ...published.keys()])].filter(
    (key) => reason === "deleted" || published.has(key),
  );
  if (keys.length === 0) return;
  for (const sql of STATEMENTS) storage.run(sql);
  const now = new Date(clock.now());
  const createdAt = `SELECT min(created_at) FROM ${quote(type.table)} WHERE document_id = ?2 AND locale IS ?3`;
  for (const key of keys) {
    const [documentId, locale] = JSON.parse(key) as [string, string | null];
    const [draft, online] = [kept.get(key), published.get(key)];
    storage.run(
      `INSERT INTO galley_kept (content_type, document_id, locale, reason, name, draft, published, created_at, kept_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (${createdAt}), ?8)`,
      [
        type.uid,
        documentId,
        locale,
        reason,
        readName(type, draft ?? online!),
        draft ? JSON.stringify(draft) : null,
        online ? JSON.stringify(online) : null,
        now.toISOString(),
      ],
    );
  }
  const oldest = new Date(now.getTime() - RETENTION_DAYS * DAY_MS).toISOString();
  storage.run("DELETE FROM galley_kept WHERE kept_at < ?", [oldest]);
  storage.run(
    `DELETE FROM galley_kept WHERE id <= (SELECT id FROM galley_kept ORDER BY id DESC LIMIT 1 OFFSET ${MAX_KEPT})`,
  );
}

function parseVersion(text: unknown): Document | undefined {
  const data: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
  return isRecord(data) ? data : undefined;
}

/** The documents that were deleted, the latest first, each once. */
export function listDeleted({ storage, clock }: DocumentsContext): DeletedDocument[] {
  if (!hasTable(storage, TABLE)) return [];
  const since = new Date(clock.now() - RETENTION_DAYS * DAY_MS).toISOString();
  // with max, SQLite takes the other columns from the row that has it
  const sql = `SELECT max(id), content_type, document_id, locale, name, kept_at FROM ${TABLE}
    WHERE reason = 'deleted' AND kept_at >= ? GROUP BY content_type, document_id, locale ORDER BY 1 DESC`;
  return storage
    .all(sql, [since])
    .map(
      ([, contentType, documentId, locale, name, deletedAt]) =>
        ({ contentType, documentId, locale, name, deletedAt }) as DeletedDocument,
    );
}

/** What was kept last of a document. */
export function findKept(storage: Storage, key: ScheduledDocument, reason: KeptReason): KeptDocument | undefined {
  if (!hasTable(storage, TABLE)) return undefined;
  const sql = `SELECT draft, published, created_at FROM ${TABLE} WHERE ${IS_KEPT} ORDER BY id DESC LIMIT 1`;
  const row = storage.first(sql, [key.contentType, key.documentId, key.locale, reason]);
  if (!row) return undefined;
  const [draft, published, createdAt] = row;
  return {
    ...key,
    draft: parseVersion(draft),
    published: parseVersion(published),
    createdAt: createdAt as string | null,
  };
}

/** Forgets everything that was kept of a document in this locale for this reason. */
export function forgetKept(
  storage: Storage,
  { contentType, documentId, locale }: ScheduledDocument,
  reason: KeptReason,
): void {
  if (!hasTable(storage, TABLE)) return;
  storage.run(`DELETE FROM ${TABLE} WHERE ${IS_KEPT}`, [contentType, documentId, locale, reason]);
}
