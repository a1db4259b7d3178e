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
  /** The failure of the last look, which is reported once. */
  #failure: string | undefined;

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
    try {
      const { context } = this.#project();
      const { storage } = context;
      if (storage.isClosed || dueEntries(storage, new Date().toISOString()).length === 0) return;
      // loaded when something is due
      const { runDue } =
        require("../admin/content-manager/schedule/run-due.ts") as typeof import("../admin/content-manager/schedule/run-due.ts");
      for (const { entry, reason } of await runDue(context)) {
        const { action, contentType, documentId } = entry;
        this.#report(`schedule: ${contentType} ${documentId} was not ${action}ed: ${reason}`);
      }
      this.#failure = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#failure) this.#report(`schedule: ${message}`);
      this.#failure = message;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
