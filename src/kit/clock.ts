/** The clock of a test: times that are set, and what becomes due until then. */
import { nextDue } from "../engine/documents/schedule.ts";
import { toTime } from "../lib/clock.ts";
import { parseSpan } from "../lib/time-span.ts";
import type { ProjectClock } from "../public-types.ts";
import type { Embedded } from "../server/embedded.ts";

/** More tasks do not run in one call. */
const MAX_TASKS = 10_000;

const shown = (value: unknown): string => Bun.inspect(value).slice(0, 100);

/** In milliseconds since 1970. Throws a TypeError that says what is accepted. */
export function readTime(name: string, value: unknown): number {
  const time = toTime(value);
  if (!Number.isNaN(time)) return time;
  throw new TypeError(
    `${name} must be a time from 1970-01-01 to 9999-01-01, as "2030-01-01", "2030-01-01T00:00:00Z", a Date or milliseconds, not ${shown(value)}`,
  );
}

/** In milliseconds. Throws a TypeError that says what is accepted. */
function readSpan(value: unknown): number {
  const span = typeof value === "string" ? (parseSpan(value) ?? Number.NaN) * 1_000 : value;
  if (typeof span === "number" && span >= 0 && Number.isFinite(span)) return Math.round(span);
  throw new TypeError(
    `advance takes a span from 0, as "2 days", "1.5 hours" or milliseconds, not ${shown(value)}; set() goes back`,
  );
}

export type ClockParts = Pick<Embedded<unknown>, "project" | "clock" | "runSchedule">;

export class KitClock {
  readonly #parts: ClockParts;
  /** As of the start; undefined: the machine's. */
  readonly #start: number | undefined;
  #isMoving = false;

  constructor(parts: ClockParts) {
    this.#parts = parts;
    const { clock } = parts;
    this.#start = clock.stands ? clock.now() : undefined;
  }

  /** Runs what is due next after a time and until another; returns when that was, or undefined if nothing is. */
  async #runNext(after: number, until: number): Promise<number | undefined> {
    const { project, clock, runSchedule } = this.#parts;
    const { context, code } = project();
    const scheduled = nextDue(context.storage, new Date(after).toISOString());
    const scheduledAt = scheduled === undefined ? Number.POSITIVE_INFINITY : Date.parse(scheduled);
    const tasks = code?.cron.dueAfter(after);
    const at = Math.min(scheduledAt, tasks?.at ?? Number.POSITIVE_INFINITY);
    if (!(at <= until)) return undefined;
    // writes have moved it on
    if (clock.now() < at) clock.set(at);
    if (scheduledAt === at) await runSchedule();
    if (tasks?.at === at) await tasks.run();
    return at;
  }

  async #advance(span: number): Promise<void> {
    const { clock, runSchedule } = this.#parts;
    const start = clock.now();
    const end = readTime("the time after advance", start + span);
    clock.set(start);
    await runSchedule();
    let at: number | undefined = start;
    for (let count = 0; ; count++) {
      at = await this.#runNext(at, end);
      if (at === undefined) break;
      if (count === MAX_TASKS)
        throw new Error(
          `More than ${MAX_TASKS} tasks were due: the clock is at ${new Date(at).toISOString()}; advance by less, or set() the time, which runs no tasks in between`,
        );
    }
    if (clock.now() < end) clock.set(end);
  }

  /** One move after another has ended: what is due runs in between. */
  async #move(work: () => Promise<void>): Promise<string> {
    if (this.#isMoving) throw new Error("The clock is being advanced or set: await it");
    this.#isMoving = true;
    try {
      await work();
    } finally {
      this.#isMoving = false;
    }
    return new Date(this.#parts.clock.now()).toISOString();
  }

  /** `around`: runs what may call the project's own code. */
  functions(around: <T>(work: () => T) => T): ProjectClock {
    const { clock, runSchedule } = this.#parts;
    return {
      set: async (time) => {
        const wanted = readTime("time", time);
        return around(() =>
          this.#move(async () => {
            clock.set(wanted);
            await runSchedule();
          }),
        );
      },
      advance: async (span) => {
        const wanted = readSpan(span);
        return around(() => this.#move(() => this.#advance(wanted)));
      },
      reset: async () => this.#move(async () => clock.set(this.#start)),
    };
  }
}
