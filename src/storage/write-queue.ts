/** Writes that wait for the lock of the database, while everything else goes on. */
import { databaseBusy } from "./problems.ts";

/** A write waits this long for others, and is refused then. */
const PATIENCE_MS = 10_000;
const FIRST_DELAY_MS = 1;
const MAX_DELAY_MS = 50;

/** After a write that took longer, requests are answered before the next one begins. */
const LONG_WRITE_MS = 50;

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
  #isResting = false;

  constructor(patience = PATIENCE_MS) {
    this.#patience = patience;
  }

  /** Whether a write may begin at once. */
  get isFree(): boolean {
    return this.#pending.length === 0 && !this.#isResting;
  }

  /** Runs a write, which nobody may follow at once if it was a long one. */
  timed<T>(write: () => T): T {
    const start = performance.now();
    try {
      return write();
    } finally {
      if (performance.now() - start > LONG_WRITE_MS) this.#rest();
    }
  }

  #rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    setTimeout(() => {
      this.#isResting = false;
    }, FIRST_DELAY_MS);
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
      while (!this.#isResting && this.#pending[0]?.attempt()) {
        this.#pending.shift();
        delay = FIRST_DELAY_MS;
      }
      const now = performance.now();
      while (this.#pending[0] && this.#pending[0].until <= now) this.#pending.shift()?.refuse(databaseBusy());
    }
    this.#isRunning = false;
  }
}
