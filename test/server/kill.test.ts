/** A server that is killed at random moments keeps what it has acknowledged, and nothing by halves. More: `scripts/kill.ts`, in CI. */
import { expect, test } from "bun:test";
import { runContentKills } from "../../scripts/kill/content.ts";
import { runKills } from "../../scripts/kill/run.ts";
import { PROGRAM } from "../program.ts";

const cases: readonly (readonly [name: string, kills: number, workers: number])[] = [
  ["12 kills of one process", 12, 1],
  ["4 kills of a server with workers", 4, 2],
];
for (const [name, kills, workers] of cases) {
  test.skipIf(workers > 1 && process.platform !== "linux")(
    name,
    async () => {
      const { problems, documents, schemaChanges } = await runKills({
        kills,
        workers,
        seed: 20_261_122,
        program: PROGRAM,
      });
      expect(problems).toEqual([]);
      expect(documents).toBeGreaterThan(kills);
      expect(schemaChanges).toBeGreaterThan(kills / 10);
    },
    240_000,
  );
}

test("10 kills of a server that synchronises files of content", async () => {
  const { problems, writes, edits } = await runContentKills({ kills: 10, seed: 20_261_126, program: PROGRAM });
  expect(problems).toEqual([]);
  expect(writes).toBeGreaterThan(10);
  expect(edits).toBeGreaterThan(10);
}, 240_000);
