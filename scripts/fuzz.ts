#!/usr/bin/env bun
/**
 * Sends generated requests to servers and looks at what they do to them: no failure (5xx), no long stop of the main thread,
 * no answer beyond the limit, no growth. A seed and an index make the same request again.
 *
 *   bun scripts/fuzz.ts [--requests 50000] [--processes 1] [--seed N] [--seconds N] [--index N] [--own-code] [--quiet]
 *
 * Each process has a share of the requests, and a seed of its own: N, N + 1 and so on. --index sends the requests of that
 * one's batch up to it, each batch being sent to a server as it was at the start. --own-code: the project has routes, hooks and
 * resolvers of its own. Exits with 1 after the first problems.
 */
import { parseArgs } from "node:util";
import { type Figures, run } from "./fuzz/run.ts";

const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "50000" },
    processes: { type: "string", default: "1" },
    seed: { type: "string", default: "20261122" },
    seconds: { type: "string" },
    index: { type: "string" },
    "own-code": { type: "boolean", default: false },
    quiet: { type: "boolean", default: false },
  },
});
const seed = Number(options.seed);
const processes = Number(options.processes);
const requests = Number(options.requests);

/** Ctrl-C: the figures of what was done so far. */
let isEnding = false;
const children: Bun.Subprocess[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isEnding = true;
    for (const child of children) child.kill(signal);
  });

/** A process of its own. Its lines go to ours; it sends its figures when it ends, also after a signal. */
async function runApart(ownSeed: number): Promise<Figures | undefined> {
  let figures: Figures | undefined;
  const own = ["--seed", `${ownSeed}`, "--requests", `${Math.ceil(requests / processes)}`];
  const seconds = options.seconds === undefined ? [] : ["--seconds", options.seconds];
  const flags = (["quiet", "own-code"] as const).filter((name) => options[name]).map((name) => `--${name}`);
  const child = Bun.spawn([process.execPath, import.meta.path, ...own, ...seconds, ...flags], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message: Figures) => {
      figures = message;
    },
  });
  children.push(child);
  const code = await child.exited;
  if (!figures) console.log(`PROBLEM with seed ${ownSeed}: the process ended with ${child.signalCode ?? code}`);
  return figures;
}

async function runHere(): Promise<Figures> {
  let deadline = Number.POSITIVE_INFINITY;
  if (options.seconds !== undefined) deadline = performance.now() + Number(options.seconds) * 1_000;
  return run({
    seed,
    requests,
    ownCode: options["own-code"],
    only: options.index === undefined ? undefined : Number(options.index),
    isOver: () => isEnding || performance.now() > deadline,
    report: console.log,
    log: options.quiet ? () => undefined : (line) => console.log(`seed ${seed}: ${line}`),
  });
}

const seeds = Array.from({ length: processes }, (_, index) => seed + index);
const all = processes > 1 ? await Promise.all(seeds.map(runApart)) : [await runHere()];
const ended = all.filter((figures) => figures !== undefined);
const sum = (of: (figures: Figures) => number): number => ended.reduce((total, figures) => total + of(figures), 0);
const most = (of: (figures: Figures) => number): number => Math.max(...ended.map(of));
const problems = sum((figures) => figures.problems) + all.length - ended.length;
if (process.send) process.send(ended[0]);
else {
  const statuses = ["1xx", "2xx", "3xx", "4xx", "5xx"]
    .map((status) => `${status} ${sum((figures) => figures.statuses[status] ?? 0)}`)
    .filter((text) => !text.endsWith(" 0"));
  console.log(
    `${sum((figures) => figures.requests)} requests (${seeds.length > 1 ? `seeds ${seed} to ${seeds.at(-1)}` : `seed ${seed}`}; ${statuses.join(", ")}), ${problems} problems; longest stop ${Math.round(most((figures) => figures.longestStop))} ms, largest answer ${most((figures) => figures.largestAnswer)} bytes, growth ${Math.round(most((figures) => figures.growth) / 2 ** 20)} MB`,
  );
}
process.exit(problems > 0 ? 1 : 0);
