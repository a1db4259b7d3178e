/** Keeps the change log small: one entry for each version of a document, of a number of versions and an age. */
import type { Storage } from "../storage.ts";
import { type ChangeLog, changeLog, setChangeLog } from "./change-log.ts";
import { type ChangedVersion, readVersions } from "./versions.ts";

export interface Bounds {
  /** Versions of documents. */
  readonly count: number;
  readonly ageMs: number;
}

/** Entries that are read at once. */
const BATCH = 5_000;

const KEEP = `INSERT INTO galley_changed SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, ?
  FROM json_each(?) WHERE TRUE ON CONFLICT DO UPDATE SET kind = CASE excluded.kind WHEN 'link' THEN kind ELSE excluded.kind END,
  sequence = excluded.sequence, seen_at = excluded.seen_at`;

type Row = readonly [source: number, document: string, locale: string, status: string, kind: string, sequence: number];

const toRow = ({ type, documentId, locale, status, kind, sequence }: ChangedVersion): Row => [
  type.number,
  documentId,
  locale ?? "",
  status,
  kind,
  sequence,
];

/** Returns whether more entries are left. */
function compact(
  storage: Storage,
  log: ChangeLog,
  now: number,
): { readonly compacted: number; readonly hasMore: boolean } {
  const { sequence, hasMore, versions, types } = readVersions(storage, log.compacted, BATCH);
  const whole = [...types].map(([type, last]): Row => [type.number, "", "", "", "all", last]);
  storage.run(KEEP, [now, JSON.stringify([...versions.map(toRow), ...whole])]);
  // the last entry stays, since the next one gets its sequence plus one
  storage.run(
    "DELETE FROM galley_changes WHERE sequence <= ? AND sequence < (SELECT max(sequence) FROM galley_changes)",
    [sequence],
  );
  return { compacted: sequence, hasMore };
}

/** Returns the sequence up to which changes are forgotten. */
function forget(storage: Storage, { count, ageMs }: Bounds, now: number): number {
  const [last] = storage.first(
    `SELECT max(coalesce((SELECT max(sequence) FROM galley_changed WHERE seen_at < ?), 0),
      coalesce((SELECT sequence FROM galley_changed ORDER BY sequence DESC LIMIT 1 OFFSET ?), 0))`,
    [now - ageMs, count],
  ) as [number];
  storage.run("DELETE FROM galley_changed WHERE sequence <= ?", [last]);
  return last;
}

/**
 * To be called now and then. Returns whether there is more to do: it takes a part of the entries at a time, so that other writes do not wait
 * for long. `now`: in milliseconds. The age of a change counts from the first call after it.
 */
export function prune(storage: Storage, bounds: Bounds, now: number): boolean {
  return storage.transaction(() => {
    const log = changeLog(storage);
    if (!log) return false;
    const { compacted, hasMore } = compact(storage, log, now);
    const forgotten = Math.max(log.forgotten, forget(storage, bounds, now));
    if (compacted !== log.compacted || forgotten !== log.forgotten)
      setChangeLog(storage, { ...log, compacted, forgotten });
    return hasMore;
  });
}
