/** Runs targets side by side, each on a copy of its content, and asks them by turns, in rounds that go back and forth. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Figures, measure, noFigures, type Runner, type Settings } from "./measure.ts";
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

const REST_MS = 10_000;

function copyContent({ target, folder }: Entrant, scratch: string): string {
  const copy = join(scratch, `run-${target.name}`);
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Throws when the floor's answers are not Galley's, byte for byte. */
export async function checkFloor(galley: Entrant, works: readonly Work[], scratch: string): Promise<void> {
  const entrants = [galley, { ...galley, target: floor }];
  const folders = entrants.map((entrant) => copyContent(entrant, scratch));
  const up = await start(galley.target, folders[0]!);
  const below = await start(floor, folders[1]!);
  for (const work of works) await verifySame(up.url, below.url, work, work.requests(galley.content));
  await below.stop();
  await up.stop();
  for (const folder of folders) rmSync(folder, { recursive: true });
}

interface Started extends Runner {
  readonly folder: string;
}

async function startAll(entrants: readonly Entrant[], comparison: Comparison, scratch: string): Promise<Started[]> {
  const runners: Started[] = [];
  for (const entrant of entrants) {
    const folder = copyContent(entrant, scratch);
    const up = await start(entrant.target, folder);
    const figures = comparison[entrant.target.name]!;
    figures.startMs.push(up.startMs);
    figures.startProcessorMs.push(up.startProcessorMs);
    figures.idleMb.push(up.megabytes());
    const lines = (work: Work): readonly string[] => work.requests(entrant.content);
    runners.push({ name: entrant.target.name, folder, up, figures, lines });
  }
  return runners;
}

/** Works that write come last in their table, so that all others are measured on the same content. */
export async function compare(entrants: readonly Entrant[], settings: Settings): Promise<Comparison> {
  const comparison = Object.fromEntries(entrants.map(({ target }) => [target.name, noFigures()]));
  for (let round = 0; round < settings.rounds; round++) {
    const inTurn = round % 2 === 0 ? entrants : entrants.toReversed();
    const runners = await startAll(inTurn, comparison, settings.scratch);
    const tell = (text: string): void => settings.tell(`${round + 1} ${text}`);
    for (const work of settings.works) await measure(runners, work, { ...settings, tell });
    // what a server keeps, not what it has not cleared away yet
    await Bun.sleep(REST_MS);
    for (const { up, folder, figures } of runners) {
      figures.loadedMb.push(up.megabytes());
      await up.stop();
      rmSync(folder, { recursive: true });
    }
  }
  return comparison;
}
