/** Looks for documents that are due to be published or unpublished, while a project is served. */
import { dueEntries, type ScheduleEntry } from "../engine/documents/schedule.ts";
import type { Project } from "./project/project.ts";

/** Milliseconds between two looks, a statement of microseconds. The first one finds what became due while no server ran. */
const LOOK_MS = 5_000;

export function createScheduleRunner(project: () => Project, report: (message: string) => void) {
  let timer: ReturnType<typeof setInterval> | undefined;
  let running: Promise<void> | undefined;
  /** What the last look has reported: failures that go on are reported once. */
  let reported: readonly string[] = [];

  function start(lookMs = LOOK_MS): void {
    timer = setInterval(() => void look(), lookMs);
    timer.unref();
  }

  /** Runs what is due, unless that is being done; resolves when it is done. Never rejects. */
  function look(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  /** Runs everything that is due, but nothing twice that fails. */
  async function runAll(): Promise<void> {
    for (let before: ScheduleEntry | undefined; ; ) {
      await look();
      const [next] = due();
      if (!next || Bun.deepEquals(next, before)) return;
      before = next;
    }
  }

  function due(): ScheduleEntry[] {
    const { storage, clock } = project().context;
    return storage.isClosed ? [] : dueEntries(storage, new Date(clock.now()).toISOString());
  }

  async function run(): Promise<void> {
    const failures = await runDue().catch((error: Error) => [`schedule: ${error.message}`]);
    for (const failure of failures) if (!reported.includes(failure)) report(failure);
    reported = failures;
  }

  /** Resolves with what went wrong. */
  async function runDue(): Promise<string[]> {
    if (due().length === 0) return [];
    // loaded when something is due
    const { runDue } =
      require("../admin/content-manager/schedule/run-due.ts") as typeof import("../admin/content-manager/schedule/run-due.ts");
    return (await runDue(project().context)).map(
      ({ entry: { action, contentType, documentId }, reason }) =>
        `schedule: ${contentType} ${documentId} was not ${action}ed: ${reason}`,
    );
  }

  async function close(): Promise<void> {
    clearInterval(timer);
    await running;
  }

  return { start, look, runAll, close };
}
