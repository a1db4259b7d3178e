/** The page has one style sheet, which every other one is part of. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const UI = join(import.meta.dir, "../../src/ui");
const INDEX = "styles/index.css";

test("every style sheet is part of the page's", () => {
  const imports = [...readFileSync(join(UI, INDEX), "utf8").matchAll(/@import "([^"]+)"/g)].map(([, path]) =>
    relative(UI, join(UI, "styles", path ?? "")),
  );
  const sheets = readdirSync(UI, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".css"));
  expect(imports.sort()).toEqual(sheets.filter((file) => file !== INDEX).sort());
});
