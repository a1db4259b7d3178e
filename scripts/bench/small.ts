/** The check that a small project is up at once and asks for little: ten content-types, ten thousand documents. */
import { median } from "./median.ts";
import type { StartUp } from "./start-up.ts";

const MAX_START_MS = 60;
const MAX_IDLE_MB = 90;

/** Prints both figures; returns whether they are good. */
export function printSmall({ galley }: StartUp): boolean {
  const [startMs, idle] = [median(galley?.startMs ?? []), median(galley?.idleMb ?? [])];
  const line = (name: string, value: number, unit: string, most: number): void =>
    console.log(
      `${name} ${value.toFixed(1)} ${unit}, wanted less than ${most}: ${value < most ? "reached" : "NOT reached"}`,
    );
  line("start to first answer", startMs, "ms", MAX_START_MS);
  line("memory idle", idle, "MB", MAX_IDLE_MB);
  return startMs < MAX_START_MS && idle < MAX_IDLE_MB;
}
