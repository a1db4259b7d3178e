/** JSON files of a project. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProjectJson } from "../../src/lib/project-json.ts";

const root = mkdtempSync(join(tmpdir(), "galley-json-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a byte order mark is ignored", () => {
  writeFileSync(join(root, "marked.json"), '\uFEFF{"a": 1}');
  expect(readProjectJson(root, "marked.json")).toEqual({ a: 1 });
});

test("an invalid file is named", () => {
  writeFileSync(join(root, "broken.json"), "[{");
  expect(() => readProjectJson(root, "broken.json")).toThrow(
    /^broken\.json: is not valid JSON \(line \d+, column \d+: .+\)$/,
  );
});

test("a file that cannot be read is not called invalid", () => {
  mkdirSync(join(root, "folder.json"));
  expect(() => readProjectJson(root, "folder.json")).toThrow(/^folder\.json: cannot be read \(.+\)$/);
});
