/** `strapi.cron`: scheduled tasks. */
import type { Cron as Timer } from "croner";
import { absenceOf } from "../../engine/config/modules.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { withTimeout } from "../../lib/with-timeout.ts";
import type { Log } from "../runtime.ts";
import { parseSchedule } from "./cron-schedule.ts";

/** How long a task is waited for when a test's clock runs it. */
const LIMIT_MS = 10_000;

type Work = (options: { readonly strapi: object }, time: Date) => unknown;

/** What code may do with a job. */
interface Handle {
  readonly invoke: () => Promise<unknown>;
  readonly cancel: () => boolean;
  readonly stop: () => void;
  readonly pause: () => boolean;
  readonly resume: () => boolean;
  readonly nextRun: () => Date | null;
  readonly nextInvocation: () => Date | null;
  readonly isRunning: () => boolean;
  readonly isStopped: () => boolean;
  /** False for invalid options, which change nothing. */
  readonly reschedule: (options: unknown) => boolean;
}

interface Job {
  readonly job: Handle;
  /** A rule, or an object with one, as passed by code. */
  options: unknown;
  /** Null for a task whose key is its rule. */
  readonly name: string | null;
  /** When it is next due after a time; null: never. */
  readonly nextAfter: (time: Date) => Date | null;
  /** Never rejects. */
  readonly run: (time: Date) => Promise<void>;
}

/** Tasks that are due at once. */
export interface DueTasks {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** Runs them, one after another. Never rejects. */
  readonly run: () => Promise<void>;
}

/** Throws for an invalid rule. */
function readTimer(options: unknown) {
  const { Cron: TimerClass } = require("croner") as typeof import("croner");
  const { pattern, ...limits } = parseSchedule(options);
  // `5/15` is `5-59/15`, as in older versions of Strapi
  return { TimerClass, pattern, limits: { ...limits, sloppyRanges: true } };
}

/**
 * When a task is next due after a time. By a timer that never runs: one that does has ended by the machine's time, when its only run is over.
 * What was found is kept until then, since a rule without a date takes long to look through all years.
 */
function createCalendar(options: unknown): (after: Date) => Date | null {
  const { TimerClass, pattern, limits } = readTimer(options);
  const calendar = new TimerClass(pattern, limits);
  let found: { readonly after: Date; readonly next: Date | null } | undefined;
  return (after) => {
    const isKept = found && after >= found.after && (found.next === null || after < found.next);
    if (!found || !isKept) found = { after, next: calendar.nextRun(after) };
    return found.next;
  };
}

export class Cron {
  readonly #strapi: () => object;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #limitMs: number;
  #jobs: Job[] = [];
  #isStarted = false;

  constructor(strapi: () => object, log: Log, clock: Clock, limitMs = LIMIT_MS) {
    this.#limitMs = limitMs;
    this.#strapi = strapi;
    this.#log = log;
    this.#clock = clock;
  }

  get jobs(): readonly Job[] {
    return this.#jobs;
  }

  /** `tasks`: functions by rule, or objects with a task and its options by name. An invalid rule is logged. */
  readonly add = (tasks: unknown): this => {
    for (const [key, entry] of isRecord(tasks) ? Object.entries(tasks) : []) {
      const { task, options } = isRecord(entry) ? entry : { task: entry, options: key };
      if (typeof task !== "function") throw new Error(`Could not schedule a cron job for "${key}": no function found.`);
      try {
        const absence = [task, options, ...Object.values(toRecord(options))].map(absenceOf).find(Boolean);
        if (absence !== undefined) throw new Error(absence);
        const name = isRecord(entry) ? key : null;
        this.#jobs.push(this.#createJob(name, (task as Work).bind(isRecord(entry) ? entry : tasks), options));
      } catch (error) {
        this.#log.error(`Could not schedule cron job "${key}": ${(error as Error).message}`);
      }
    }
    return this;
  };

