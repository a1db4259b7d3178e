/**
 * The change log: which documents were changed, by whatever way, also by other programs. Triggers write it in the transaction of
 * the change. A database has it once it is enabled. `galley_changes` has what the triggers record, `galley_changed` the last change
 * of each version of a document, which `prune` makes of it, and `galley_change_epochs` when the database was opened.
 *
 * Not recorded: a row that REPLACE removes in another program, unless that has `PRAGMA recursive_triggers`, as Galley's connections; for
 * components, also the row in its place.
 */
import { isRecord } from "../../../lib/is-record.ts";
import { CHANGE_LOG, LAYOUT, LAYOUT_HASH } from "../catalog.ts";
import { perSettings } from "../connection.ts";
import { type Layout, storedLayout } from "../layout.ts";
import type { Storage } from "../storage.ts";
import { getOwn } from "../table-sources.ts";
import { setEpoch } from "./epochs.ts";
import { dropTriggers, events, syncTriggers, VERSION } from "./triggers.ts";
import { countRecorded, recordedColumns } from "./values.ts";

export interface ChangeLog {
  /** Differs from that of any other log: sequences of another one mean nothing. */
  readonly id: string;
  /** What the triggers were made for. */
  readonly madeFor: string;
  /** Encrypts what clients get to know of sequences, as base64. */
  readonly key: string;
  /** Changes up to this sequence are in `galley_changed`. */
  readonly compacted: number;
}

/**
 * Without constraints: a statement that could fail halfway because of its trigger would need a journal of its own. `recorded`: how many of
 * the columns of values an entry has.
 */
const createChanges = (layout: Layout): string =>
  `CREATE TABLE IF NOT EXISTS galley_changes (${[
    "sequence INTEGER PRIMARY KEY, event INTEGER, source INTEGER, row INTEGER, document TEXT, locale TEXT, status TEXT",
    "target INTEGER, kind INTEGER, recorded INTEGER",
    ...recordedColumns(countRecorded(layout)),
  ]})`;

