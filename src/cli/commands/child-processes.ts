/** Commands of which other processes of Galley start a process, and which get their work as messages. */
import { asProjectError } from "../../engine/storage/problems.ts";
import { ProjectError } from "../../lib/errors.ts";
import { exitProcess } from "../../lib/process-exit.ts";
import type { LoadResult, LoadTask } from "../../server/published/load.ts";
import type { ReaderRequest } from "../../server/readers/reader.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { openNamed } from "../open-project.ts";
import { logLine, READER_COMMAND } from "../serve/servers.ts";
import { exitWhenRead } from "../server-console.ts";

/** A server handles requests at the same time. */
const BACKGROUND_NICENESS = 5;

/** `end`: called when the process that has started this one has ended. Throws a UsageError if nothing has. */
export function takeMessages<Message>(handle: (message: Message) => void, end: () => void): void {
  if (!process.send) throw new UsageError("this is started by galley serve");
  process.on("message", handle);
  // Ctrl+C reaches all processes of the terminal; the one that has started this one stops it
  process.on("SIGINT", () => {});
  process.on("disconnect", end);
}

const KILLED_FIRST = "1000";

/** Where memory is short, such as in a container, Linux ends this process rather than the server, which does without it. */
function runInBackground(): void {
  const { setPriority } = require("node:os") as typeof import("node:os");
  const { writeFileSync } = require("node:fs") as typeof import("node:fs");
  setPriority(BACKGROUND_NICENESS);
  try {
    writeFileSync("/proc/self/oom_score_adj", KILLED_FIRST);
  } catch {
    // another system, a sandbox, or an executable with capabilities: it works in the usual order
  }
}

async function runWorker({ print, net }: CommandCall): Promise<undefined> {
  const { createWorker } = require("../../server/workers/worker.ts") as typeof import("../../server/workers/worker.ts");
  const pendingMessages = new Set<Promise<void>>();
  const send: Parameters<typeof createWorker>[0]["send"] = (message) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pendingMessages.add(promise);
    void promise.then(() => pendingMessages.delete(promise));
    process.send?.(message, undefined, undefined, () => resolve());
  };
  // the last messages must reach the main process
  const exitAfterMessages = (code: number): void => void Promise.all(pendingMessages).then(() => exitWhenRead(code));
  const { take, stop } = createWorker(
    { send, print, logLine, wrapHandler: (handle) => net.track(handle), readerCommand: READER_COMMAND },
    exitAfterMessages,
  );
  takeMessages(take, stop);
  process.on("SIGTERM", stop);
  return undefined;
}

async function load(task: LoadTask): Promise<LoadResult> {
  const { loadArchive } = require("../../server/published/load.ts") as typeof import("../../server/published/load.ts");
  try {
    return { kind: "loaded", source: await loadArchive(task) };
  } catch (error) {
    const problem = asProjectError(error, "the temporary folder");
    if (problem instanceof ProjectError) return { kind: "refused", problems: problem.problems };
    throw problem;
  }
}

async function runLoadArchive(): Promise<undefined> {
  const failure = Promise.withResolvers<undefined>();
  const handle = (task: LoadTask): void => {
    load(task)
      .then((result) => process.send?.(result, undefined, undefined, () => exitProcess(0)))
      .catch(failure.reject);
  };
  takeMessages(handle, () => exitProcess(1));
  runInBackground();
  return failure.promise;
}

async function runReadRows(): Promise<undefined> {
  const { createReader } = require("../../server/readers/reader.ts") as typeof import("../../server/readers/reader.ts");
  const read = createReader();
  takeMessages(
    (message: ReaderRequest) => process.send?.(read(message)),
    () => exitProcess(0),
  );
  runInBackground();
  return undefined;
}

/** In contrast to the others, it prints what it has done. */
async function runMigrate(call: CommandCall): Promise<number> {
  const project = await openNamed(call);
  await project.close();
  call.print(JSON.stringify(project.changes));
  return 0;
}

export const childProcesses: readonly Command[] = [
  { name: "worker", summary: "Serve as one of several processes", hidden: true, isServer: true, run: runWorker },
  { name: "load-archive", summary: "Load an archive for a server", hidden: true, run: runLoadArchive },
  { name: "migrate", summary: "Change the tables of a project", usage: "[project]", hidden: true, run: runMigrate },
  { name: "read-rows", summary: "Read a large database for a server", hidden: true, run: runReadRows },
];
