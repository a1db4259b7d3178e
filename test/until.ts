import { availableParallelism, loadavg } from "node:os";

/** On a machine with nothing else to do. */
const WAIT_MS = 20_000;
/** Below the time that a whole test has. */
const MOST_MS = 150_000;

/** Milliseconds to wait for something: longer while more processes want to run than there are processors. */
export const patience = (load = loadavg()[0]!, processors = availableParallelism()): number =>
  Math.min(MOST_MS, WAIT_MS * Math.max(1, load / processors));

/** Waits as long as the machine's load asks for. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + patience(); Date.now() < end; await Bun.sleep(25)) if (await isSo()) return;
  throw new Error(`It never was so that ${what}`);
}