  readonly remove = (name?: string): this => {
    if (!name) throw new Error("You must provide a name to remove a cron job.");
    for (const { job } of this.#jobs.filter((job) => job.name === name)) job.stop();
    this.#jobs = this.#jobs.filter((job) => job.name !== name);
    return this;
  };

  readonly start = (): this => {
    this.#isStarted = true;
    for (const { job } of this.#jobs) job.resume();
    return this;
  };

  readonly stop = (): this => {
    this.#isStarted = false;
    for (const { job } of this.#jobs) job.pause();
    return this;
  };

  readonly destroy = (): this => {
    for (const { job } of this.#jobs.splice(0)) job.stop();
    return this;
  };

  /** What is due next after a time, for a clock that is set; undefined: nothing. */
  dueAfter(time: number): DueTasks | undefined {
    const after = new Date(time);
    const next = this.#jobs.flatMap((job) => {
      const at = job.nextAfter(after)?.getTime();
      return at === undefined ? [] : [{ job, at }];
    });
    if (next.length === 0) return undefined;
    const at = next.reduce((first, job) => Math.min(first, job.at), Number.POSITIVE_INFINITY);
    const run = async (): Promise<void> => {
      for (const { job } of next.filter((one) => one.at === at)) await job.run(new Date(at));
    };
    return { at, run };
  }

  /** Throws for an invalid rule. */
  #createTimer(label: string, work: Work, options: unknown): Timer {
    const { TimerClass, pattern, limits } = readTimer(options);
    const timer: Timer = new TimerClass(
      pattern,
      {
        ...limits,
        paused: !this.#isStarted,
        unref: true,
        catch: (error) => this.#log.error(`Cron job "${label}" failed`, error),
      },
      () => {
        // a test's clock runs it
        if (this.#clock.stands) return undefined;
        return work({ strapi: this.#strapi() }, timer.currentRun() ?? new Date(this.#clock.now())) as undefined;
      },
    );
    return timer;
  }

  #createJob(name: string | null, work: Work, options: unknown): Job {
    const label = name ?? String(options);
    let timer = this.#createTimer(label, work, options);
    let calendar: ReturnType<typeof createCalendar> | undefined;
    let isPaused = !this.#isStarted;
    const nextRun = (): Date | null =>
      this.#clock.stands ? entry.nextAfter(new Date(this.#clock.now())) : timer.nextRun();
    const entry: Job = {
      name,
      options,
      nextAfter: (time) => {
        if (isPaused || timer.isStopped()) return null;
        calendar ??= createCalendar(entry.options);
        return calendar(time);
      },
      run: async (time) => {
        try {
          const running = Promise.try(work, { strapi: this.#strapi() }, time);
          await withTimeout<unknown>(running, this.#limitMs, () => {
            throw new Error(`It has not ended after ${this.#limitMs / 1_000} seconds`);
          });
        } catch (error) {
          this.#log.error(`Cron job "${label}" failed`, error);
        }
      },
      job: {
        invoke: async () => work({ strapi: this.#strapi() }, timer.currentRun() ?? new Date(this.#clock.now())),
        cancel: () => {
          timer.stop();
          return true;
        },
        stop: () => timer.stop(),
        pause: () => {
          isPaused = true;
          return timer.pause();
        },
        resume: () => {
          isPaused = false;
          return timer.resume();
        },
        nextRun,
        nextInvocation: nextRun,
        isRunning: () => timer.isRunning(),
        isStopped: () => timer.isStopped(),
        reschedule: (changed) => {
          try {
            const next = this.#createTimer(label, work, changed);
            timer.stop();
            timer = next;
            calendar = undefined;
            isPaused = !this.#isStarted;
            entry.options = changed;
            return true;
          } catch (error) {
            this.#log.error(`Could not reschedule cron job "${label}": ${(error as Error).message}`);
            return false;
          }
        },
      },
    };
    return entry;
  }
}
