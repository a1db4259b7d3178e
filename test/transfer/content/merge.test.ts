import { describe, expect, test } from "bun:test";
import type { ContentFile } from "../../../src/transfer/content/content-file.ts";
import { mergeFiles } from "../../../src/transfer/content/merge.ts";

type File = ContentFile | undefined;
type Case = [name: string, base: File, ours: File, theirs: File, merged: File, conflicts?: unknown[]];

const cases = (list: Case[]) =>
  test.each(list)("%s", (...row) => {
    const [, base, ours, theirs, merged, conflicts = []] = row as unknown as Case;
    expect(mergeFiles(base, ours, theirs)).toEqual({ file: merged, conflicts: conflicts as never });
  });

describe("values", () => {
  cases([
    ["changes of different attributes", { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
    ["the same change", { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
    ["removed by one side", { a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }, { b: 2 }],
    ["removed by null", { a: 1, b: 1 }, { a: null, b: 1 }, { a: 1, b: 2 }, { a: null, b: 2 }],
    ["removed by null and by leaving it out", { a: 1 }, { a: null }, {}, {}],
    ["added on one side, null on the other", {}, { a: null }, { a: 2 }, { a: 2 }],
    ["an empty list is kept", { a: [], b: 1 }, { a: [], b: 2 }, { a: [], b: 1 }, { a: [], b: 2 }],
    [
      "another order of keys is no change",
      { a: { b: 1, c: 1 } },
      { a: { c: 1, b: 1 } },
      { a: { b: 2, c: 1 } },
      { a: { b: 2, c: 1 } },
    ],
    [
      "of different changes, ours",
      { a: 1 },
      { a: 2 },
      { a: 3 },
      { a: 2 },
      [{ path: ["a"], base: 1, ours: 2, theirs: 3 }],
    ],
    ["added differently", {}, { a: 2 }, { a: 3 }, { a: 2 }, [{ path: ["a"], base: undefined, ours: 2, theirs: 3 }]],
    ["removed and changed", { a: 1 }, {}, { a: 3 }, {}, [{ path: ["a"], base: 1, ours: undefined, theirs: 3 }]],
    [
      "fields of a single component",
      { seo: { t: 1, d: 1 } },
      { seo: { t: 2, d: 1 } },
      { seo: { t: 1, d: 2 } },
      { seo: { t: 2, d: 2 } },
    ],
    [
      "the same field of a single component",
      { seo: { t: 1, d: 1 } },
      { seo: { t: 2, d: 1 } },
      { seo: { t: 3, d: 2 } },
      { seo: { t: 2, d: 2 } },
      [{ path: ["seo", "t"], base: 1, ours: 2, theirs: 3 }],
    ],
    [
      "a link to another locale is one value",
      { a: { document: "x", locale: "de" } },
      { a: { document: "y", locale: "de" } },
      { a: { document: "x", locale: "fr" } },
      { a: { document: "y", locale: "de" } },
      [
        {
          path: ["a"],
          base: { document: "x", locale: "de" },
          ours: { document: "y", locale: "de" },
          theirs: { document: "x", locale: "fr" },
        },
      ],
    ],
    [
      "attributes called like members of objects",
      {},
      { constructor: 1 } as never,
      { toString: 2 } as never,
      { constructor: 1, toString: 2 } as never,
    ],
  ]);

  test("an order of keys that one side changed is taken", () => {
    const base = { json: { b: 1, c: 1 } };
    for (const [ours, theirs] of [
      [{ json: { c: 1, b: 1 } }, base],
      [base, { json: { c: 1, b: 1 } }],
    ] as const) {
      expect(JSON.stringify(mergeFiles(base, ours, theirs).file)).toBe('{"json":{"c":1,"b":1}}');
    }
  });

  test("the order of keys is ours, and what they added follows", () => {
    const { file } = mergeFiles({ b: 1, a: 1 }, { b: 1, c: 1, a: 2 }, { x: 1, a: 1, b: 1, d: 1 });
    expect(Object.keys(file ?? {})).toEqual(["b", "c", "a", "x", "d"]);
  });
});

describe("times", () => {
  const [early, middle, late] = ["2024-01-01T00:00:00.000Z", "2024-06-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z"];
  cases([
    ["the last change", { $updatedAt: early }, { $updatedAt: late }, { $updatedAt: middle }, { $updatedAt: late }],
    ["the first creation", { $createdAt: late }, { $createdAt: middle }, { $createdAt: early }, { $createdAt: early }],
    [
      "the last publication",
      { $publishedAt: early },
      { $publishedAt: middle },
      { $publishedAt: late },
      { $publishedAt: late },
    ],
    [
      "in other notations",
      {},
      { $updatedAt: "2024-06-01T02:00:00+02:00" },
      { $updatedAt: early },
      { $updatedAt: "2024-06-01T02:00:00+02:00" },
    ],
    [
      "of a publication that one side ended",
      { $publishedAt: early, $published: true, a: 1 },
      { a: 1 },
      { $publishedAt: late, $published: true, a: 2 },
      { a: 2 },
    ],
  ]);
});

describe("the published version", () => {
  cases(
    [
      [
        "has what one side published, not what the other drafted",
        { a: 2, b: 1, $published: { a: 1 } },
        { a: 2, b: 1, $published: true },
        { a: 3, b: 1, $published: { a: 1 } },
        { a: 3, b: 1, $published: { a: 2 } },
      ],
      [
        "was first published by one side",
        { a: 1 },
        { a: 1, $published: true },
        { a: 2 },
        { a: 2, $published: { a: 1 } },
      ],
      [
        "has what both published",
        { a: 1, b: 1 },
        { a: 2, b: 1, $published: true },
        { a: 1, b: 2, $published: true },
        { a: 2, b: 2, $published: true },
      ],
      [
        "of one conflict with the draft",
        { a: 1, $published: true },
        { a: 2, $published: true },
        { a: 3, $published: true },
        { a: 2, $published: true },
        [{ path: ["a"], base: 1, ours: 2, theirs: 3 }],
      ],
      [
        "was published differently",
        { a: 1, $published: true },
        { a: 1, $published: { a: 2 } },
        { a: 1, $published: { a: 3 } },
        { a: 1, $published: { a: 2 } },
        [{ path: ["$published", "a"], base: 1, ours: 2, theirs: 3 }],
      ],
      [
        "has an attribute that the other side only drafted",
        { $published: true },
        { a: 2, $published: { a: null } },
        { a: 2, $published: true },
        { a: 2, $published: true },
      ],
      [
        "is deleted, while the draft has what it had",
        { a: 1, $published: true },
        { a: 1 },
        { a: 2, $published: true },
        { a: 2 },
      ],
      [
        "is deleted, with a value that no draft has",
        { a: 1, $published: { a: 2 } },
        { a: 1 },
        { a: 1, $published: { a: 3 } },
        { a: 1 },
        [{ path: ["$published"], base: { a: 2 }, ours: undefined, theirs: { a: 3 } }],
      ],
      [
        "hides what the top level has",
        { price: 1, $locales: { de: { $published: { price: null } } } },
        { price: 2, $locales: { de: { $published: { price: null } } } },
        { price: 1, $locales: { de: { a: 1, $published: { price: null } } } },
        { price: 2, $locales: { de: { a: 1, $published: { price: null } } } },
      ],
    ].map((row) => row as Case),
  );
});

describe("documents and locales", () => {
  const unchanged: File = { $updatedAt: "2024-01-01T00:00:00.000Z", a: 1, $locales: { de: { a: 1 } } };
  const saved: File = { ...unchanged, $updatedAt: "2025-01-01T00:00:00.000Z" };
  const changed: File = { ...unchanged, a: 2 };
  const without: File = { a: 1 };
  const translated: File = { a: 1, $locales: { de: { a: 2 } } };
  cases([
    ["deleted by us", unchanged, undefined, saved, undefined],
    ["deleted by them", unchanged, saved, undefined, undefined],
    ["deleted by both", unchanged, undefined, undefined, undefined],
    [
      "deleted and changed",
      unchanged,
      undefined,
      changed,
      undefined,
      [{ path: [], base: unchanged, ours: undefined, theirs: changed }],
    ],
    [
      "changed and deleted",
      unchanged,
      changed,
      undefined,
      changed,
      [{ path: [], base: unchanged, ours: changed, theirs: undefined }],
    ],
    ["added by one side", undefined, undefined, changed, changed],
    ["added by both", undefined, { a: 1 }, { a: 1, b: 1 }, { a: 1, b: 1 }],
    ["an id that was written back", { a: 1 }, { $id: "x", a: 1 }, { a: 2 }, { $id: "x", a: 2 }],
    [
      "a locale deleted by us",
      { a: 1, $locales: { de: { a: 1 } } },
      without,
      { a: 2, $locales: { de: { a: 1 } } },
      { a: 2 },
    ],
    [
      "a locale added by each",
      without,
      { a: 1, $locales: { de: {} } },
      { a: 1, $locales: { fr: {} } },
      { a: 1, $locales: { de: {}, fr: {} } },
    ],
    [
      "a locale deleted and changed",
      { a: 1, $locales: { de: { a: 1 } } },
      without,
      translated,
      without,
      [{ path: ["$locales", "de"], base: { a: 1 }, ours: undefined, theirs: { a: 2 } }],
    ],
    [
      "a locale changed and deleted",
      { a: 1, $locales: { de: { a: 1 } } },
      translated,
      without,
      translated,
      [{ path: ["$locales", "de"], base: { a: 1 }, ours: { a: 2 }, theirs: undefined }],
    ],
    [
      "the default locale deleted, and another changed",
      { a: 1, b: 1, $locales: { de: { a: 5, b: 5 } } },
      { $locale: "de", a: 5, b: 5 },
      { a: 1, b: 1, $locales: { de: { a: 5, b: 6 } } },
      { $locale: "de", a: 5, b: 6 },
    ],
    [
      "the default locale deleted and changed",
      { a: 1, $locales: { de: { a: 5 } } },
      { $locale: "de", a: 5 },
      { a: 2, $locales: { de: { a: 5 } } },
      { $locale: "de", a: 5 },
      [{ path: ["$locales", ""], base: { a: 1 }, ours: undefined, theirs: { a: 2 } }],
    ],
    [
      "each locale deleted by one side",
      { a: 1, $locales: { de: { a: 5 } } },
      { $locale: "de", a: 5 },
      { a: 1 },
      undefined,
    ],
    [
      "the default locale named by one side",
      { a: 1, b: 1 },
      { $locale: "en", a: 2, b: 1 },
      { a: 1, b: 2 },
      { $locale: "en", a: 2, b: 2 },
    ],
    [
      "the top level named differently",
      { a: 1 },
      { $locale: "en", a: 1 },
      { $locale: "fr", a: 2 },
      { $locale: "en", a: 2 },
      [{ path: ["$locale"], base: undefined, ours: "en", theirs: "fr" }],
    ],
  ]);
});
