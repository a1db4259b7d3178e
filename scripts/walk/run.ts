/** A random walk of schema edits, checkouts, writes and kills: the published version has what the draft of the same save has. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Body } from "../../test/project.ts";
import { Random } from "../../test/random.ts";
import { type KillableServer, startServer } from "../kill/server.ts";
import { Pages } from "./documents.ts";
import { edited, type Form, FULL, REST, writeForm, writeProject } from "./project.ts";

export interface WalkOptions {
  readonly steps: number;
  readonly seed: number;
  readonly program?: readonly string[];
  /** Called after each step. */
  readonly progress?: (step: number) => void;
}

export interface WalkResult {
  readonly edits: number;
  readonly checkouts: number;
  readonly kills: number;
  readonly writes: number;
  readonly publishes: number;
  readonly compared: number;
  readonly problems: readonly string[];
}

const KINDS = ["edit", "checkout", "kill", "check", "write"] as const;
/** Up to which random number a step is one of the first four; all else are writes. */
const LIMITS = [0.15, 0.18, 0.21, 0.24];
const RELOAD_MS = 60_000;
const LONGEST_BEFORE_KILL_MS = 120;
/** What clients see of a kill; anything else is a fault. */
const BROKEN_CONNECTION = /socket|connect|ECONN|closed|terminated/i;

class Walk {
  readonly #options: WalkOptions;
  readonly #root = mkdtempSync(join(tmpdir(), "galley-walk-"));
  readonly #random: Random;
  readonly #pages: Pages;
  readonly #forms: Form[] = [FULL];
  readonly #counts = { edit: 0, checkout: 0, kill: 0, check: 0, write: 0 };
  readonly #problems: string[] = [];
  #form: Form = FULL;
  #marked = 0;
  #server: KillableServer | undefined;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#pages = new Pages(this.#random);
  }

  async #start(): Promise<void> {
    this.#server = await startServer(this.#root, 1, this.#options.program);
    this.#pages.url = this.#server.url;
    this.#pages.isSettled = true;
  }

  /** Saves a form of the schema; the server may go on with the last one for a while. */
  #save(form: Form): void {
    this.#form = form;
    this.#pages.form = form;
    this.#pages.isSettled = false;
    writeForm(this.#root, form, ++this.#marked);
  }

  async #settle(): Promise<void> {
    const started = performance.now();
    const url = `${this.#server!.url}/api/content-type-builder/content-types/api::page.page`;
    for (;;) {
      const response = await fetch(url, { headers: REST });
      const shown: Body = response.ok ? await response.json() : undefined;
      if (shown?.data.schema.displayName === `Page ${this.#marked}`) break;
      if (performance.now() - started > RELOAD_MS)
        throw new Error(`The schema is not served: ${this.#server!.errors().slice(-2000)}`);
      await Bun.sleep(10);
    }
    this.#pages.isSettled = true;
  }

  /** Kills the server during a write or a change of its tables. */
  async #kill(): Promise<void> {
    if (this.#random.chance(0.5)) this.#save(edited(this.#form, this.#random));
    const write = this.#pages.write().catch((error: unknown) => error);
    await Bun.sleep(this.#random.below(LONGEST_BEFORE_KILL_MS));
    await this.#server!.kill();
    const error = await write;
    if (error !== undefined && !BROKEN_CONNECTION.test(String(error))) throw error;
    await this.#start();
  }

  async #check(): Promise<void> {
    this.#save(FULL);
    await this.#settle();
    this.#problems.push(...(await this.#pages.check()));
  }

  async #step(): Promise<void> {
    const chance = this.#random.next();
    const kind = KINDS[LIMITS.filter((limit) => chance >= limit).length]!;
    this.#counts[kind]++;
    if (kind === "edit") {
      this.#save(edited(this.#form, this.#random));
      this.#forms.push(this.#form);
    } else if (kind === "checkout") this.#save(this.#random.pick(this.#forms));
    else if (kind === "kill") return this.#kill();
    else if (kind === "check") return this.#check();
    else return this.#pages.write();
    // now and then the next steps meet the server while it changes its tables
    if (this.#random.chance(0.8)) await this.#settle();
  }

  async run(): Promise<WalkResult> {
    const { steps, progress } = this.#options;
    let step = 0;
    try {
      writeProject(this.#root);
      await this.#start();
      await this.#pages.prepare();
      for (; step < steps && this.#problems.length === 0; step++) {
        await this.#step();
        progress?.(step + 1);
      }
      await this.#check();
    } catch (error) {
      this.#problems.push(`${error instanceof Error ? error.message : error}; ${this.#server?.errors().slice(-2000)}`);
    } finally {
      await this.#server?.kill();
      rmSync(this.#root, { recursive: true, force: true });
    }
    const { edit, checkout, kill } = this.#counts;
    const { acknowledged, publishes, compared } = this.#pages;
    return {
      ...{ edits: edit, checkouts: checkout, kills: kill, writes: acknowledged, publishes, compared },
      problems: this.#problems.map((problem) => `after step ${step}: ${problem}`),
    };
  }
}

export const runWalk = (options: WalkOptions): Promise<WalkResult> => new Walk(options).run();
