/** Keeps the change log small: one entry for each version of a document, of a number of versions and an age. */
import type { Storage } from "../storage.ts";
import { type ChangeLog, changeLog, setChangeLog } from "./change-log.ts";
import { COLUMNS, type Compacted } from "./changes-since.ts";
import { forgetStale, keepStale } from "./stale-tags.ts";
import { type ChangedVersion, readVersions } from "./versions.ts";

export interface Bounds {
  /** Versions of documents, of each type and status. */
  readonly count: number;
  readonly ageMs: number;
}

/** Entries that are read at once. Each makes tens of stale tags, and other requests wait meanwhile. */
const BATCH = 500;

// the age is that of own writes: what happens to others does not keep an entry
const KEEP = `INSERT INTO galley_changed (${COLUMNS}, seen_at)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, ?
  FROM json_each(?) WHERE TRUE ON CONFLICT DO UPDATE SET
  sequence = max(sequence, excluded.sequence), own = max(own, excluded.own), inserted = max(inserted, excluded.inserted),
  born = iif(own = 0 OR excluded.born < 0, excluded.born, born), seen_at = iif(excluded.own > own, excluded.seen_at, seen_at)`;

const toRow = ({ type, ...version }: ChangedVersion): Compacted => {
  const { documentId, locale, status, sequence, own, born, inserted } = version;
  return [type.number, documentId, locale ?? "", status, sequence, own, born, inserted];
};

/** Returns whether more entries are left. */
function compact(
  storage: Storage,
  log: ChangeLog,
  now: number,
): { readonly compacted: number; readonly hasMore: boolean } {
  const { sequence, hasMore, versions, types, entries } = readVersions(storage, log.compacted, BATCH);
  if (sequence === log.compacted) return { compacted: sequence, hasMore };
  const whole = [...types].map(([type, last]): Compacted => [type.number, "", "", "", last, last, 0, 0]);
  storage.run(KEEP, [now, JSON.stringify([...versions.map(toRow), ...whole])]);
  keepStale(storage, entries, now);
  // the last entry stays, since the next one gets its sequence plus one
  storage.run(
    "DELETE FROM galley_changes WHERE sequence <= ? AND sequence < (SELECT max(sequence) FROM galley_changes)",
    [sequence],
  );
  return { compacted: sequence, hasMore };
}

/** The last own write that is forgotten, of each type and status with more versions than are kept. */
const TOO_MANY = `SELECT g.source, g.status, (SELECT own FROM galley_changed c WHERE c.source = g.source AND c.status = g.status
    AND c.document <> '' ORDER BY own DESC LIMIT 1 OFFSET ?1) FROM
  (SELECT source, status, count(*) AS count FROM galley_changed GROUP BY source, status HAVING count(*) > ?1) g`;

/** Replaces entries by one for all of their type and status. */
function forget(storage: Storage, condition: string, params: readonly (string | number)[], now: number): void {
  const forgotten = `FROM galley_changed WHERE document <> '' AND ${condition}`;
  const all = `SELECT source, status, max(sequence), max(own) ${forgotten} GROUP BY source, status`;
  const whole = storage.all(all, params) as [source: number, status: string, sequence: number, own: number][];
  if (whole.length === 0) return;
  const rows = whole.map(([source, status, ...last]): Compacted => [source, "", "", status, ...last, 0, 0]);
  storage.run(KEEP, [now, JSON.stringify(rows)]);
  storage.run(`DELETE ${forgotten}`, params);
}

function forgetAll(storage: Storage, { count, ageMs }: Bounds, now: number): void {
  forget(storage, "seen_at < ?", [now - ageMs], now);
  for (const [source, status, own] of storage.all(TOO_MANY, [count]) as [number, string, number | null][])
    if (own !== null) forget(storage, "source = ? AND status = ? AND own <= ?", [source, status, own], now);
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
    if (!hasMore) {
      forgetAll(storage, bounds, now);
      forgetStale(storage, bounds.ageMs, now);
    }
    if (compacted !== log.compacted) setChangeLog(storage, { ...log, compacted });
    return hasMore;
  });
}
