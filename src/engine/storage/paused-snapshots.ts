/** Reads that pause while others write: each has a connection of its own, which keeps its snapshot. */
import { databaseBusy } from "./problems.ts";

/** How many there are at once: each has a cache, and keeps SQLite's log from being emptied. */
const MAX_OPEN = 4;
/** How long one may wait for its connection and keep it. */
const MAX_MS = 30_000;

export class PausedSnapshots<R extends { close(): void }> {
  readonly #open: () => Promise<R>;
  /** Of the reads that are open. */
  readonly #ends = new Set<Promise<void>>();

  constructor(open: () => Promise<R>) {
    this.#open = open;
  }

  /** Rejects with ServiceUnavailableError after a timeout, when the connection is closed. */
  async run<T>(work: (reader: R) => Promise<T>): Promise<T> {
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(databaseBusy()), MAX_MS);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    try {
      while (this.#ends.size >= MAX_OPEN) await Promise.race([timeout, ...this.#ends]);
      this.#ends.add(end);
      return await this.#runOn(work, timeout);
    } finally {
      clearTimeout(timer);
      this.#ends.delete(end);
      resolve();
    }
  }

  async #runOn<T>(work: (reader: R) => Promise<T>, timeout: Promise<never>): Promise<T> {
    const reader = await this.#open();
    try {
      return await Promise.race([work(reader), timeout]);
    } finally {
      reader.close();
    }
  }
}
