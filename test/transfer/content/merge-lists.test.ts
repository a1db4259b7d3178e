import { describe, expect, test } from "bun:test";
import { mergeFiles } from "../../../src/transfer/content/merge.ts";

type List = readonly unknown[];
type Case = [name: string, base: List, ours: List, theirs: List, merged: List, conflicts?: unknown[]];

const cases = (list: Case[]) =>
  test.each(list)("%s", (...row) => {
    const [, base, ours, theirs, merged, conflicts = []] = row as unknown as Case;
    const { file, conflicts: found } = mergeFiles({ list: base }, { list: ours }, { list: theirs });
    expect(file).toEqual(merged.length === 0 ? {} : { list: merged });
    expect(found.map((conflict) => ({ ...conflict, path: conflict.path.slice(1) })) as unknown[]).toEqual(conflicts);
  });

describe("names", () => {
  const many = Array.from({ length: 3_000 }, (_, number) => `n${number}`);
  cases([
    ["both append", ["a"], ["a", "x"], ["a", "y"], ["a", "x", "y"]],
    ["both append the same", ["a"], ["a", "x"], ["a", "x", "y"], ["a", "x", "y"]],
    ["the first of each", [], ["x"], ["y", "x"], ["y", "x"]],
    ["the same in another order", [], ["x", "y"], ["y", "x"], ["x", "y"]],
    ["one prepends, one appends", ["a"], ["x", "a"], ["a", "y"], ["x", "a", "y"]],
    ["one removes, one appends", ["a", "b"], ["b"], ["a", "b", "c"], ["b", "c"]],
    ["one removes all, one appends", ["a", "b"], [], ["a", "b", "c"], ["c"]],
    ["both replace", ["a"], ["x"], ["y"], ["x", "y"]],
    ["one moves, one appends", ["a", "b", "c"], ["c", "a", "b"], ["a", "b", "c", "d"], ["c", "a", "b", "d"]],
    ["one moves, one removes", ["a", "b", "c"], ["c", "a", "b"], ["a", "b"], ["a", "b"]],
    [
      "each moves another",
      ["a", "b", "c", "d", "e"],
      ["e", "a", "b", "c", "d"],
      ["a", "c", "d", "b", "e"],
      ["e", "a", "c", "d", "b"],
    ],
    ["both move alike", ["a", "b", "c"], ["c", "a", "b"], ["c", "a", "b", "d"], ["c", "a", "b", "d"]],
    ["one exchanges two, one adds before them", ["a", "b"], ["b", "a", "c"], ["x", "b", "a"], ["x", "b", "a", "c"]],
    [
      "both move one differently",
      ["a", "b", "c", "d", "e"],
      ["e", "a", "b", "c", "d"],
      ["a", "b", "e", "c", "d"],
      ["e", "a", "b", "c", "d"],
      [
        {
          path: [],
          base: ["a", "b", "c", "d", "e"],
          ours: ["e", "a", "b", "c", "d"],
          theirs: ["a", "b", "e", "c", "d"],
        },
      ],
    ],
    ["several of the same", ["a", "b", "a"], ["a", "b", "a", "a"], ["b", "a"], ["b", "a", "a"]],
    [
      "links to other locales",
      [{ document: "a", locale: "de" }],
      [],
      [{ document: "a", locale: "fr" }],
      [{ document: "a", locale: "fr" }],
    ],
    [
      "links with more than a locale",
      [{ document: "a" }],
      [{ document: "a", status: "draft" }],
      [{ document: "a", field: "b" }],
      [
        { document: "a", status: "draft" },
        { document: "a", field: "b" },
      ],
    ],
    ["long ones", many, many.toReversed(), [...many, "x"], [...many.toReversed(), "x"]],
    [
      "long ones that are replaced",
      many,
      many.map((name) => `o${name}`),
      ["x", ...many],
      [...many.map((name) => `o${name}`), "x"],
    ],
  ]);
});

