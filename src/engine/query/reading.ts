/**
 * Reads are generators that yield where they may pause. A short read runs through. During a long one other requests are served,
 * and it goes on only if content is still the same, so that all of it is from one snapshot. Otherwise it begins again once.
 */
import type { Budget } from "../../lib/budget.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { Storage } from "../storage/storage.ts";

export type Reading<T> = Generator<undefined, T, undefined>;

/** A paused read cannot go on: content has changed. */
export class ContentChanged extends Error {}

/** Runs a read without pauses. */
export function finish<T>(reading: Reading<T>): T {
  for (;;) {
    const next = reading.next();
    if (next.done) return next.value;
  }
}

/**
 * Runs a read, with pauses: a promise only if it takes long. `version`: of the content that the request has read before.
 * Rejects with ContentChanged.
 */
export function runReading<T>(
  storage: Storage,
  budget: Budget,
  reading: Reading<T>,
  version = storage.version(),
): MaybePromise<T> {
  // others would join the transaction
  if (storage.isWriting) return finish(reading);
  const next = reading.next();
  return next.done ? next.value : budget.whenAdmitted(() => resume(storage, budget, reading, version));
}

async function resume<T>(storage: Storage, budget: Budget, reading: Reading<T>, version: string): Promise<T> {
  for (;;) {
    await budget.pause();
    try {
      storage.hold();
      if (storage.version() !== version) throw new ContentChanged();
      const next = reading.next();
      if (next.done) return next.value;
    } finally {
      budget.stop();
    }
  }
}

/**
 * The second and last attempt of a read that has paused while content changed: on a connection of its own, whose snapshot stays the
 * same during pauses. A database in memory has one connection only: `reader` is undefined, and the attempt must not pause.
 */
export function readAgain<T>(
  storage: Storage,
  budget: Budget,
  read: (reader: Storage | undefined) => MaybePromise<T>,
): MaybePromise<T> {
  if (storage.snapshots) return storage.snapshots.run(async (reader) => read(reader));
  budget.allowLongTurn();
  return read(undefined);
}

/** As `runReading`, but begins again when content has changed. */
export function runSteadily<T>(
  storage: Storage,
  budget: Budget,
  read: (storage: Storage) => Reading<T>,
): MaybePromise<T> {
  if (storage.isWriting) return finish(read(storage));
  const before = budget.mark();
  const version = storage.version();
  const reading = read(storage);
  const first = reading.next();
  if (first.done) return first.value;
  return budget.whenAdmitted(async () => {
    try {
      return await resume(storage, budget, reading, version);
    } catch (error) {
      if (!(error instanceof ContentChanged)) throw error;
      budget.reset(before);
      return readAgain(storage, budget, (reader) =>
        reader ? runReading(reader, budget, read(reader)) : finish(read(storage)),
      );
    }
  });
}
