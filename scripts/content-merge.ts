#!/usr/bin/env bun
/**
 * Merges random pairs of edits of content files with git, with and without the merge driver. Exits with 1 if a merge is not as it must
 * be; a seed makes the same pairs again.
 *
 *   bun scripts/content-merge.ts [--pairs 1000] [--seed N]
 */
import { parseArgs } from "node:util";
import { run } from "./content-merge/run.ts";

const { values: options } = parseArgs({
  options: { pairs: { type: "string", default: "1000" }, seed: { type: "string", default: "20261126" } },
});
const { different, same, apart, failures } = run(Number(options.pairs), Number(options.seed));
console.log(
  `${different} pairs of edits of different fields, ${same} of the same field, ${apart} of different documents`,
);
for (const failure of failures) console.log(failure);
console.log(`${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
