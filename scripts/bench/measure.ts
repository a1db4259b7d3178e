/** Measures workloads on servers that run side by side, by turns. */
import { load, nextNumber } from "./load.ts";
import { median } from "./median.ts";
import type { Up } from "./target.ts";
import { verify } from "./verify.ts";
import type { Work } from "./works.ts";

/** What is known of a target after some rounds; a value per round. */
export interface Figures {
  readonly startMs: number[];
  readonly startProcessorMs: number[];
  readonly idleMb: number[];
  readonly loadedMb: number[];
  /** Microseconds of processor time for a request, by the workload's name. */
  readonly works: Record<string, number[]>;
  /** Why a workload was not measured, by its name. */
  readonly problems: Record<string, string>;
}

export const noFigures = (): Figures => ({
  startMs: [],
  startProcessorMs: [],
  idleMb: [],
  loadedMb: [],
  works: {},
  problems: {},
});

export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly works: readonly Work[];
  /** A folder for whatever is needed in between. */
  readonly scratch: string;
  readonly tell: (text: string) => void;
}

/** The servers take turns this often, so that what else the machine does meets all of them. */
const TURNS = 8;

/** A server that is measured beside others. */
export interface Runner {
  readonly name: string;
  readonly up: Up;
  readonly figures: Figures;
  readonly lines: (work: Work) => readonly string[];
}

/**
 * What is wrong with a workload is among the figures, and ends it for all. Before, compilers and caches of the servers see the workload
 * for as much processor time as it is measured.
 */
export async function measure(runners: readonly Runner[], work: Work, settings: Settings): Promise<void> {
  const { connections, seconds, tell } = settings;
  const sendFor = ({ up, lines }: Runner, time: number) =>
    // from another place each time, so that one turn does not find what another has left in caches
    load(up, lines(work), { connections, seconds: time, first: nextNumber() });
  const times = new Map(runners.map((runner) => [runner, [] as number[]]));
  for (let turn = -1; turn < TURNS; turn++) {
    for (const runner of turn % 2 === 0 ? runners : runners.toReversed()) {
      try {
        if (turn < 0) await verify(runner.up.url, work, runner.lines(work));
        const { microseconds } = await sendFor(runner, turn < 0 ? seconds : seconds / TURNS);
        if (turn >= 0) times.get(runner)!.push(microseconds);
      } catch (error) {
        const { message } = error as Error;
        runner.figures.problems[work.name] = message;
        tell(`${runner.name} ${work.name} is not measured: ${message}`);
        return;
      }
    }
  }
  for (const [{ name, up, figures }, all] of times) {
    figures.works[work.name] = [...(figures.works[work.name] ?? []), ...all];
    tell(`${name} ${work.name}: ${median(all).toFixed(0)} µs, ${up.megabytes().toFixed(0)} MB`);
  }
}
