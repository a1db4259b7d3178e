import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKeptResponses } from "../../../src/server/mirror/kept-responses.ts";

test("responses without a body are bounded in number, and files of removed ones are gone in the next process", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-kept-"));
  const kept = createKeptResponses(folder, 20_000);
  for (let number = 0; number < 10; number++) {
    const file = kept.unfinishedFile();
    writeFileSync(file, "");
    kept.keep(String(number), file, 0, { status: 404, headers: {} });
  }
  const found = Array.from({ length: 10 }, (_, number) => kept.find(String(number)) !== undefined);
  expect(found.filter(Boolean).length).toBe(4);
  expect(found[9]).toBe(true);
  kept.close();
  createKeptResponses(folder, 20_000).close();
  expect(readdirSync(folder).filter((name) => !name.startsWith("responses.db")).length).toBe(4);
  rmSync(folder, { recursive: true });
});
