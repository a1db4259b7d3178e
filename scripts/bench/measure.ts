/** Measures one server that has been started afresh: memory, then each workload. */
import { type Load, load, type Measured } from "./load.ts";
import type { Up } from "./target.ts";
import { verify } from "./verify.ts";
import type { Ids, Work } from "./works.ts";

/** What is known of a target after some rounds; a value per round. */
export interface Figures {
  readonly startMs: number[];
  readonly idleMb: number[];
  readonly loadedMb: number[];
  /** By the workload's name. */
  readonly works: Record<string, Measured[]>;
}

export const noFigures = (): Figures => ({ startMs: [], idleMb: [], loadedMb: [], works: {} });

export interface Content {
  readonly ids: Ids;
  readonly articles: number;
}

/** A second for compilers and caches of the server to see the workload. */
const WARM_SECONDS = 1;

/** The lines of a workload for a target: the floor may answer them at a path of its own. */
function linesFor(work: Work, content: Content, isFloor: boolean): readonly string[] {
  return isFloor && typeof work.floor === "string"
    ? [`GET\t${work.floor}`]
    : work.requests(content.ids, content.articles);
}

/** Works that write come last in the table, so that all others are measured on the same content. */
export async function measure(
  up: Up,
  works: readonly Work[],
  content: Content,
  figures: Figures,
  options: Omit<Load, "offset"> & { readonly isFloor: boolean; readonly tell: (text: string) => void },
): Promise<void> {
  figures.startMs.push(up.startMs);
  figures.idleMb.push(up.megabytes());
  let offset = 0;
  for (const work of works) {
    const lines = linesFor(work, content, options.isFloor);
    await verify(up.url, work, lines);
    load(up.url, lines, { ...options, seconds: WARM_SECONDS, offset: ++offset });
    const measured = load(up.url, lines, { ...options, offset: ++offset });
    figures.works[work.name] ??= [];
    figures.works[work.name]?.push(measured);
    options.tell(`${work.name}: ${measured.rate.toFixed(0)}/s, p99 ${measured.p99Ms.toFixed(1)} ms`);
  }
  figures.loadedMb.push(up.megabytes());
}
