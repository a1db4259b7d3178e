/** `strapi.cron`: scheduled tasks. */
import type { Cron as Timer } from "croner";
import { isRecord } from "../../lib/is-record.ts";
import type { Log } from "../runtime.ts";
import { parseSchedule } from "./cron-schedule.ts";

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
}

export class Cron {
  readonly #strapi: () => object;
  readonly #log: Log;
  #jobs: Job[] = [];
  #isStarted = false;

  constructor(strapi: () => object, log: Log) {
    this.#strapi = strapi;
    this.#log = log;
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

  /** Throws for an invalid rule. */
  #createTimer(label: string, work: Work, options: unknown): Timer {
    const { Cron: TimerClass } = require("croner") as typeof import("croner");
    const { pattern, ...limits } = parseSchedule(options);
    const timer: Timer = new TimerClass(
      pattern,
      {
        ...limits,
        paused: !this.#isStarted,
        unref: true,
        // `5/15` is `5-59/15`, as in older versions of Strapi
        sloppyRanges: true,
        catch: (error) => this.#log.error(`Cron job "${label}" failed`, error),
      },
      () => work({ strapi: this.#strapi() }, timer.currentRun() ?? new Date()) as undefined,
    );
    return timer;
  }

  #createJob(name: string | null, work: Work, options: unknown): Job {
    const label = name ?? String(options);
    let timer = this.#createTimer(label, work, options);
    const entry: Job = {
      name,
      options,
      job: {
        invoke: async () => work({ strapi: this.#strapi() }, timer.currentRun() ?? new Date()),
        cancel: () => {
          timer.stop();
          return true;
        },
        stop: () => timer.stop(),
        pause: () => timer.pause(),
        resume: () => timer.resume(),
        nextRun: () => timer.nextRun(),
        nextInvocation: () => timer.nextRun(),
        isRunning: () => timer.isRunning(),
        isStopped: () => timer.isStopped(),
        reschedule: (changed) => {
          try {
            const next = this.#createTimer(label, work, changed);
            timer.stop();
            timer = next;
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
