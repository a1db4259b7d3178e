/** Stops a server on signals. */

import type { RunningProject } from "../../server/running.ts";
import { exitProcess } from "../safety-net.ts";
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
    await stop();
    await running.close();
    exitProcess(0);
  };
  for (const signal of SIGNALS) process.on(signal, shutDown);
}
