/** Measures one server that has been started afresh: memory, then each workload. */
import { type Load, load, type Measured } from "./load.ts";
import type { Up } from "./target.ts";
import { verify } from "./verify.ts";
import type { Work } from "./works.ts";

/** What is known of a target after some rounds; a value per round. */
export interface Figures {
  readonly startMs: number[];
  readonly idleMb: number[];
  readonly loadedMb: number[];
  /** By the workload's name. */
  readonly works: Record<string, Measured[]>;
  /** Why a workload was not measured, by its name. */
  readonly problems: Record<string, string>;
}

export const noFigures = (): Figures => ({ startMs: [], idleMb: [], loadedMb: [], works: {}, problems: {} });

export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly works: readonly Work[];
  /** A folder for whatever is needed in between. */
  readonly scratch: string;
  readonly tell: (text: string) => void;
}

const REST_MS = 10_000;
/** A second for compilers and caches of the server to see the workload. */
const WARM_SECONDS = 1;

export type LinesOf = (work: Work) => readonly string[];

/** Works that write come last in their table, so that all others are measured on the same content. */
export async function measure(up: Up, linesOf: LinesOf, figures: Figures, settings: Settings): Promise<void> {
  figures.startMs.push(up.startMs);
  figures.idleMb.push(up.megabytes());
  let offset = 0;
  const next = (seconds: number): Load => ({ ...settings, seconds, offset: ++offset });
  for (const work of settings.works) {
    const lines = linesOf(work);
    try {
      await verify(up.url, work, lines);
      load(up.url, lines, next(WARM_SECONDS));
      const measured = load(up.url, lines, next(settings.seconds));
      const all = figures.works[work.name] ?? [];
      figures.works[work.name] = all;
      all.push(measured);
      settings.tell(
        `${work.name}: ${measured.rate.toFixed(0)}/s, p99 ${measured.p99Ms.toFixed(1)} ms, ${up.megabytes().toFixed(0)} MB`,
      );
    } catch (error) {
      const { message } = error as Error;
      figures.problems[work.name] = message;
      settings.tell(`${work.name} is not measured: ${message}`);
    }
  }
  // what a server keeps, not what it has not cleared away yet
  await Bun.sleep(REST_MS);
  figures.loadedMb.push(up.megabytes());
}
