/**
 * Reads are generators that yield where they may pause. A short read runs through. During a long one other requests are served,
 * and it goes on only if content is still the same, so that all of it is from one snapshot.
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

/** How often a read begins anew because content has changed, before it is run without pauses. */
export const MAX_ATTEMPTS = 3;

/** As `runReading`, but begins anew when content has changed. */
export function runSteadily<T>(storage: Storage, budget: Budget, read: () => Reading<T>): MaybePromise<T> {
  if (storage.isWriting) return finish(read());
  const before = budget.mark();
  const version = storage.version();
  const reading = read();
  const first = reading.next();
  if (first.done) return first.value;
  return budget.whenAdmitted(async () => {
    let attempt = resume(storage, budget, reading, version);
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt;
      } catch (error) {
        if (!(error instanceof ContentChanged)) throw error;
        budget.reset(before);
        if (attempts === MAX_ATTEMPTS) return finish(read());
        attempt = resume(storage, budget, read(), storage.version());
      }
    }
  });
}
