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

/** `around`: runs what may call the project's own code. `reset` sets the time as of this call. */
export function createClock(
  { project, clock, runSchedule }: Pick<Embedded<unknown>, "project" | "clock" | "runSchedule">,
  around: <T>(work: () => T) => T,
): ProjectClock {
  const start = clock.stands ? clock.now() : undefined;
  let isMoving = false;

  /** Runs what is due next after a time and until another; returns when that was, or undefined if nothing is. */
  async function runNext(after: number, until: number): Promise<number | undefined> {
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

  async function advance(span: number): Promise<void> {
    const now = clock.now();
    const end = readTime("the time after advance", now + span);
    clock.set(now);
    await runSchedule();
    let at: number | undefined = now;
    for (let count = 0; ; count++) {
      at = await runNext(at, end);
      if (at === undefined) break;
      if (count === MAX_TASKS)
        throw new Error(
          `More than ${MAX_TASKS} tasks were due: the clock is at ${new Date(at).toISOString()}; advance by less, or set() the time, which runs no tasks in between`,
        );
    }
    if (clock.now() < end) clock.set(end);
  }

  /** One move after another has ended: what is due runs in between. */
  async function move(work: () => Promise<void>): Promise<string> {
    if (isMoving) throw new Error("The clock is being advanced or set: await it");
    isMoving = true;
    try {
      await work();
    } finally {
      isMoving = false;
    }
    return new Date(clock.now()).toISOString();
  }

  return {
    set: async (time) => {
      const wanted = readTime("time", time);
      return around(() =>
        move(async () => {
          clock.set(wanted);
          await runSchedule();
        }),
      );
    },
    advance: async (span) => {
      const wanted = readSpan(span);
      return around(() => move(() => advance(wanted)));
    },
    reset: async () => move(async () => clock.set(start)),
  };
}
