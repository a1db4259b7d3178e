/** The most memory that a process had. What its parent had when it was started counts in `maxRSS`, so that the system is asked. */
import { readFileSync } from "node:fs";

const POLL_MS = 50;

/** Of a process that runs; undefined when it has ended, and where there is no `/proc`. `field`: `VmRSS` now, `VmHWM` at most. */
export function readMemory(pid: number, field: "VmRSS" | "VmHWM"): number | undefined {
  try {
    const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Waits until it has ended. In bytes. */
export async function peakMemory(child: Bun.Subprocess): Promise<number> {
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, readMemory(child.pid, "VmHWM") ?? 0);
    await Promise.race([child.exited, Bun.sleep(POLL_MS)]);
  }
  return peak || (child.resourceUsage()?.maxRSS ?? 0);
}
