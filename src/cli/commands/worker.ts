/** `galley worker`: a child process of `galley serve --workers`. It gets its tasks as messages. */

import { type Command, type CommandCall, UsageError } from "../command.ts";
import { logLine } from "../log-line.ts";
import { exitProcess } from "../safety-net.ts";
import { READER_COMMAND } from "../serve/servers.ts";

async function runWorker({ print, net }: CommandCall): Promise<undefined> {
  if (!process.send) throw new UsageError("workers are started by galley serve --workers");
  const { createWorker } = require("../../server/workers/worker.ts") as typeof import("../../server/workers/worker.ts");
  const pendingMessages = new Set<Promise<void>>();
  const send: Parameters<typeof createWorker>[0]["send"] = (message) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pendingMessages.add(promise);
    void promise.then(() => pendingMessages.delete(promise));
    process.send?.(message, undefined, undefined, () => resolve());
  };
  // the last messages must reach the main process
  const exitAfterMessages = (code: number): void => void Promise.all(pendingMessages).then(() => exitProcess(code));
  const worker = createWorker(
    { send, print, logLine, wrapHandler: (handle) => net.track(handle), readerCommand: READER_COMMAND },
    exitAfterMessages,
  );
  process.on("message", worker.take);
  // Ctrl+C reaches all processes of the terminal; the main process stops the workers
  process.on("SIGINT", () => {});
  process.on("SIGTERM", worker.stop);
  // stop when the main process exits
  process.on("disconnect", worker.stop);
  return undefined;
}

export const worker: Command = {
  name: "worker",
  summary: "Serve as one of several processes",
  hidden: true,
  run: runWorker,
};
