/** When documents are to be published and unpublished. The table is created with the first entry; the server runs what is due. */
import { hasTable } from "../storage/has-table.ts";
import type { Storage } from "../storage/storage.ts";

export const scheduledActions = ["publish", "unpublish"] as const;
export type ScheduledAction = (typeof scheduledActions)[number];

/** A document in one locale. */
export interface ScheduledDocument {
  readonly contentType: string;
  readonly documentId: string;
  /** Null for types without locales. */
  readonly locale: string | null;
}

export interface ScheduleEntry extends ScheduledDocument {
  readonly action: ScheduledAction;
  /** ISO time. */
  readonly at: string;
  /** Why it failed; it is not tried again. */
  readonly problem: string | null;
}

const TABLE = "galley_schedule";
const CREATE = `CREATE TABLE IF NOT EXISTS ${TABLE} (
  content_type TEXT NOT NULL, document_id TEXT NOT NULL, locale TEXT, action TEXT NOT NULL, at TEXT NOT NULL, problem TEXT)`;
const IS_ENTRY = "content_type = ? AND document_id = ? AND locale IS ? AND action = ?";
const COLUMNS = "content_type, document_id, locale, action, at, problem";

const keyOf = ({ contentType, documentId, locale }: ScheduledDocument, action: ScheduledAction) =>
  [contentType, documentId, locale, action] as const;

const parseRow = ([contentType, documentId, locale, action, at, problem]: readonly unknown[]) =>
  ({ contentType, documentId, locale, action, at, problem }) as ScheduleEntry;

/** The entries of a document. */
export function scheduleOf(storage: Storage, { contentType, documentId, locale }: ScheduledDocument): ScheduleEntry[] {
  if (!hasTable(storage, TABLE)) return [];
  const sql = `SELECT ${COLUMNS} FROM galley_schedule WHERE content_type = ? AND document_id = ? AND locale IS ? ORDER BY at`;
  return storage.all(sql, [contentType, documentId, locale]).map(parseRow);
}

/** Replaces the entry of an action; without a time, it is removed. Expects a transaction. */
export function setSchedule(
  storage: Storage,
  document: ScheduledDocument,
  action: ScheduledAction,
  at: string | undefined,
): void {
  storage.run(CREATE);
  const key = keyOf(document, action);
  storage.run(`DELETE FROM galley_schedule WHERE ${IS_ENTRY}`, [...key]);
  if (at === undefined) return;
  const sql = "INSERT INTO galley_schedule (content_type, document_id, locale, action, at) VALUES (?, ?, ?, ?, ?)";
  storage.run(sql, [...key, at]);
}

/** When an entry is next due after a time; undefined: none is. */
export function nextDue(storage: Storage, after: string): string | undefined {
  if (!hasTable(storage, TABLE)) return undefined;
  const sql = "SELECT min(at) FROM galley_schedule WHERE at > ? AND problem IS NULL";
  return (storage.first(sql, [after])?.[0] as string | null) ?? undefined;
}

/** What is due by a time, the earliest first. */
export function dueEntries(storage: Storage, now: string): ScheduleEntry[] {
  if (!hasTable(storage, TABLE)) return [];
  const sql = `SELECT ${COLUMNS} FROM galley_schedule WHERE at <= ? AND problem IS NULL ORDER BY at, rowid LIMIT 100`;
  return storage.all(sql, [now]).map(parseRow);
}

/**
 * Removes an entry that is run in the same transaction. Returns false if it is not there any more: another process has run it, or
 * somebody has changed it.
 */
export function takeEntry(storage: Storage, { action, at, ...document }: ScheduleEntry): boolean {
  const taken = storage.all(
    `DELETE FROM galley_schedule WHERE ${IS_ENTRY} AND at = ? AND problem IS NULL RETURNING 1`,
    [...keyOf(document, action), at],
  );
  return taken.length > 0;
}

/** Keeps the reason why an entry failed. Expects a transaction. */
export function failEntry(storage: Storage, { action, at, ...document }: ScheduleEntry, problem: string): void {
  storage.run(`UPDATE galley_schedule SET problem = ? WHERE ${IS_ENTRY} AND at = ?`, [
    problem,
    ...keyOf(document, action),
    at,
  ]);
}
