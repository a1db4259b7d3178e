/** Aborts a transfer that stalls or takes too long; the abort reason says which. */

export interface TimeLimits {
  /** Milliseconds without a byte. */
  readonly stallMs: number;
  /** Milliseconds for the whole transfer. */
  readonly totalMs: number;
}

export class Deadline {
  readonly #controller = new AbortController();
  readonly #stallMs: number;
  readonly #stalled: string;
  readonly #total: ReturnType<typeof setTimeout>;
  #stall: ReturnType<typeof setTimeout> | undefined;

  /** `stalled`: what the upstream did not do, for the message ("sent nothing"). */
  constructor({ stallMs, totalMs }: TimeLimits, stalled: string) {
    this.#stallMs = stallMs;
    this.#stalled = stalled;
    const end = () => this.#controller.abort(new Error(`took longer than ${totalMs / 1000} seconds`));
    this.#total = setTimeout(end, totalMs);
    this.restartStall();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the stall timer: data has been transferred. */
  restartStall(): void {
    clearTimeout(this.#stall);
    const end = () => this.#controller.abort(new Error(`${this.#stalled} for ${this.#stallMs / 1000} seconds`));
    this.#stall = setTimeout(end, this.#stallMs);
  }

  /** Must be called in any case: a running timer keeps the process alive. */
  end(): void {
    clearTimeout(this.#stall);
    clearTimeout(this.#total);
  }
}
