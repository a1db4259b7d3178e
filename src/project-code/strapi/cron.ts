/** `strapi.cron`: tasks at their times, while the server runs. */
import { isRecord } from "../../query/key-check.ts";
import type { Log } from "../runtime.ts";
import { readCronRule } from "./cron-rule.ts";

type Work = (options: { readonly strapi: object }) => unknown;

interface Job {
  readonly name: string;
  /** As it was given: a rule, or an object with one. */
  readonly options: unknown;
  readonly stop: () => void;
}

/** Longer waits are cut into pieces of a day, since timers take no more than 24. */
const MAX_WAIT_MS = 86_400_000;
/** Rules have seconds. */
const TICK_MS = 500;

export class Cron {
  readonly #strapi: () => object;
  readonly #log: Log;
  #jobs: Job[] = [];
  #isStarted = false;
  readonly #pending: (() => void)[] = [];

  constructor(strapi: () => object, log: Log) {
    this.#strapi = strapi;
    this.#log = log;
  }

  get jobs(): readonly Job[] {
    return this.#jobs;
  }

  /** Tasks by their rules, or by names with a rule each. */
  readonly add = (tasks: unknown): this => {
    for (const [name, entry] of isRecord(tasks) ? Object.entries(tasks) : []) {
      const { task, options } = isRecord(entry) ? entry : { task: entry, options: name };
      if (typeof task !== "function") throw new Error(`The cron task ${name} is no function`);
      const begin = (): void => this.#schedule(name, task as Work, options);
      if (this.#isStarted) begin();
      else this.#pending.push(begin);
    }
    return this;
  };

  readonly remove = (name: string): this => {
    for (const job of this.#jobs) if (job.name === name) job.stop();
    this.#jobs = this.#jobs.filter((job) => job.name !== name);
    return this;
  };

  readonly start = (): this => {
    this.#isStarted = true;
    for (const begin of this.#pending.splice(0)) begin();
    return this;
  };

  readonly stop = (): this => {
    for (const { stop } of this.#jobs.splice(0)) stop();
    return this;
  };

  readonly destroy = this.stop;

  #schedule(name: string, work: Work, options: unknown): void {
    const run = async (): Promise<void> => {
      try {
        await work({ strapi: this.#strapi() });
      } catch (error) {
        this.#log.error(`cron task ${name}:`, error);
      }
    };
    const rule = isRecord(options) ? options.rule : options;
    if (rule instanceof Date) {
      this.#once(name, options, rule, run);
      return;
    }
    const fits = readCronRule(String(rule));
    let last = "";
    const timer = setInterval(() => {
      const now = new Date();
      const second = now.toISOString().slice(0, 19);
      if (second === last || !fits(now)) return;
      last = second;
      void run();
    }, TICK_MS);
    timer.unref();
    this.#jobs.push({ name, options, stop: () => clearInterval(timer) });
  }

  #once(name: string, options: unknown, time: Date, run: () => Promise<void>): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      const left = time.getTime() - Date.now();
      if (left < 0) return;
      timer = setTimeout(() => (left > MAX_WAIT_MS ? wait() : void run()), Math.min(left, MAX_WAIT_MS));
      timer.unref();
    };
    wait();
    this.#jobs.push({ name, options, stop: () => clearTimeout(timer) });
  }
}
