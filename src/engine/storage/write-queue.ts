/** A queue of writes that wait for the database's lock without blocking the process. */
import { databaseBusy } from "./problems.ts";

const TIMEOUT_MS = 10_000;
const FIRST_DELAY_MS = 1;
const MAX_DELAY_MS = 50;

/** After a longer write, other requests are served before the next one begins. */
const LONG_WRITE_MS = 50;

interface PendingWrite {
  /** Runs the write if the lock is free; returns whether it was. */
  readonly attempt: () => boolean;
  readonly refuse: (error: Error) => void;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
}

/** First in, first out: only the first write tries to get the lock. */
export class WriteQueue {
  readonly #pending: PendingWrite[] = [];
  readonly #timeout: number;
  #isRunning = false;
  #isResting = false;

  constructor(timeout = TIMEOUT_MS) {
    this.#timeout = timeout;
  }

  /** Whether a write may begin immediately. */
  get isFree(): boolean {
    return this.#pending.length === 0 && !this.#isResting;
  }

  /** Runs a write. After a long one, the next one is delayed. */
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

  /** `attempt` returns undefined while the lock is taken. Rejects with ServiceUnavailableError after the timeout. */
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
      deadline: performance.now() + this.#timeout,
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
      while (this.#pending[0] && this.#pending[0].deadline <= now) this.#pending.shift()?.refuse(databaseBusy());
    }
    this.#isRunning = false;
  }
}
