/** Looks for documents that are due to be published or unpublished, while a project is served. */
import { dueEntries } from "../engine/documents/schedule.ts";
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
    this.#timer = setInterval(() => this.look(), lookMs);
    this.#timer.unref();
  }

  /** Runs what is due, unless that is being done. Never throws. */
  look(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const failures = await this.#runDue().catch((error: Error) => [`schedule: ${error.message}`]);
    for (const failure of failures) if (!this.#reported.includes(failure)) this.#report(failure);
    this.#reported = failures;
  }

  /** Resolves with what went wrong. */
  async #runDue(): Promise<string[]> {
    const { context } = this.#project();
    const { storage } = context;
    if (storage.isClosed || dueEntries(storage, new Date().toISOString()).length === 0) return [];
    // loaded when something is due
    const { runDue } =
      require("../admin/content-manager/schedule/run-due.ts") as typeof import("../admin/content-manager/schedule/run-due.ts");
    return (await runDue(context)).map(
      ({ entry: { action, contentType, documentId }, reason }) =>
        `schedule: ${contentType} ${documentId} was not ${action}ed: ${reason}`,
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
