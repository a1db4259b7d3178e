/** The check that a small project is up at once and asks for little: ten content-types, ten thousand documents. */
import { median } from "./median.ts";
import { MAX_START, startRatio } from "./results.ts";
import type { StartUp } from "./start-up.ts";

const MAX_IDLE_MB = 90;

/** Prints both figures; returns whether they are good. */
export function printSmall(startUp: StartUp): boolean {
  const [start, idle] = [startRatio(startUp), median(startUp.galley?.idleMb ?? [])];
  const line = (name: string, value: number, unit: string, most: number): void =>
    console.log(
      `${name} ${value.toFixed(1)} ${unit}, wanted less than ${most}: ${value < most ? "reached" : "NOT reached"}`,
    );
  line("start to first answer", start, "times the processor time of an empty executable", MAX_START);
  line("memory idle", idle, "MB", MAX_IDLE_MB);
  return start < MAX_START && idle < MAX_IDLE_MB;
}
