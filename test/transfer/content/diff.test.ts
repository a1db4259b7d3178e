import { describe, expect, test } from "bun:test";
import type { ContentFile } from "../../../src/transfer/content/content-file.ts";
import { type Difference, diffFiles } from "../../../src/transfer/content/diff.ts";
import { quickest, threadTime } from "../../processor-time.ts";
import { Random } from "../../random.ts";
import { RandomFiles } from "./random-file.ts";

type File = ContentFile | undefined;
type Case = [name: string, before: File, after: File, differences: Difference[]];

const cases = (list: Case[]) =>
  test.each(list)("%s", (...row) => {
    const [, before, after, differences] = row as unknown as Case;
    expect(diffFiles(before, after)).toEqual(differences);
    expect(JSON.parse(JSON.stringify(diffFiles(before, after)))).toEqual(differences);
  });

const translated: File = { $locale: "en", a: 1, $locales: { de: { a: 2 } } };

describe("documents and versions", () => {
  cases([
    ["none", undefined, undefined, []],
    ["a document added", undefined, { a: 1 }, [{ path: [], after: { a: 1 } }]],
    ["a document removed", { a: 1 }, undefined, [{ path: [], before: { a: 1 } }]],
    ["an id", { a: 1 }, { $id: "x", a: 1 }, [{ path: ["$id"], after: "x" }]],
    ["a locale added", { $locale: "en", a: 1 }, translated, [{ path: ["$locales", "de"], after: { a: 2 } }]],
    ["a locale removed", translated, { $locale: "en", a: 1 }, [{ path: ["$locales", "de"], before: { a: 2 } }]],
    [
      "a field of a locale",
      translated,
      { ...translated, $locales: { de: { a: 3 } } },
      [{ path: ["$locales", "de", "a"], before: 2, after: 3 }],
    ],
    [
      "the locale at the top removed",
      translated,
      { $locale: "de", a: 2 },
      [{ path: ["$locales", "en"], before: { a: 1 } }],
    ],
    ["another name of the locale at the top", { a: 1 }, { $locale: "en", a: 1 }, [{ path: ["$locale"], after: "en" }]],
    ["the time of the last change is not compared", { $updatedAt: "2024", a: 1 }, { $updatedAt: "2025", a: 1 }, []],
    ["null is no value", { a: null }, { b: null }, []],
    ["an empty list may be one", {}, { json: [] }, [{ path: ["json"], after: [] }]],
    [
      "null in a locale is not what is left out",
      { a: 1, $locales: { de: {} } },
      { a: 1, $locales: { de: { a: null } } },
      [{ path: ["$locales", "de", "a"], after: null }],
    ],
    ["publication", { a: 1 }, { a: 1, $published: true }, [{ path: ["$published"], after: true }]],
    [
      "publication with a change",
      { a: 1 },
      { a: 2, $published: { a: 1 } },
      [
        { path: ["a"], before: 1, after: 2 },
        { path: ["$published"], after: { a: 1 } },
      ],
    ],
    ["its end", { a: 1, $published: true }, { a: 1 }, [{ path: ["$published"], before: true }]],
  ]);
});

describe("fields of a published document", () => {
  cases([
    [
      "changed in the draft",
      { a: 1, $published: true },
      { a: 2, $published: { a: 1 } },
      [{ path: ["a"], before: 1, after: 2 }],
    ],
    ["added in the draft", { $published: true }, { a: 2, $published: { a: null } }, [{ path: ["a"], after: 2 }]],
    [
      "changed in both versions",
      { a: 1, $published: true },
      { a: 2, $published: true },
      [{ path: ["a"], before: 1, after: 2, isPublished: true }],
    ],
    [
      "published",
      { a: 2, $published: { a: 1 } },
      { a: 2, $published: true },
      [{ path: ["$published", "a"], before: 1, after: 2 }],
    ],
    [
      "removed from the published version",
      { a: 2, $published: true },
      { a: 2, $published: { a: null } },
      [{ path: ["$published", "a"], before: 2 }],
    ],
    [
      "hidden in the published version of a locale",
      { a: 2, $locales: { de: { $published: true } } },
      { a: 2, $locales: { de: { $published: { a: null } } } },
      [{ path: ["$locales", "de", "$published", "a"], after: null }],
    ],
  ]);
});

