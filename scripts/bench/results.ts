/** From figures to the medians and ratios that are shown, and to the goals that they are held against. */
import type { Comparison } from "./compare.ts";
import type { Figures } from "./measure.ts";
import { median } from "./median.ts";
import type { StartUp } from "./start-up.ts";
import { layOutTable, short } from "./table.ts";
import type { Work } from "./works.ts";

/** How a figure stands against another target's: a ratio, and the one that is wanted. */
export interface Ratio {
  readonly what: string;
  readonly against: string;
  readonly ratio: number;
  readonly wanted: number;
  /** The wanted ratio is the least or the most that is good. */
  readonly good: "least" | "most";
}

/** The start may take this many times an empty executable's run, and Strapi this many times ours. */
const START = { empty: 2.5, reference: 60 };
/** Of Strapi's memory after the load. */
const MEMORY = 0.25;

export const holds = ({ ratio, wanted, good }: Ratio): boolean =>
  good === "least" ? ratio >= wanted : ratio <= wanted;

const computeRate = (figures: Figures | undefined, work: Work): number =>
  median((figures?.works[work.name] ?? []).map(({ rate }) => rate));
const p99Of = (figures: Figures | undefined, work: Work): number =>
  median((figures?.works[work.name] ?? []).map(({ p99Ms }) => p99Ms));

/** Every ratio for which there are figures. */
export function computeRatios(
  { galley, floor, reference }: Comparison,
  works: readonly Work[],
  startUp: StartUp,
): Ratio[] {
  const ratios: Ratio[] = [];
  const add = (what: string, against: string, ratio: number, wanted: number, good: Ratio["good"]): void => {
    if (!Number.isNaN(ratio)) ratios.push({ what, against, ratio, wanted, good });
  };
  for (const work of works) {
    const rate = computeRate(galley, work);
    if (work.goal?.floor) add(work.name, "floor", rate / computeRate(floor, work), work.goal.floor, "least");
    if (work.goal) add(work.name, "reference", rate / computeRate(reference, work), work.goal.reference, "least");
  }
  const startMs = median(startUp.galleyMs);
  add("start", "empty executable", startMs / median(startUp.emptyMs), START.empty, "most");
  add("start", "reference", median(reference?.startMs ?? []) / startMs, START.reference, "least");
  const loaded = median(galley?.loadedMb ?? []);
  add("memory after load", "reference", loaded / median(reference?.loadedMb ?? []), MEMORY, "most");
  return ratios;
}

export function printResults(comparison: Comparison, works: readonly Work[], startUp: StartUp): void {
  const targets = Object.entries(comparison);
  const head = ["workload", ...targets.flatMap(([name]) => [`${name} /s`, "p99 ms"])];
  const rates = works.map((work) => [
    work.name,
    ...targets.flatMap(([, figures]) => [short(computeRate(figures, work)), short(p99Of(figures, work))]),
  ]);
  console.log(`\n${layOutTable([head, ...rates])}`);

  const others = targets.filter(([name]) => name !== "galley");
  const each = (of: (figures: Figures) => readonly number[]): string[] =>
    others.map(([, figures]) => short(median(of(figures))));
  const sizes = [
    ["", "galley", ...others.map(([name]) => name), "empty executable"],
    ["start, ms", short(median(startUp.galleyMs)), ...each(({ startMs }) => startMs), short(median(startUp.emptyMs))],
    ["memory idle, MB", short(median(startUp.idleMb)), ...each(({ idleMb }) => idleMb)],
    ["memory after load, MB", short(median(comparison.galley?.loadedMb ?? [])), ...each(({ loadedMb }) => loadedMb)],
  ];
  console.log(`\n${layOutTable(sizes)}`);

  const ratios = computeRatios(comparison, works, startUp).map((ratio) => [
    ratio.what,
    ratio.against,
    short(ratio.ratio),
    `at ${ratio.good} ${ratio.wanted}`,
    holds(ratio) ? "yes" : "NO",
  ]);
  if (ratios.length > 0)
    console.log(`\n${layOutTable([["galley's", "against", "ratio", "wanted", "reached"], ...ratios])}`);

  for (const [name, { problems }] of targets)
    for (const [work, problem] of Object.entries(problems))
      console.log(`\n${name} ${work} is not measured: ${problem}`);
}
