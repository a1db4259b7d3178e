/** How the answers of two servers to the same request are compared. */
import { describe, expect, test } from "bun:test";
import { compareAnswers, describeDifference, SameDocuments } from "../../src/server/contract/compare-answers.ts";

const ORIGINS = ["http://localhost:1337", "https://cms.example.org"];
const [ID, OTHER_ID, THIRD_ID] = ["a", "b", "c"].map((letter) => letter.repeat(24)) as [string, string, string];

function compare(here: unknown, there: unknown, documents = new SameDocuments()): string[] {
  const answers = [here, there].map((body) => ({ status: 200, body })) as [never, never];
  return compareAnswers(...answers, documents, ORIGINS).map(
    ({ kind, ...rest }) => `${kind} ${describeDifference({ kind, ...rest })}`,
  );
}

const file = (hash: string, more: object = {}) => ({
  mime: "image/png",
  url: `/uploads/cat_${hash}.png`,
  hash: `cat_${hash}`,
  size: 1,
  provider: "local",
  ...more,
});

describe("are the same", () => {
  test.each<[string, unknown, unknown]>([
    ["ids", { id: 1 }, { id: 27 }],
    [
      "document ids of one document",
      [{ documentId: ID }, { documentId: ID }],
      [{ documentId: OTHER_ID }, { documentId: OTHER_ID }],
    ],
    ["times of the system", { createdAt: "2026-01-01T00:00:00.000Z" }, { createdAt: "2025-02-01T00:00:00.000Z" }],
    ["keys in another order", { a: 1, b: 2 }, { b: 2, a: 1 }],
    [
      "files with other names on disk, encoded and stored in another way",
      file("0123456789"),
      file("abcdef0123", { size: 2, provider: "cloud", url: "https://cdn.example.org/x/cat_abcdef0123.png?v=1" }),
    ],
    ["URLs of a server in a text", { text: "see http://localhost:1337/a" }, { text: "see https://cms.example.org/a" }],
    [
      "files in a text",
      { text: "![](/uploads/cat_0123456789.png)" },
      { text: "![](https://cms.example.org/uploads/cat_abcdef0123.png)" },
    ],
  ])("%s", (_name, here, there) => {
    expect(compare(here, there)).toEqual([]);
  });
});

describe("differ", () => {
  test.each<[string, unknown, unknown, string[]]>([
    [
      "a field that is only there, or only here",
      { a: 1 },
      { b: 1 },
      ["added a: here 1, there nothing", "gone b: here nothing, there 1"],
    ],
    ["a null here", { a: null }, { a: [1] }, ["null a: here null, there [1]"]],
    ["a null there", { a: 1 }, { a: null }, ["value a: here 1, there null"]],
    [
      "a type",
      { a: "1", b: [], c: {} },
      { a: 1, b: {}, c: "x" },
      ['type a: here "1", there 1', "type b: here [], there {}", 'type c: here {}, there "x"'],
    ],
    ["an id that is none", { id: 1 }, { id: "1" }, ['type id: here 1, there "1"']],
    [
      "a document and another one",
      [{ documentId: ID }, { documentId: ID }],
      [{ documentId: OTHER_ID }, { documentId: THIRD_ID }],
      [`value [].documentId: here "${ID}", there "${THIRD_ID}"`],
    ],
    [
      "a draft and a published version",
      { publishedAt: null },
      { publishedAt: "2026-01-01T00:00:00.000Z" },
      ['null publishedAt: here null, there "2026-01-01T00:00:00.000Z"'],
    ],
    [
      "other times",
      { date: "2026-01-01" },
      { date: "2026-01-02" },
      ['value date: here "2026-01-01", there "2026-01-02"'],
    ],
    [
      "other files",
      file("0123456789"),
      file("0123456789", { url: "/uploads/dog_0123456789.png" }),
      ['value url: here "/uploads/cat_0123456789.png", there "/uploads/dog_0123456789.png"'],
    ],
    ["the order of a list", ["a", "b"], ["b", "a"], ['value []: here "a", there "b" (2 places)']],
    ["names with dots", { "a.b": 1 }, { "a.b": 2 }, ['value ["a.b"]: here 1, there 2']],
    ["keys of prototypes", JSON.parse('{"__proto__": 1}'), {}, ["added __proto__: here 1, there nothing"]],
  ])("%s", (_name, here, there, expected) => {
    expect(compare(here, there)).toEqual(expected);
  });
});

test("document ids are learned from answers that are alike only", () => {
  const documents = new SameDocuments();
  compare({ documentId: ID, name: "A" }, { documentId: OTHER_ID, name: "B" }, documents);
  expect(documents.translate(`/api/tags/${ID}`)).toBe(`/api/tags/${ID}`);
  expect(compare({ documentId: ID, name: "A" }, { documentId: THIRD_ID, name: "A" }, documents)).toEqual([]);
  expect(documents.translate(`/api/tags/${ID}?x=${OTHER_ID}`)).toBe(`/api/tags/${THIRD_ID}?x=${OTHER_ID}`);
  expect(compare({ documentId: OTHER_ID }, { documentId: THIRD_ID }, documents)).toHaveLength(1);
});

test("what is told has a limit", () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, "x".repeat(10_000)]));
  const lines = compare({}, many);
  expect(lines).toHaveLength(50);
  expect(lines.join("").length).toBeLessThan(7_000);
});
