/** Time limits for code that answers requests. All have the same limit, so that one timer for the oldest is enough. */
import { ApiError } from "../../lib/errors.ts";

export interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly time: number;
  /** Called when the time limit is exceeded. */
  readonly onTimeout: () => void;
}

/** Rejects if the work takes longer than a response may. `subject`: what is logged then. */
export type Limit = <T>(subject: string, work: () => T | Promise<T>) => Promise<T>;

export class Deadlines {
  readonly #limitMs: number;
  /** Oldest first. */
  readonly #pending = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `limitMs`: in milliseconds. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** `onTimeout` is called unless `end` is called first. */
  begin(onTimeout: () => void): Deadline {
    const deadline = { time: performance.now() + this.#limitMs, onTimeout };
    this.#pending.add(deadline);
    if (!this.#timer) this.#timer = setTimeout(this.#expire, this.#limitMs);
    else if (this.#pending.size === 1) this.#timer.ref();
    return deadline;
  }

  /** Returns false if the time limit was exceeded. */
  end(deadline: Deadline): boolean {
    const isInTime = this.#pending.delete(deadline);
    // the timer is kept for the next request, but must not keep the process alive
    if (isInTime && this.#pending.size === 0) this.#timer?.unref();
    return isInTime;
  }

  /** The error of code that has not answered in time. */
  timeoutError(): ApiError {
    return new ApiError("ServiceUnavailableError", `The project's code did not answer within ${this.#limitMs} ms`);
  }

  /** Rejects with `timeoutError`, after a call of `onTimeout`, if the work takes longer. Its later result, or error, is ignored. */
  limit<T>(work: () => T | Promise<T>, onTimeout: (error: ApiError) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const deadline = this.begin(() => {
      const error = this.timeoutError();
      onTimeout(error);
      reject(error);
    });
    const settle = (done: () => void): void => {
      if (this.end(deadline)) done();
    };
    Promise.try(work).then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    return promise;
  }

  readonly #expire = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const deadline of this.#pending) {
      if (deadline.time > now) {
        this.#timer = setTimeout(this.#expire, deadline.time - now);
        return;
      }
      this.#pending.delete(deadline);
      deadline.onTimeout();
    }
  };
}