const TABLES = [
  // the locale of what is not localized is empty
  `CREATE TABLE IF NOT EXISTS galley_changed (source INTEGER NOT NULL, document TEXT NOT NULL, locale TEXT NOT NULL, status TEXT NOT NULL,
    sequence INTEGER NOT NULL, own INTEGER NOT NULL, born INTEGER NOT NULL, inserted INTEGER NOT NULL, seen_at INTEGER NOT NULL,
    PRIMARY KEY (source, document, locale, status)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS galley_changed_sequence ON galley_changed (sequence)",
  "CREATE INDEX IF NOT EXISTS galley_changed_own ON galley_changed (source, status, own)",
  // the cause is the type of what the tag is stale for, if that is another one; both are 0 for all answers
  `CREATE TABLE IF NOT EXISTS galley_stale (source INTEGER NOT NULL, part TEXT NOT NULL, locale TEXT NOT NULL, status TEXT NOT NULL,
    cause TEXT NOT NULL, sequence INTEGER NOT NULL, seen_at INTEGER NOT NULL, PRIMARY KEY (source, part, locale, status, cause)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS galley_stale_sequence ON galley_stale (sequence)",
  "CREATE TABLE IF NOT EXISTS galley_change_epochs (number INTEGER PRIMARY KEY, id TEXT NOT NULL, sequence INTEGER NOT NULL)",
];

/** Undefined if it is not enabled. Throws a ProjectError if what is stored of it is damaged. */
export function changeLog(storage: Storage): ChangeLog | undefined {
  const stored = storage.metaJson(CHANGE_LOG);
  if (stored === undefined) return undefined;
  if (!isRecord(stored) || typeof stored.id !== "string" || typeof stored.compacted !== "number")
    throw storage.damaged(CHANGE_LOG);
  return stored as unknown as ChangeLog;
}

export const setChangeLog = (storage: Storage, log: ChangeLog): void =>
  storage.setMeta(CHANGE_LOG, JSON.stringify(log));

/** The sequence of the last change; 0 before the first. */
export const lastSequence = (storage: Storage): number =>
  storage.first("SELECT coalesce(max(sequence), 0) FROM galley_changes")![0] as number;

/** Records that any row of these tables may have changed. */
function markTables(storage: Storage, tables: Iterable<string>): void {
  const sql = "INSERT INTO galley_changes (event, source) VALUES (?, ?)";
  for (const table of tables) storage.run(sql, [events.all, storage.number(table)]);
}

/** Any answer may have changed, by something that is no row of a type. Expects a transaction. */
export function recordEverything(storage: Storage): void {
  if (changeLog(storage)) storage.run("INSERT INTO galley_changes (event) VALUES (?)", [events.all]);
}

const hasLog = perSettings((storage: Storage) => changeLog(storage) !== undefined);

/**
 * Called before and after a row of a type is replaced by another row of the same version, in the same transaction. Without it, the same
 * tags are stale, and some more.
 */
export function recordReplacement(storage: Storage, table: string, event: "replaceBegin" | "replaceEnd"): void {
  if (!hasLog(storage)) return;
  storage.run("INSERT INTO galley_changes (event, source) VALUES (?, ?)", [events[event], storage.number(table)]);
}

const KEY_BYTES = 32;

const newLog = (compacted: number): Omit<ChangeLog, "madeFor"> => ({
  ...{ id: crypto.randomUUID(), compacted },
  key: Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString("base64"),
});

/** Creates what is missing. */
function prepareTables(storage: Storage, log: ChangeLog | undefined, layout: Layout): Omit<ChangeLog, "madeFor"> {
  for (const sql of [createChanges(layout), ...TABLES]) storage.run(sql);
  if (log) return log;
  const created = newLog(lastSequence(storage));
  setEpoch(storage);
  return created;
}

/** Expects a transaction, and the numbers of tables to be loaded. */
function makeTriggers(storage: Storage, log: ChangeLog | undefined, layout: Layout): string[] {
  const prepared = prepareTables(storage, log, layout);
  const unrecorded = syncTriggers(storage, layout);
  setChangeLog(storage, { ...prepared, madeFor: madeFor(storage) });
  return unrecorded;
}

const madeFor = (storage: Storage): string => `${VERSION} ${storage.meta(LAYOUT_HASH)}`;

/** Whether the log is enabled for the tables as they are. */
export const isEnabled = (storage: Storage): boolean => changeLog(storage)?.madeFor === madeFor(storage);

/**
 * Called by what reads the log, once the tables are up to date. Types of whose writes nothing was recorded, since an older Galley has created
 * their tables, count as changed.
 */
export function enableChangeLog(storage: Storage): void {
  if (isEnabled(storage)) return;
  storage.transaction(() => {
    const log = changeLog(storage);
    const unrecorded = makeTriggers(storage, log, storedLayout(storage, LAYOUT));
    if (log) markTables(storage, unrecorded);
  });
}

/** Called when the tables were migrated, in the same transaction: documents of types whose schema differs may be shown differently. */
export function followMigration(storage: Storage, before: Layout, after: Layout): void {
  const log = changeLog(storage);
  if (!log) return;
  makeTriggers(storage, log, after);
  markTables(
    storage,
    Object.keys(after).filter((name) => !Bun.deepEquals(getOwn(before, name), after[name])),
  );
}

/**
 * Runs `work`, which replaces all content, without recording each row: all types are recorded as changed. Expects a transaction, which is
 * rolled back if it rejects.
 */
export async function replacingContent<T>(storage: Storage, work: () => Promise<T>): Promise<T> {
  if (!changeLog(storage)) return work();
  dropTriggers(storage);
  const result = await work();
  const layout = storedLayout(storage, LAYOUT);
  markTables(storage, syncTriggers(storage, layout));
  return result;
}
