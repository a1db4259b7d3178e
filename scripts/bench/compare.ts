/** Runs targets in turn, each started afresh on a copy of its content, in rounds that go back and forth. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Figures, measure, noFigures, type Settings } from "./measure.ts";
import { floor, start, type Target } from "./target.ts";
import { verifySame } from "./verify.ts";
import type { Content, Work } from "./works.ts";

/** A target, and the folder and content that it is started on. */
export interface Entrant {
  readonly target: Target;
  readonly folder: string;
  readonly content: Content;
}

/** By the target's name. */
export type Comparison = Readonly<Record<string, Figures>>;

const isFloor = ({ target }: Entrant): boolean => target === floor;

/** The floor may answer a workload at a path of its own. */
const linesOf =
  (entrant: Entrant) =>
  (work: Work): readonly string[] =>
    isFloor(entrant) && typeof work.floor === "string" ? [`GET\t${work.floor}`] : work.requests(entrant.content);

const listWorks = (entrant: Entrant, works: readonly Work[]): readonly Work[] =>
  isFloor(entrant) ? works.filter((work) => work.floor) : works;

/** Throws when the floor's answers are not Galley's, byte for byte. Both are on the same folder at once. */
export async function checkFloor(galley: Entrant, works: readonly Work[]): Promise<void> {
  const up = await start(galley.target, galley.folder);
  const below = await start(floor, galley.folder);
  for (const work of works) if (work.floor) await verifySame(up.url, below.url, work, work.requests(galley.content));
  await below.stop();
  await up.stop();
}

async function runOnce(entrant: Entrant, figures: Figures, settings: Settings): Promise<void> {
  const run = join(settings.scratch, "run");
  cpSync(entrant.folder, run, { recursive: true, verbatimSymlinks: true });
  const up = await start(entrant.target, run);
  const works = listWorks(entrant, settings.works);
  await measure(up, linesOf(entrant), figures, { ...settings, works });
  await up.stop();
  rmSync(run, { recursive: true });
}

export async function compare(entrants: readonly Entrant[], settings: Settings): Promise<Comparison> {
  const comparison = Object.fromEntries(entrants.map(({ target }) => [target.name, noFigures()]));
  for (let round = 0; round < settings.rounds; round++) {
    for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
      const { name } = entrant.target;
      const tell = (text: string): void => settings.tell(`${round + 1} ${name} ${text}`);
      await runOnce(entrant, comparison[name] ?? noFigures(), { ...settings, tell });
    }
  }
  return comparison;
}
