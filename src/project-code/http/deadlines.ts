/** Cuts off work that takes too long. All work has the same limit, so that one timer, for the oldest, is enough. */
export interface Deadline {
  /** In the milliseconds of `performance.now()`. */
  readonly time: number;
  /** Called when the work is late. */
  readonly late: () => void;
}

export class Deadlines {
  readonly #limitMs: number;
  /** Oldest first. */
  readonly #pending = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** `late` is called unless `end` is called before. */
  begin(late: () => void): Deadline {
    const deadline = { time: performance.now() + this.#limitMs, late };
    this.#pending.add(deadline);
    if (!this.#timer) this.#timer = setTimeout(this.#cutOffLate, this.#limitMs);
    else if (this.#pending.size === 1) this.#timer.ref();
    return deadline;
  }

  /** False for work that was cut off. */
  end(deadline: Deadline): boolean {
    const isInTime = this.#pending.delete(deadline);
    // the timer is kept for the next work, but no reason for the process to live on
    if (isInTime && this.#pending.size === 0) this.#timer?.unref();
    return isInTime;
  }

  readonly #cutOffLate = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const deadline of this.#pending) {
      if (deadline.time > now) {
        this.#timer = setTimeout(this.#cutOffLate, deadline.time - now);
        return;
      }
      this.#pending.delete(deadline);
      deadline.late();
    }
  };
}
