/** Cuts off work that takes too long. All work has the same limit, so that one timer, for the oldest, is enough. */
export class Deadlines {
  readonly #limitMs: number;
  /** What is called when the work is late, by the time when that is; oldest first. */
  readonly #pending = new Map<() => void, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Resolves when the work does, or at its deadline, once `late` was called. Rejects as the work does. */
  limit(work: Promise<unknown>, late: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const cutOff = (): void => {
        late();
        resolve();
      };
      const end = (settle: () => void): void => {
        this.#pending.delete(cutOff);
        // kept for the next work, but no reason for the process to live on
        if (this.#pending.size === 0) this.#timer?.unref();
        settle();
      };
      work.then(
        () => end(resolve),
        (error) => end(() => reject(error)),
      );
      this.#pending.set(cutOff, performance.now() + this.#limitMs);
      if (!this.#timer) this.#timer = setTimeout(this.#cutOffLate, this.#limitMs);
      else if (this.#pending.size === 1) this.#timer.ref();
    });
  }

  readonly #cutOffLate = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const [cutOff, time] of this.#pending) {
      if (time > now) {
        this.#timer = setTimeout(this.#cutOffLate, time - now);
        return;
      }
      this.#pending.delete(cutOff);
      cutOff();
    }
  };
}
