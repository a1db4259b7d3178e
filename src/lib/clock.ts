/** The time of a project, for everything that is stored, signed or due. What measures how long work takes uses `performance.now()`. */

/** The maximum clock skew between processes of one machine; imported documents may have any time. */
const MAX_SKEW_MS = 1000;

/** Times are compared as texts, whose years have four digits. */
const LATEST = Date.UTC(9999, 0);
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Whether a text names a day that there is: 31 February would be one in March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** In milliseconds since 1970; NaN for what is not a time that a clock can have. */
export function toTime(value: unknown): number {
  const [, day] = (typeof value === "string" && ISO_TIME.exec(value)) || [];
  const time =
    value instanceof Date ? value.getTime() : day !== undefined && isDay(day) ? Date.parse(value as string) : value;
  return typeof time === "number" && time >= 0 && time <= LATEST ? Math.floor(time) : Number.NaN;
}

/** The machine's time. */
export class Clock {
  #last = 0;
  #lastText = "";

  /** Whether a test has set it, so that nothing becomes due by itself. */
  get stands(): boolean {
    return false;
  }

  /** In milliseconds since 1970. */
  now(): number {
    return Date.now();
  }

  /** As `now`, but not before the last write, whose time may be ahead by some milliseconds. */
  nowAfterWrites(): number {
    const time = this.now();
    return this.#last > time && this.#last <= time + MAX_SKEW_MS ? this.#last : time;
  }

  /** Milliseconds of a time that is never set back, for intervals. */
  elapsed(): number {
    return performance.now();
  }

  /** The next time of a write will also be later than `written`, a time of another process. */
  follow(written: string): void {
    if (written <= this.#lastText) return;
    const time = Date.parse(written);
    if (time > this.#last && time < this.now() + MAX_SKEW_MS) this.#last = time;
  }

  /**
   * For a write, in ISO 8601: strictly increasing, so that "modified since" distinguishes two writes in one millisecond. When the system's
   * clock is set back, times follow it.
   */
  writeTime(): string {
    const time = this.now();
    this.#last = this.#last < time || this.#last > time + MAX_SKEW_MS ? time : this.#last + 1;
    this.#lastText = new Date(this.#last).toISOString();
    return this.#lastText;
  }
}

/**
 * The machine's time until it is set. From then on it stands, apart from a millisecond for each write, so that the same calls have the same
 * times in each run.
 */
export class SettableClock extends Clock {
  /** Undefined: the machine's. */
  #time: number | undefined;
  /** What `elapsed` has been when the time was set. */
  #elapsed = 0;
  /** How far `elapsed` is ahead of the machine's. */
  #lead = 0;

  override get stands(): boolean {
    return this.#time !== undefined;
  }

  /** `time`: in milliseconds since 1970; undefined: the machine's time. Intervals are not set back. */
  set(time: number | undefined): void {
    if (time === undefined) this.#lead = this.elapsed() - super.elapsed();
    else this.#elapsed = this.elapsed() + Math.max(0, time - this.now());
    this.#time = time;
  }

  override now(): number {
    return this.#time ?? super.now();
  }

  override nowAfterWrites(): number {
    return this.#time ?? super.nowAfterWrites();
  }

  override elapsed(): number {
    return this.#time === undefined ? super.elapsed() + this.#lead : this.#elapsed;
  }

  override follow(written: string): void {
    if (this.#time === undefined) super.follow(written);
  }

  override writeTime(): string {
    return this.#time === undefined ? super.writeTime() : new Date(this.#time++).toISOString();
  }
}
