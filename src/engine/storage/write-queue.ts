/** A queue of transactions that wait for the database's lock without blocking the process. */
import { databaseBusy } from "./problems.ts";

const TIMEOUT_MS = 10_000;
const FIRST_DELAY_MS = 1;
const MAX_DELAY_MS = 50;

/** After so long, other requests are served before the next transaction begins. */
const MAX_ROUND_MS = 50;

// as it is now: tests replace the clock
const { setImmediate, setTimeout } = globalThis;

/** Settles the promise of what was queued. */
export interface Settle<T> {
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Pending {
  /** Begins what waits, if the lock is free; returns whether it was. */
  readonly attempt: () => boolean;
  readonly refuse: (error: Error) => void;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
}

/** First in, first out: only the first one tries to get the lock. */
export class WriteQueue {
  readonly #pending: Pending[] = [];
  readonly #endRound: () => boolean;
  readonly #timeout: number;
  #isScheduled = false;
  #waits = false;
  #delay = FIRST_DELAY_MS;

  /** `endRound`: called after the attempts of a round; returns whether it has released the lock. */
  constructor(endRound: () => boolean, timeout = TIMEOUT_MS) {
    this.#endRound = endRound;
    this.#timeout = timeout;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  /** Whether nobody waits for the lock. What was queued since the last round may not need to. */
  get isFree(): boolean {
    return !this.#waits;
  }

  /**
   * The first attempts are made together, once the requests that have arrived with this one were read. `attempt` returns false while the
   * lock is taken. Rejects with ServiceUnavailableError after the timeout.
   */
  add<T>(attempt: (settle: Settle<T>) => boolean): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#pending.push({
      attempt: () => {
        try {
          return attempt({ resolve, reject });
        } catch (error) {
          reject(error);
          return true;
        }
      },
      refuse: reject,
      deadline: performance.now() + this.#timeout,
    });
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#runRound);
    }
    return promise;
  }

  /** As `add`, without a result. */
  once(attempt: () => boolean): Promise<void> {
    return this.add(({ resolve }) => {
      const isDone = attempt();
      if (isDone) resolve();
      return isDone;
    });
  }

  /** Attempts all that waits, if the lock is free. */
  readonly #runRound = (): void => {
    const end = performance.now() + MAX_ROUND_MS;
    let isLate = false;
    do {
      while (!isLate && this.#pending[0]?.attempt()) {
        this.#pending.shift();
        this.#delay = FIRST_DELAY_MS;
        isLate = performance.now() > end;
      }
    } while (this.#endRound() && !isLate);
    this.#refuseLate();
    this.#isScheduled = this.#pending.length > 0;
    this.#waits = this.#isScheduled && !isLate;
    if (this.#waits) {
      setTimeout(this.#runRound, this.#delay);
      this.#delay = Math.min(2 * this.#delay, MAX_DELAY_MS);
    } else if (this.#isScheduled) setImmediate(this.#runRound);
  };

  #refuseLate(): void {
    const now = performance.now();
    while (this.#pending[0] && this.#pending[0].deadline <= now) this.#pending.shift()?.refuse(databaseBusy());
  }

  /** Begins what was added at last, before the database is closed. */
  flush(): void {
    if (this.#isScheduled) this.#runRound();
  }
}
