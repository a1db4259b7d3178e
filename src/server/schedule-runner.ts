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

  constructor(project: () => Project, report: (message: string) => void) {
    this.#project = project;
    this.#report = report;
  }

  start(lookMs = LOOK_MS): void {
    this.#timer = setInterval(() => this.look(), lookMs);
    this.#timer.unref();
  }

  /** Runs what is due, unless that is being done. */
  look(): void {
    const { storage } = this.#project().context;
    if (this.#running || storage.isClosed || dueEntries(storage, new Date().toISOString()).length === 0) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    // loaded when something is due
    const { runDue } =
      require("../admin/content-manager/schedule/run-due.ts") as typeof import("../admin/content-manager/schedule/run-due.ts");
    try {
      for (const { entry, reason } of await runDue(this.#project().context)) {
        const { action, contentType, documentId } = entry;
        this.#report(`schedule: ${contentType} ${documentId} was not ${action}ed: ${reason}`);
      }
    } catch (error) {
      this.#report(`schedule: ${(error as Error).message}`);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
