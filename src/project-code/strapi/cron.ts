/** `strapi.cron`: scheduled tasks. */
import { isRecord } from "../../query/key-check.ts";
import type { Log } from "../runtime.ts";
import { readCronRule } from "./cron-rule.ts";

type Work = (options: { readonly strapi: object }) => unknown;

interface Job {
  readonly name: string;
  /** A rule, or an object with one, as passed by code. */
  readonly options: unknown;
  readonly stop: () => void;
}

/** Longer waits use several timers, since the maximum of a timer is 24.8 days. */
const MAX_WAIT_MS = 86_400_000;
/** Less than a second, the resolution of rules, so that none is missed. */
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

  /** `tasks`: functions by rule, or objects with a task and a rule by name. */
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
    const matches = readCronRule(String(rule));
    let lastSecond = "";
    const timer = setInterval(() => {
      const now = new Date();
      const second = now.toISOString().slice(0, 19);
      if (second === lastSecond || !matches(now)) return;
      lastSecond = second;
      void run();
    }, TICK_MS);
    timer.unref();
    this.#jobs.push({ name, options, stop: () => clearInterval(timer) });
  }

  #once(name: string, options: unknown, time: Date, run: () => Promise<void>): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      const remainingMs = time.getTime() - Date.now();
      if (remainingMs < 0) return;
      timer = setTimeout(() => (remainingMs > MAX_WAIT_MS ? wait() : void run()), Math.min(remainingMs, MAX_WAIT_MS));
      timer.unref();
    };
    wait();
    this.#jobs.push({ name, options, stop: () => clearTimeout(timer) });
  }
}
