/** `galley worker`: started by `galley serve --workers` only; takes its work from messages. */
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { logLine } from "../log-line.ts";
import { READER_COMMAND } from "../servers.ts";

async function runWorker({ print }: CommandCall): Promise<undefined> {
  if (!process.send) throw new UsageError("workers are started by galley serve --workers");
  const { createWorker } = require("../../server/workers/worker.ts") as typeof import("../../server/workers/worker.ts");
  const sent = new Set<Promise<void>>();
  const send: Parameters<typeof createWorker>[0]["send"] = (message) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    sent.add(promise);
    void promise.then(() => sent.delete(promise));
    process.send?.(message, undefined, undefined, () => resolve());
  };
  // the last messages must reach the main process
  const end = (code: number): void => void Promise.all(sent).then(() => process.exit(code));
  const { SafetyNet } = require("../safety-net.ts") as typeof import("../safety-net.ts");
  // the main process starts another worker
  const net = new SafetyNet({ print: console.error, end: () => process.exit(1) });
  net.install();
  const worker = createWorker(
    { send, print, logLine, watch: (handle) => net.watch(handle), readerCommand: READER_COMMAND },
    end,
  );
  process.on("message", worker.take);
  // a key press that interrupts reaches every process of the terminal; the main one stops the workers
  process.on("SIGINT", () => {});
  process.on("SIGTERM", worker.stop);
  // ends with the main process, which is the only one to stop it
  process.on("disconnect", worker.stop);
  return undefined;
}

export const worker: Command = {
  name: "worker",
  summary: "Serve as one of several processes",
  usage: "",
  maxArguments: 0,
  options: {},
  hidden: true,
  run: runWorker,
};
