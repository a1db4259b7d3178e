/** Ends a transfer that takes too long, or stalls, with the reason. */

export interface TimeLimits {
  /** Milliseconds without a byte. */
  readonly stallMs: number;
  /** Milliseconds for all of it. */
  readonly totalMs: number;
}

export class Patience {
  readonly #controller = new AbortController();
  readonly #stallMs: number;
  readonly #stalled: string;
  readonly #total: ReturnType<typeof setTimeout>;
  #stall: ReturnType<typeof setTimeout> | undefined;

  /** `stalled`: what the other side did not do, for the message. */
  constructor({ stallMs, totalMs }: TimeLimits, stalled: string) {
    this.#stallMs = stallMs;
    this.#stalled = stalled;
    const end = () => this.#controller.abort(new Error(`took longer than ${totalMs / 1000} seconds`));
    this.#total = setTimeout(end, totalMs);
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A byte has moved. */
  renew(): void {
    clearTimeout(this.#stall);
    const end = () => this.#controller.abort(new Error(`${this.#stalled} for ${this.#stallMs / 1000} seconds`));
    this.#stall = setTimeout(end, this.#stallMs);
  }

  /** To be called in any case; a timer keeps the process alive. */
  end(): void {
    clearTimeout(this.#stall);
    clearTimeout(this.#total);
  }
}
