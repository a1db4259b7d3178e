import { expect, test } from "bun:test";
import { runImportKills } from "../../scripts/kill/imports.ts";

test("an import that is killed leaves the earlier content or the new one", async () => {
  const { problems, kept, replaced } = await runImportKills({ kills: 4, seed: 7 });
  expect(problems).toEqual([]);
  expect(kept + replaced).toBe(4);
}, 120_000);
