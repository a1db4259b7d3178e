import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Storage } from "../../../src/engine/storage/storage.ts";

test("the snapshot of a file is a database in memory, with what is still in the log", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-snapshot-"));
  const kept = Storage.open(join(folder, "content.db"));
  kept.setMeta("number", "1");
  const template = kept.snapshot();
  kept.close();
  rmSync(folder, { recursive: true });
  for (let count = 0; count < 2; count++) {
    const storage = Storage.fromSnapshot(template);
    expect(storage.meta("number")).toBe("1");
    storage.setMeta("number", "2");
    storage.close();
  }
});

test("a database that is being replaced is not trimmed", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-snapshot-"));
  const storage = Storage.open(join(folder, "content.db"));
  storage.trim();
  storage.close();
  expect(() => storage.trim()).not.toThrow();
  rmSync(folder, { recursive: true });
});
