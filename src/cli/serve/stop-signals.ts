/** Stops a server on signals. */

import { exitProcess, startEnding } from "../../lib/process-exit.ts";
import type { RunningProject } from "../../server/running.ts";
import { exitWhenRead } from "../server-console.ts";
import type { Server } from "./servers.ts";

export const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** A repeated signal within this time counts as one: Ctrl+C reaches this process and its launcher, which forwards it. */
const SAME_SIGNAL_MS = 500;
/** As shells report a process that was interrupted. */
const INTERRUPTED = 130;

/** The first signal stops the server when clients have their responses, a second one at once. */
export function stopOnSignals({ stop, kill }: Server, running: RunningProject): void {
  let stoppedAt: number | undefined;
  const shutDown = async (): Promise<void> => {
    if (stoppedAt !== undefined) {
      if (performance.now() - stoppedAt < SAME_SIGNAL_MS) return;
      kill();
      exitProcess(INTERRUPTED);
    }
    stoppedAt = performance.now();
    startEnding();
    await stop();
    await running.close();
    await exitWhenRead(0);
  };
  // before the listeners of the project's code, which may end the process
  for (const signal of SIGNALS) process.prependListener(signal, shutDown);
}
