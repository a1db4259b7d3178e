/** Keeps the log of an open database small. */
import type { Clock } from "../../../lib/clock.ts";
import type { Storage } from "../storage.ts";
import { changeLog, lastSequence } from "./change-log.ts";
import { setEpoch } from "./epochs.ts";
import { prune } from "./prune.ts";

const KEPT = { count: 25_000, ageMs: 30 * 24 * 60 * 60 * 1000 };
/** Milliseconds between two looks at the last sequence, a statement of microseconds. */
const LOOK_MS = 2_000;
/** Entries of triggers that are compacted once nobody writes: it takes a third of the time of the writes. */
const MANY_ENTRIES = 1_000;
/** Entries that are compacted in any case. */
export const MAX_ENTRIES = 50_000;

/** Whether all entries are compacted. */
export const isCompact = (storage: Storage): boolean => lastSequence(storage) <= changeLog(storage)!.compacted;

/** Compacts a part of the entries, if the lock is free. Returns what is left to do. */
export function compactPart(storage: Storage, clock: Clock): "nothing" | "more" | "locked" {
  let hasMore = false;
  const isDone = storage.tryTransaction(() => {
    hasMore = prune(storage, KEPT, clock.now());
  });
  if (!isDone) return "locked";
  return hasMore ? "more" : "nothing";
}

/** Other requests are served in between. */
async function compactAll(storage: Storage, clock: Clock): Promise<void> {
  while (!storage.isClosed && compactPart(storage, clock) === "more") await Bun.sleep(0);
}

const tended = new WeakSet<Storage>();

/** Until the database is closed, its log is compacted now and then. `lookMs`: between two looks, in milliseconds. */
export function tendLog(storage: Storage, clock: Clock, lookMs = LOOK_MS): void {
  if (tended.has(storage)) return;
  tended.add(storage);
  let seen: number | undefined;
  const look = async (): Promise<void> => {
    const log = changeLog(storage);
    if (!log) return;
    const last = lastSequence(storage);
    const isQuiet = last === seen;
    seen = last;
    if (last - log.compacted >= (isQuiet ? MANY_ENTRIES : MAX_ENTRIES)) await compactAll(storage, clock);
  };
  // one after the other: compacting may take longer than the time between two
  const lookLater = (): void => {
    setTimeout(() => {
      if (storage.isClosed) return;
      look()
        .catch((error: Error) => console.error(`galley: the change log could not be compacted: ${error.message}`))
        .finally(lookLater);
    }, lookMs).unref();
  };
  lookLater();
}

/** Called once when a server opens a database. If another process holds the lock, the database was not restored just now. */
export function continueLog(storage: Storage, clock: Clock): void {
  if (!changeLog(storage)) return;
  storage.tryTransaction(() => setEpoch(storage));
  tendLog(storage, clock);
}
