/** The same workloads on more and more articles, to see which of them cost more when there are more. */
import { type Comparison, compare, type Entrant } from "./compare.ts";
import type { Settings } from "./measure.ts";
import { median } from "./median.ts";
import { timeOf } from "./results.ts";
import { layOutTable, short } from "./table.ts";

export const SCALE = [1_000, 10_000, 100_000, 1_000_000];

/** By the number of articles. */
export type Scale = Record<number, Comparison>;

/** `entrant` makes what is measured for a number of articles, one after the other, since content takes its room. */
export async function measureScale(
  entrant: (articles: number) => Promise<Entrant>,
  settings: Settings,
): Promise<Scale> {
  const scale: Scale = {};
  for (const articles of SCALE) {
    const tell = (text: string): void => settings.tell(`${articles}: ${text}`);
    scale[articles] = await compare([await entrant(articles)], { ...settings, tell });
  }
  return scale;
}

/** Milliseconds of processor time for a request, and how many times more the most articles take than the fewest. */
export function printScale(scale: Scale, { works }: Settings): void {
  const sizes = SCALE.map((size) => scale[size]?.galley);
  const row = (name: string, values: readonly number[]): string[] => [
    name,
    ...values.map(short),
    short((values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN)),
  ];
  const rows = works.map(({ name }) =>
    row(
      name,
      sizes.map((figures) => timeOf(figures, name) / 1_000),
    ),
  );
  const head = ["ms a request", ...SCALE.map((size) => size.toLocaleString("en")), "last : first"];
  const start = row(
    "start",
    sizes.map((figures) => median(figures?.startMs ?? [])),
  );
  const memory = row(
    "memory after load, MB",
    sizes.map((figures) => median(figures?.loadedMb ?? [])),
  );
  console.log(`\n${layOutTable([head, ...rows, start, memory])}`);
  for (const [index, figures] of sizes.entries())
    for (const [work, problem] of Object.entries(figures?.problems ?? {}))
      console.log(`\n${SCALE[index]} ${work} is not measured: ${problem}`);
}
