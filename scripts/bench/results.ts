/** From figures to the medians and ratios that are shown, and to those that are held against a least. */
import type { Comparison } from "./compare.ts";
import type { Figures } from "./measure.ts";
import { median } from "./median.ts";
import type { StartUp } from "./start-up.ts";
import { layOutTable, short } from "./table.ts";
import type { Work } from "./works.ts";

/** The processor time of a start may be this many times that of an empty executable. */
export const MAX_START = 9;

/** Microseconds of processor time for a request; NaN for what was not measured. */
export const timeOf = (figures: Figures | undefined, work: string): number => median(figures?.works[work] ?? []);

/** How many times as fast Galley is as another target. */
export const speedOf = ({ galley, ...others }: Comparison, other: string, work: string): number =>
  timeOf(others[other], work) / timeOf(galley, work);

const startOf = (figures: Figures | undefined): number => median(figures?.startProcessorMs ?? []);
export const startRatio = ({ galley, empty }: StartUp): number => startOf(galley) / startOf(empty);

/** What is slower than it must be beside the floor, one sentence each. */
export function listSlow(comparison: Comparison, works: readonly Work[], startUp: StartUp): string[] {
  const slow = works.flatMap(({ name, leastOfFloor }) => {
    const ratio = speedOf(comparison, "floor", name);
    return ratio < leastOfFloor
      ? [`${name} has ${short(ratio)} of the floor's speed, and must have ${leastOfFloor}`]
      : [];
  });
  const start = startRatio(startUp);
  if (start > MAX_START)
    slow.push(
      `a start takes ${short(start)} times the processor time of an empty executable, and may take ${MAX_START}`,
    );
  return slow;
}

export function printResults(comparison: Comparison, works: readonly Work[], startUp: StartUp): void {
  const targets = Object.entries(comparison);
  const others = Object.keys(comparison).filter((name) => name !== "galley");
  const head = ["workload", ...targets.map(([name]) => `${name} µs`), ...others.map((name) => `/ ${name}`), "least"];
  const rows = works.map(({ name, leastOfFloor }) => [
    name,
    ...targets.map(([, figures]) => short(timeOf(figures, name))),
    ...others.map((other) => short(speedOf(comparison, other, name))),
    String(leastOfFloor),
  ]);
  console.log(`microseconds of the server's processor time for a request, and Galley's speed in that of others`);
  console.log(`\n${layOutTable([head, ...rows])}`);

  const all = Object.entries({ ...comparison, ...startUp });
  const each = (of: (figures: Figures) => readonly number[]): string[] =>
    all.map(([, figures]) => short(median(of(figures))));
  const sizes = [
    ["", ...all.map(([name]) => name)],
    ["start, ms", ...each(({ startMs }) => startMs)],
    ["start, ms of processor time", ...each(({ startProcessorMs }) => startProcessorMs)],
    ["memory idle, MB", ...each(({ idleMb }) => idleMb)],
    ["memory after load, MB", ...all.map(([name]) => short(median(comparison[name]?.loadedMb ?? [])))],
  ];
  console.log(`\n${layOutTable(sizes)}`);
  console.log(`\na start takes ${short(startRatio(startUp))} times the processor time of an empty executable`);

  for (const [name, { problems }] of targets)
    for (const [work, problem] of Object.entries(problems))
      console.log(`\n${name} ${work} is not measured: ${problem}`);
}
