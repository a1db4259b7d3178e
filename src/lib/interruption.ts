/** What an interruption by the user, such as Ctrl+C, does before the process ends: work leaves nothing half done behind. */
import { mkdirSync, rmSync } from "node:fs";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

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
  for (const name of SIGNALS) process.off(name, interrupt);
  process.kill(process.pid, signal);
}

/** Calls `cleanUp` if the process is interrupted, the last one first, until the returned function is called. */
export function onInterruption(cleanUp: () => void): () => void {
  if (cleanups.size === 0) for (const signal of SIGNALS) process.on(signal, interrupt);
  cleanups.add(cleanUp);
  return () => {
    cleanups.delete(cleanUp);
    if (cleanups.size === 0) for (const signal of SIGNALS) process.off(signal, interrupt);
  };
}

/** Calls `work` with a new folder at `path`, and removes it afterwards, also if the process is interrupted. */
export async function withTemporaryFolder<T>(path: string, work: (folder: string) => Promise<T>): Promise<T> {
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  // before it is there
  const keep = onInterruption(remove);
  try {
    remove();
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return await work(path);
  } finally {
    remove();
    keep();
  }
}