describe("components", () => {
  const [a, b, c] = [1, 2, 3].map((n) => ({ __component: "page.text", text: `text ${n}`, size: n, color: `c${n}` }));
  cases([
    [
      "one changes the first, one the last",
      [a, b],
      [{ ...a, size: 9 }, b],
      [a, { ...b, size: 8 }],
      [
        { ...a, size: 9 },
        { ...b, size: 8 },
      ],
    ],
    [
      "each changes another field of the same",
      [a, b],
      [{ ...a, size: 9 }, b],
      [{ ...a, text: "new" }, b],
      [{ ...a, size: 9, text: "new" }, b],
    ],
    ["one moves what the other changes", [a, b, c], [c, a, b], [a, b, { ...c, size: 9 }], [{ ...c, size: 9 }, a, b]],
    [
      "one moves and changes what the other changes",
      [a, b, c],
      [{ ...c, text: "new" }, a, b],
      [a, b, { ...c, size: 9 }],
      [{ ...c, text: "new", size: 9 }, a, b],
    ],
    ["one inserts before what the other changes", [a, b], [c, a, b], [{ ...a, size: 9 }, b], [c, { ...a, size: 9 }, b]],
    [
      "one changes and inserts at once",
      [a],
      [c, { ...a, size: 9 }],
      [{ ...a, text: "new" }],
      [c, { ...a, size: 9, text: "new" }],
    ],
    ["one appends what the other puts in the place of another", [a], [a, c], [c], [c]],
    ["both change different ones to the same", [a, b], [{ ...c }, b], [a, { ...c }], [c, c]],
    ["one removes, one inserts after it", [a, b], [b], [a, c, b], [c, b]],
    [
      "both change the same field",
      [b, a],
      [c, b, { ...a, size: 8 }],
      [b, { ...a, size: 9 }],
      [c, b, { ...a, size: 8 }],
      [{ path: [2, "size"], base: 1, ours: 8, theirs: 9 }],
    ],
    [
      "one removes what the other changes",
      [a, b, c],
      [a, c],
      [a, { ...b, size: 9 }, c],
      [a, c],
      [{ path: [1], base: b, ours: undefined, theirs: { ...b, size: 9 } }],
    ],
    [
      "one changes what the other removes",
      [a, b, c],
      [a, { ...b, size: 9 }, c],
      [a, c],
      [a, { ...b, size: 9 }, c],
      [{ path: [1], base: b, ours: { ...b, size: 9 }, theirs: undefined }],
    ],
    [
      "another component in the place of one is another entry",
      [a, b],
      [{ ...a, __component: "page.other" }, b],
      [a, { ...b, size: 9 }],
      [
        { ...a, __component: "page.other" },
        { ...b, size: 9 },
      ],
    ],
  ]);
});

describe("blocks", () => {
  const block = (text: string, ...more: object[]) => ({
    type: "paragraph",
    children: [{ type: "text", text }, ...more],
  });
  const [one, two, empty] = [block("The first paragraph."), block("The second one."), block("")];
  cases([
    [
      "different paragraphs",
      [one, empty, two],
      [block("The 1st paragraph."), empty, two],
      [one, empty, block("The 2nd one.")],
      [block("The 1st paragraph."), empty, block("The 2nd one.")],
    ],
    [
      "empty paragraphs added by both",
      [one, empty, two],
      [one, empty, two, empty],
      [empty, one, empty, two],
      [empty, one, empty, two, empty],
    ],
    [
      "a text in an empty one, others added",
      [one, empty, two, empty],
      [empty, one, empty, two, empty, one],
      [one, block("Now"), two, empty],
      [empty, one, block("Now"), two, empty, one],
    ],
    [
      "one makes it a heading, one changes its text",
      [one],
      [{ ...one, type: "heading", level: 2 }],
      [block("The 1st paragraph.")],
      [{ ...block("The 1st paragraph."), type: "heading", level: 2 }],
    ],
    [
      "the same paragraph",
      [two, one],
      [two, block("The 1st paragraph.")],
      [block("New"), two, block("The last paragraph.")],
      [block("New"), two, block("The 1st paragraph.")],
      [
        {
          path: [2, "children", 0, "text"],
          base: "The first paragraph.",
          ours: "The 1st paragraph.",
          theirs: "The last paragraph.",
        },
      ],
    ],
  ]);
});

describe("JSON", () => {
  cases([
    ["numbers have places", [10, 20], [11, 20], [10, 21], [11, 21]],
    [
      "lists of lists",
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 9],
        [3, 4],
      ],
      [
        [1, 2],
        [8, 4],
      ],
      [
        [1, 9],
        [8, 4],
      ],
    ],
    ["the same number", [10, 20], [11, 20], [12, 20], [11, 20], [{ path: [0], base: 10, ours: 11, theirs: 12 }]],
    ["null is an entry", [null, 1], [null, 1, 2], [1], [1, 2]],
  ]);
});
