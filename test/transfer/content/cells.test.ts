import { describe, expect, test } from "bun:test";
import { fileOfCells, listCells } from "../../../src/transfer/content/cells.ts";
import type { ContentFile } from "../../../src/transfer/content/content-file.ts";
import { rebaseFile } from "../../../src/transfer/content/rebase.ts";
import { Random } from "../../random.ts";
import { RandomFiles } from "./random-file.ts";

const file: ContentFile = {
  $id: "abc",
  $locale: "en",
  $createdAt: "2024-01-01T00:00:00.000Z",
  title: "Draft",
  "a.b": 1,
  summary: "Not published",
  $published: { title: "Public", summary: null },
  $locales: { de: { title: "Entwurf", $published: true }, "zh-Hans": {} },
};

const flat = (value: ContentFile): object =>
  Object.fromEntries([...listCells(value)].map(([key, cell]) => [key, cell.value]));

test("every fact of a file has a cell", () => {
  expect(flat(file)).toEqual({
    $id: "abc",
    $locale: "en",
    $createdAt: "2024-01-01T00:00:00.000Z",
    title: "Draft",
    '["a.b"]': 1,
    summary: "Not published",
    $published: true,
    "$published.title": "Public",
    "$published.summary": null,
    '$published["a.b"]': 1,
    "$locales.de": true,
    "$locales.de.title": "Entwurf",
    "$locales.de.$published": true,
    "$locales.de.$published.title": "Entwurf",
    "$locales.zh-Hans": true,
  });
  expect(listCells(file).get("$locales.de.$published.title")?.path).toEqual(["$locales", "de", "$published", "title"]);
});

describe("a file and its cells are the inverse of each other", () => {
  test("with the order of keys", () => {
    expect(JSON.stringify(fileOfCells(listCells(file)))).toBe(JSON.stringify(file));
  });

  test("for random files", () => {
    const files = new RandomFiles(new Random(1));
    for (let count = 0; count < 500; count++) {
      const made = files.file();
      const cells = listCells(made);
      expect(fileOfCells(cells)).toEqual(made);
      expect(listCells(fileOfCells(cells))).toEqual(cells);
    }
  });

  test.each(["__proto__", "constructor", "toString", "locales.de", "0", "a b", ""])("with an attribute %p", (name) => {
    const made = JSON.parse(
      `{ ${JSON.stringify(name)}: 1, "$published": true, "$locales": { "de": { ${JSON.stringify(name)}: 2 } } }`,
    );
    expect(JSON.stringify(fileOfCells(listCells(made)))).toBe(JSON.stringify(made));
    expect(listCells(made).size).toBe(5);
  });
});

test.each([
  [
    "a published value that is the draft's is not stated",
    { title: "a", $published: { title: "a" } },
    { title: "a", $published: true },
  ],
  ["an empty locale", { $locales: { de: null } }, { $locales: { de: {} } }],
])("the shortest form: %s", (_, made, normal) => {
  expect(fileOfCells(listCells(made as never))).toEqual(normal as ContentFile);
});

test.each([
  ["of the draft", { tags: [], title: null }],
  ["of the published version", { tags: ["a"], $published: { tags: null, title: null } }],
  ["of a locale", { price: 1, $locales: { de: { price: null, $published: { tags: [] } } } }],
])("null and empty lists are kept: %s", (_, made) => {
  expect(fileOfCells(listCells(made as ContentFile))).toEqual(made as ContentFile);
});

test("cells of versions that are not there are left out", () => {
  const cells = new Map(listCells(file));
  for (const key of ["$published", "$locales.de"]) cells.delete(key);
  const { $published, $locales, ...rest } = file;
  expect(fileOfCells(cells)).toEqual({ ...rest, $locales: { "zh-Hans": {} } });
});

test("changes of a locale are carried over to it, wherever files have it", () => {
  const before: ContentFile = { $locale: "fr", title: "Un", price: 1 };
  const after: ContentFile = { $locale: "de", title: "Eins", price: 1, $locales: { fr: { title: "Le premier" } } };
  const target: ContentFile = { $locale: "fr", title: "Un", note: "kept", price: 1 };
  expect(rebaseFile(target, before, after)).toEqual({
    $locale: "de",
    title: "Eins",
    price: 1,
    $locales: { fr: { title: "Le premier", note: "kept" } },
  });
});
