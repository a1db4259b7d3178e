#!/usr/bin/env bun
/**
 * Kills servers at random moments and checks that no acknowledged write is lost and nothing is half there.
 *
 *   bun scripts/kill.ts [--kills 1000] [--seed 1] [--executable FILE]
 *
 * Imports are killed too (--imports, 20 by default), and servers that synchronise files of content (--content, 500 by default). Most other
 * kills are of one process, the others of a server with workers, where the system has them.
 */
import { parseArgs } from "node:util";
import { runContentKills } from "./kill/content.ts";
import { runImportKills } from "./kill/imports.ts";
import { runKills } from "./kill/run.ts";

const WORKERS = 2;
/** Servers with workers take longer to start. */
const SHARE_WITH_WORKERS = 0.3;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    imports: { type: "string", default: "20" },
    content: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    executable: { type: "string" },
  },
});
const total = Number(values.kills);
const withWorkers = process.platform === "linux" ? Math.floor(total * SHARE_WITH_WORKERS) : 0;
let failed = 0;
for (const [workers, count] of [
  [1, total - withWorkers],
  [WORKERS, withWorkers],
] as const) {
  const started = performance.now();
  const { kills, documents, uploads, schemaChanges, problems } = await runKills({
    kills: count,
    workers,
    seed: Number(values.seed),
    ...(values.executable ? { program: [values.executable] } : {}),
    progress: (round) => {
      if (round % 50 === 0) console.log(`${round} kills`);
    },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${kills} kills of ${workers === 1 ? "one process" : `${workers} workers`} in ${seconds} s: ` +
      `${documents} writes of documents and ${uploads} of files acknowledged, ${schemaChanges} changes of the schema, ${problems.length} problems`,
  );
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  failed += problems.length;
}
const program = values.executable ? [values.executable] : undefined;
const imports = await runImportKills({ kills: Number(values.imports), seed: Number(values.seed), program });
console.log(
  `${imports.kills} kills of imports: ${imports.kept} kept the earlier content, ${imports.replaced} had the new one, ${imports.problems.length} problems`,
);
for (const problem of imports.problems.slice(0, 20)) console.log(`  ${problem}`);
failed += imports.problems.length;
const content = await runContentKills({ kills: Number(values.content), seed: Number(values.seed), program });
console.log(
  `${content.kills} kills with files of content: ${content.writes} writes acknowledged, ${content.edits} files changed, ${content.conflicts} conflicts, ${content.problems.length} problems`,
);
for (const problem of content.problems.slice(0, 20)) console.log(`  ${problem}`);
failed += content.problems.length;
process.exit(failed > 0 ? 1 : 0);
