/** The server has one core and everything else another, where the machine lets processes be pinned. */
import { availableParallelism } from "node:os";

export const pinned = availableParallelism() > 1 && Bun.which("taskset") !== null;

const on =
  (core: number) =>
  (command: readonly string[]): string[] =>
    pinned ? ["taskset", "-c", String(core), ...command] : [...command];

export const onServerCore = on(0);
export const onLoadCore = on(1);

/** Moves this process to the load's core. */
export function leaveServerCore(): void {
  if (pinned) Bun.spawnSync(["taskset", "-a", "-c", "-p", "1", String(process.pid)]);
}
