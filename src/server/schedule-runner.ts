/** Looks for documents that are due to be published or unpublished, while a project is served. */
import { dueEntries, type ScheduleEntry } from "../engine/documents/schedule.ts";
import type { Project } from "./project/project.ts";

/** Milliseconds between two looks, a statement of microseconds. The first one finds what became due while no server ran. */
const LOOK_MS = 5_000;

export class ScheduleRunner {
  readonly #project: () => Project;
  readonly #report: (message: string) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #running: Promise<void> | undefined;
  /** What the last look has reported: failures that go on are reported once. */
  #reported: readonly string[] = [];

  constructor(project: () => Project, report: (message: string) => void) {
    this.#project = project;
    this.#report = report;
  }

  start(lookMs = LOOK_MS): void {
    this.#timer = setInterval(() => void this.look(), lookMs);
    this.#timer.unref();
  }

  /** Runs what is due, unless that is being done; resolves when it is done. Never rejects. */
  look(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Runs everything that is due, but nothing twice that fails. */
  async runAll(): Promise<void> {
    for (let before: ScheduleEntry | undefined; ; ) {
      await this.look();
      const [next] = this.#due();
      if (!next || Bun.deepEquals(next, before)) return;
      before = next;
    }
  }

  #due(): ScheduleEntry[] {
    const { storage, clock } = this.#project().context;
    return storage.isClosed ? [] : dueEntries(storage, new Date(clock.now()).toISOString());
  }

  async #run(): Promise<void> {
    const failures = await this.#runDue().catch((error: Error) => [`schedule: ${error.message}`]);
    for (const failure of failures) if (!this.#reported.includes(failure)) this.#report(failure);
    this.#reported = failures;
  }

  /** Resolves with what went wrong. */
  async #runDue(): Promise<string[]> {
    if (this.#due().length === 0) return [];
    // loaded when something is due
    const { runDue } =
      require("../admin/content-manager/schedule/run-due.ts") as typeof import("../admin/content-manager/schedule/run-due.ts");
    return (await runDue(this.#project().context)).map(
      ({ entry: { action, contentType, documentId }, reason }) =>
        `schedule: ${contentType} ${documentId} was not ${action}ed: ${reason}`,
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
