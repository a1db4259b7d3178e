/** Published versions have what their drafts have after random changes of schemas, writes and kills. More: `scripts/walk.ts`. */
import { expect, test } from "bun:test";
import { runWalk } from "../../scripts/walk/run.ts";

test("a walk of 60 edits, checkouts, writes and kills", async () => {
  const { problems, edits, kills, publishes, compared } = await runWalk({ steps: 60, seed: 1 });
  expect(problems).toEqual([]);
  expect(edits).toBeGreaterThan(5);
  expect(kills).toBeGreaterThan(0);
  expect(publishes).toBeGreaterThan(5);
  expect(compared).toBeGreaterThan(20);
}, 240_000);
