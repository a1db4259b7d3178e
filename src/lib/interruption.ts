/** What an interruption by the user, such as Ctrl+C, does before the process ends: work leaves nothing half done behind. */

/** A terminal that is closed sends SIGHUP. `nohup`, which ignores that, redirects the output. */
const signals = (): NodeJS.Signals[] => ["SIGINT", "SIGTERM", ...(process.stdout.isTTY ? (["SIGHUP"] as const) : [])];

const cleanups = new Set<() => void>();

function interrupt(signal: NodeJS.Signals): void {
  // a server, or what else stops in its own way
  if (process.listenerCount(signal) > 1) return;
  for (const cleanUp of [...cleanups].reverse()) {
    try {
      cleanUp();
    } catch (error) {
      console.error(`galley: ${(error as Error).message}`);
    }
  }
  cleanups.clear();
  for (const name of signals()) process.off(name, interrupt);
  process.kill(process.pid, signal);
}

/** Calls `cleanUp` if the process is interrupted, the last one first, until the returned function is called. */
export function onInterruption(cleanUp: () => void): () => void {
  if (cleanups.size === 0) for (const signal of signals()) process.on(signal, interrupt);
  cleanups.add(cleanUp);
  return () => {
    cleanups.delete(cleanUp);
    if (cleanups.size === 0) for (const signal of signals()) process.off(signal, interrupt);
  };
}
