#!/usr/bin/env bun
/**
 * How fast Galley is: the compiled executable and a floor written by hand on the same content, in turn, started afresh
 * for each round. Prints a table with ratios.
 *
 *   bun scripts/bench.ts [--articles 10000] [--seconds 4] [--rounds 3] [--connections 8] [--only list,populate]
 *     [--cache DIR] [--json FILE]
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { leaveServerCore } from "./bench/cores.ts";
import { makeContent } from "./bench/data.ts";
import { type Figures, measure, noFigures } from "./bench/measure.ts";
import { executable, floor, start, stopAll } from "./bench/target.ts";
import { verifySame } from "./bench/verify.ts";
import { type Work, works } from "./bench/works.ts";
import { compile } from "./build.ts";

const { values: given } = parseArgs({
  options: {
    articles: { type: "string", default: "10000" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "8" },
    only: { type: "string" },
    cache: { type: "string" },
    json: { type: "string" },
  },
});
const articles = Number(given.articles);
const tell = (text: string): void => console.error(text);
const scratch = mkdtempSync(join(tmpdir(), "galley-bench-"));
const only = given.only?.split(",");
const chosen: readonly Work[] = works.filter(({ name }) => !only || only.includes(name));
try {
  const galley = executable(join(scratch, "galley"));
  await compile(join(scratch, "galley"));
  const { folder, ids } = await makeContent(given.cache ?? scratch, articles);
  leaveServerCore();
  const content = { ids, articles };
  const ready = join(scratch, "ready");
  cpSync(folder, ready, { recursive: true });
  const [one, other] = [await start(galley, ready), await start(floor, ready)];
  for (const work of chosen) {
    if (work.floor) await verifySame(one.url, other.url, work, work.requests(ids, articles));
  }
  await other.stop();
  await one.stop();
  const figures: Record<string, Figures> = { galley: noFigures(), floor: noFigures() };
  for (let round = 0; round < Number(given.rounds); round++) {
    for (const target of [galley, floor]) {
      const run = join(scratch, "run");
      rmSync(run, { recursive: true, force: true });
      cpSync(ready, run, { recursive: true });
      const up = await start(target, run);
      const isFloor = target === floor;
      await measure(up, isFloor ? chosen.filter((work) => work.floor) : chosen, content, figures[target.name]!, {
        connections: Number(given.connections),
        seconds: Number(given.seconds),
        scratch,
        isFloor,
        tell: (text) => tell(`${target.name} ${text}`),
      });
      await up.stop();
    }
  }
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  for (const { name } of chosen) {
    const [a, b] = [figures.galley, figures.floor].map((each) =>
      median((each?.works[name] ?? []).map(({ rate }) => rate)),
    );
    console.log(
      name.padEnd(10),
      a?.toFixed(0).padStart(8),
      b?.toFixed(0).padStart(8),
      (a! / b!).toFixed(2).padStart(6),
    );
  }
  if (given.json) writeFileSync(given.json, JSON.stringify(figures, null, 2));
} finally {
  await stopAll();
  rmSync(scratch, { recursive: true, force: true });
}
