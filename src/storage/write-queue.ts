/** Writes that wait for the lock of the database, while everything else goes on. */
import { databaseBusy } from "./problems.ts";

/** A write waits this long for others, and is refused then. */
const PATIENCE_MS = 10_000;
const FIRST_DELAY_MS = 1;
const MAX_DELAY_MS = 50;

interface PendingWrite {
  /** Returns whether the lock was there; the write is done then. */
  readonly attempt: () => boolean;
  readonly refuse: (error: Error) => void;
  /** In milliseconds of `performance.now()`. */
  readonly until: number;
}

/** First come, first served: only the first one asks for the lock. */
export class WriteQueue {
  readonly #pending: PendingWrite[] = [];
  readonly #patience: number;
  #isRunning = false;

  constructor(patience = PATIENCE_MS) {
    this.#patience = patience;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  /** `attempt` returns undefined when the lock is not there. Rejects with ServiceUnavailableError when it never is. */
  add<T>(attempt: () => { readonly result: T } | undefined): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#pending.push({
      attempt: () => {
        try {
          const done = attempt();
          if (done) resolve(done.result);
          return done !== undefined;
        } catch (error) {
          reject(error);
          return true;
        }
      },
      refuse: reject,
      until: performance.now() + this.#patience,
    });
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let delay = FIRST_DELAY_MS; this.#pending.length > 0; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
      await Bun.sleep(delay);
      while (this.#pending[0]?.attempt()) {
        this.#pending.shift();
        delay = FIRST_DELAY_MS;
      }
      const now = performance.now();
      while (this.#pending[0] && this.#pending[0].until <= now) this.#pending.shift()?.refuse(databaseBusy());
    }
    this.#isRunning = false;
  }
}