describe("values", () => {
  const none = { added: [], removed: [], moved: [], changed: [] };
  const [a, b, c] = [1, 2, 3].map((n) => ({ __component: "page.text", text: `The text of component ${n}`, size: n }));
  cases([
    ["an attribute removed", { a: 1, b: 1 }, { b: 1 }, [{ path: ["a"], before: 1 }]],
    [
      "a field of a single component",
      { seo: { t: 1, d: 1 } },
      { seo: { t: 2, d: 1 } },
      [{ path: ["seo", "t"], before: 1, after: 2 }],
    ],
    ["another order of keys is none", { seo: { t: 1, d: 1 } }, { seo: { d: 1, t: 1 } }, []],
    [
      "a link to another locale",
      { l: { document: "x", locale: "de" } },
      { l: { document: "x", locale: "fr" } },
      [{ path: ["l"], before: { document: "x", locale: "de" }, after: { document: "x", locale: "fr" } }],
    ],
    [
      "names of a list",
      { tags: ["a", "b", "c", "d"] },
      { tags: ["x", "d", "a", "c"] },
      [
        {
          path: ["tags"],
          before: ["a", "b", "c", "d"],
          after: ["x", "d", "a", "c"],
          entries: {
            ...none,
            added: [{ index: 0, value: "x" }],
            removed: [{ index: 1, value: "b" }],
            moved: [{ from: 3, to: 1, value: "d" }],
          },
        },
      ],
    ],
    [
      "entries that are moved and changed",
      { zone: [a, b, c] },
      { zone: [{ ...c, size: 9 }, a, { ...b, text: "New" }] },
      [
        {
          path: ["zone"],
          before: [a, b, c],
          after: [{ ...c, size: 9 }, a, { ...b, text: "New" }],
          entries: {
            ...none,
            moved: [{ from: 2, to: 0, value: c }],
            changed: [
              { from: 1, to: 2, differences: [{ path: ["text"], before: b!.text, after: "New" }] },
              { from: 2, to: 0, differences: [{ path: ["size"], before: 3, after: 9 }] },
            ],
          },
        },
      ],
    ],
    [
      "an inserted entry moves no others",
      { zone: [a, b] },
      { zone: [c, a, b] },
      [{ path: ["zone"], before: [a, b], after: [c, a, b], entries: { ...none, added: [{ index: 0, value: c }] } }],
    ],
    ["a list that was empty", {}, { tags: ["a"] }, [{ path: ["tags"], after: ["a"] }]],
  ]);
});

test("a random file differs from itself in nothing, and from an edited one in what is reported", () => {
  for (let seed = 0; seed < 500; seed++) {
    const files = new RandomFiles(new Random(seed));
    const base = files.file();
    expect(diffFiles(base, structuredClone(base))).toEqual([]);
    const edited: ContentFile = { ...files.edit(base), title: files.text() };
    const differences = diffFiles(base, edited);
    expect(differences.map(({ path }) => path)).toContainEqual(["title"]);
    const turn = ({ path }: Difference) => path.join(" ");
    expect(diffFiles(edited, base).map(turn).sort()).toEqual(differences.map(turn).sort());
  }
});

test("long lists in which everything has changed are compared in a moment", async () => {
  const list = (text: string) => Array.from({ length: 3_000 }, (_, index) => ({ [text]: `${text} ${index}` }));
  const [before, after] = [{ list: list("before") }, { list: list("after") }] as unknown as [ContentFile, ContentFile];
  const time = await quickest(300, async () => {
    const start = threadTime();
    diffFiles(before, after);
    return threadTime() - start;
  });
  expect(time).toBeLessThan(300);
});
