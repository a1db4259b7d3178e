#!/usr/bin/env bun
/**
 * Changes schemas at random, goes back to earlier ones, writes, publishes and kills the server meanwhile, and checks that the
 * published version of a document has what the draft of the same save has.
 *
 *   bun scripts/walk.ts [--steps 2000] [--seed 1] [--executable FILE]
 */
import { parseArgs } from "node:util";
import { runWalk } from "./walk/run.ts";

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    executable: { type: "string" },
  },
});
const started = performance.now();
const { edits, checkouts, kills, writes, publishes, compared, problems } = await runWalk({
  steps: Number(values.steps),
  seed: Number(values.seed),
  ...(values.executable ? { program: [values.executable] } : {}),
  progress: (step) => {
    if (step % 200 === 0) console.log(`${step} steps`);
  },
});
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(
  `${values.steps} steps in ${seconds} s: ${edits} edits of the schema, ${checkouts} checkouts, ${kills} kills, ` +
    `${writes} writes, ${publishes} of them published, ${compared} values compared, ${problems.length} problems`,
);
for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
process.exit(problems.length > 0 ? 1 : 0);
