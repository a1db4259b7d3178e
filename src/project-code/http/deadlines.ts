/** Time limits for requests. All have the same limit, so that one timer for the oldest is enough. */
export interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly time: number;
  /** Called when the time limit is exceeded. */
  readonly onTimeout: () => void;
}

export class Deadlines {
  readonly #limitMs: number;
  /** Oldest first. */
  readonly #pending = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | undefined;

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
