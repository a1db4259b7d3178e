/** Storage of document versions. Its tables are created with the first version. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ScheduledDocument } from "../../engine/documents/schedule.ts";
import { hasTable } from "../../engine/storage/has-table.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { State } from "./versions.ts";

const DAY_MS = 86_400_000;
/** The retention of Strapi. */
const RETENTION_DAYS = 90;
/** Per document and locale. */
const MAX_VERSIONS = 100;

const STATEMENTS = [
  // normalised: many versions share one schema
  `CREATE TABLE IF NOT EXISTS galley_history_schemas (
    id INTEGER PRIMARY KEY, content_type TEXT NOT NULL, attributes TEXT NOT NULL, UNIQUE (content_type, attributes))`,
  `CREATE TABLE IF NOT EXISTS galley_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content_type TEXT NOT NULL, document_id TEXT NOT NULL, locale TEXT,
    status TEXT NOT NULL, data TEXT NOT NULL, schema INTEGER NOT NULL, created_at TEXT NOT NULL, created_by INTEGER)`,
  "CREATE INDEX IF NOT EXISTS galley_history_document ON galley_history (content_type, document_id, locale, id)",
  "CREATE INDEX IF NOT EXISTS galley_history_time ON galley_history (created_at)",
];

export type Attributes = Readonly<Record<string, unknown>>;

interface VersionBase extends ScheduledDocument {
  readonly status: State;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface NewVersion extends VersionBase {
  /** An administrator's id; null for what others have written. */
  readonly createdBy: number | null;
}

export interface StoredVersion extends VersionBase {
  readonly id: number;
  /** The type's attributes when the version was stored. */
  readonly schema: Attributes;
  /** ISO time. */
  readonly createdAt: string;
  readonly createdBy: number | null;
}

export interface VersionFilter {
  readonly contentType: string;
  readonly documentId?: string | undefined;
  /** Undefined: of a type without locales. */
  readonly locale?: string | undefined;
}

const hasTables = (storage: Storage): boolean => hasTable(storage, "galley_history");

function schemaId(storage: Storage, contentType: string, attributes: string): number {
  storage.run("INSERT OR IGNORE INTO galley_history_schemas (content_type, attributes) VALUES (?, ?)", [
    contentType,
    attributes,
  ]);
  const sql = "SELECT id FROM galley_history_schemas WHERE content_type = ? AND attributes = ?";
  return storage.first(sql, [contentType, attributes])![0] as number;
}

/** Must be called inside a transaction. `attributes`: those of the versions' type. */
export function insertVersions(
  { storage, clock }: DocumentsContext,
  versions: readonly NewVersion[],
  attributes: Attributes,
): void {
  const [first] = versions;
  if (!first) return;
  for (const sql of STATEMENTS) storage.run(sql);
  const schema = schemaId(storage, first.contentType, JSON.stringify(attributes));
  const now = new Date(clock.nowAfterWrites());
  for (const { contentType, documentId, locale, status, data, createdBy } of versions) {
    storage.run(
      `INSERT INTO galley_history (content_type, document_id, locale, status, data, schema, created_at, created_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [contentType, documentId, locale, status, JSON.stringify(data), schema, now.toISOString(), createdBy],
    );
    storage.run(
      `DELETE FROM galley_history WHERE id IN (SELECT id FROM galley_history
       WHERE content_type = ? AND document_id = ? AND locale IS ? ORDER BY id DESC LIMIT -1 OFFSET ${MAX_VERSIONS})`,
      [contentType, documentId, locale],
    );
  }
  const oldest = new Date(now.getTime() - RETENTION_DAYS * DAY_MS).toISOString();
  storage.run("DELETE FROM galley_history WHERE created_at < ?", [oldest]);
}

const COLUMNS = `h.id, h.content_type, h.document_id, h.locale, h.status, h.data, s.attributes, h.created_at, h.created_by
  FROM galley_history h JOIN galley_history_schemas s ON s.id = h.schema`;

function parseVersion(row: readonly unknown[]): StoredVersion {
  const [id, contentType, documentId, locale, status, data, attributes, createdAt, createdBy] = row;
  return {
    id,
    contentType,
    documentId,
    locale,
    status,
    data: JSON.parse(data as string),
    schema: JSON.parse(attributes as string),
    createdAt,
    createdBy,
  } as StoredVersion;
}

/** Returns the newest version first. */
export function listVersions(
  storage: Storage,
  { contentType, documentId, locale }: VersionFilter,
  { start, limit }: { readonly start: number; readonly limit: number },
): { readonly versions: readonly StoredVersion[]; readonly total: number } {
  if (!hasTables(storage)) return { versions: [], total: 0 };
  const where = `h.content_type = ?1 AND (?2 IS NULL OR h.document_id = ?2) AND (?3 IS NULL OR h.locale = ?3)`;
  const params = [contentType, documentId ?? null, locale ?? null];
  const total = storage.first(`SELECT count(*) FROM galley_history h WHERE ${where}`, params)![0] as number;
  const sql = `SELECT ${COLUMNS} WHERE ${where} ORDER BY h.id DESC LIMIT ?4 OFFSET ?5`;
  return { versions: storage.all(sql, [...params, limit, start]).map(parseVersion), total };
}

/** The latest version of each document: its id, and its data as JSON. `locale`: null for types without locales. */
export function latestVersions(
  storage: Storage,
  filter: { readonly contentType: string; readonly documentIds: readonly string[]; readonly locale: string | null },
): Map<string, { readonly id: number; readonly data: string }> {
  if (!hasTables(storage)) return new Map();
  const rows = storage.all(
    `SELECT document_id, id, data FROM galley_history WHERE id IN (SELECT (SELECT max(id) FROM galley_history
     WHERE content_type = ?1 AND document_id = value AND locale IS ?2) FROM json_each(?3))`,
    [filter.contentType, filter.locale, JSON.stringify(filter.documentIds)],
  );
  return new Map(
    rows.map(([documentId, id, data]) => [documentId as string, { id: id as number, data: data as string }]),
  );
}

/** When the latest version of a document was stored; undefined if it has none. */
export function latestVersionTime(
  storage: Storage,
  { contentType, documentId, locale }: Pick<VersionBase, "contentType" | "documentId" | "locale">,
): string | undefined {
  if (!hasTables(storage)) return undefined;
  const sql = `SELECT created_at FROM galley_history
    WHERE content_type = ? AND document_id = ? AND locale IS ? ORDER BY id DESC LIMIT 1`;
  return storage.first(sql, [contentType, documentId, locale])?.[0] as string | undefined;
}

export function findVersion(storage: Storage, id: number): StoredVersion | undefined {
  const row = hasTables(storage) ? storage.first(`SELECT ${COLUMNS} WHERE h.id = ?`, [id]) : undefined;
  return row && parseVersion(row);
}
