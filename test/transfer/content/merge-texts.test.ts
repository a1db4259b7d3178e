import { describe, expect, test } from "bun:test";
import { markConflicts } from "../../../src/transfer/content/conflict-markers.ts";
import { UNKNOWN_BODY } from "../../../src/transfer/content/file-kinds.ts";
import type { FileForm } from "../../../src/transfer/content/file-text.ts";
import { parseFile } from "../../../src/transfer/content/file-text.ts";
import { mergeTexts } from "../../../src/transfer/content/merge-texts.ts";

const yaml: FileForm = { kind: "yaml" };
const markdown: FileForm = { kind: "markdown", body: UNKNOWN_BODY };
const json: FileForm = { kind: "json" };

const merge = (form: FileForm, base: string | undefined, ours: string, theirs: string, byLines?: string) =>
  mergeTexts({ base, ours, theirs, byLines }, form);

type Case = [name: string, form: FileForm, base: string, ours: string, theirs: string, merged: string];

describe("without conflicts", () => {
  test.each([
    ["neighbouring fields", yaml, "a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n", "a: 2\nb: 2\n"],
    [
      "our quotes and comments stay",
      yaml,
      "a: 1\nb: 1\n",
      "# A\na: '2'\nb: 1\n",
      "a: 1\nb: 2\n",
      "# A\na: '2'\nb: 2\n",
    ],
    ["their comments stay", yaml, "a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\n# B\nb: 2\n", "a: 2\n# B\nb: 2\n"],
    ["entries of a list", yaml, "t:\n  - a\n", "t:\n  - a\n  - b\n", "t:\n  - c\n  - a\n", "t:\n  - c\n  - a\n  - b\n"],
    [
      "front matter and text",
      markdown,
      "---\na: 1\n---\n\nx\n",
      "---\na: 2\n---\n\nx\n",
      "---\na: 1\n---\n\ny\n",
      "---\na: 2\n---\n\ny\n",
    ],
    ["Windows line ends", yaml, "a: 1\r\nb: 1\r\n", "a: 2\r\nb: 1\r\n", "a: 1\r\nb: 2\r\n", "a: 2\r\nb: 2\r\n"],
    ["JSON", json, '{"a": 1, "b": 1}', '{"a": 2, "b": 1}', '{"a": 1, "b": 2}', '{\n  "a": 2,\n  "b": 2\n}'],
    [
      "published by one side, edited by the other",
      yaml,
      "a: 1\n",
      "$published: true\na: 1\n",
      "a: 2\n",
      '$published: {"a":1}\na: 2\n',
    ],
  ] as Case[])("%s", (_, form, base, ours, theirs, merged) => {
    expect(merge(form, base, ours, theirs)).toEqual({ text: merged, conflicts: [] });
  });

  test("a merge by lines is taken if it says the same, since it has the comments of both", () => {
    const byLines = "# ours\na: 2\n\nb: 2\n# theirs\n";
    expect(merge(yaml, "a: 1\n\nb: 1\n", "# ours\na: 2\n\nb: 1\n", "a: 1\n\nb: 2\n# theirs\n", byLines)?.text).toBe(
      byLines,
    );
  });

  test("a merge by lines is not taken if it says something else", () => {
    const [base, ours, theirs] = ["t: [a, b]\n", "t: [a]\n", "t: [a, b, c]\n"];
    expect(merge(yaml, base, ours, theirs, "t: [a, b, c]\n")?.text).toBe("t: [a, c]\n");
  });
});

describe("with conflicts", () => {
  test.each([
    [
      "only the key in conflict has markers",
      yaml,
      "a: 1\nb: 1\n",
      "a: 2\nb: 1\n",
      "a: 3\nb: 2\n",
      "<<<<<<< ours\na: 2\n=======\na: 3\n>>>>>>> theirs\nb: 2\n",
    ],
    [
      "removed and changed",
      yaml,
      "a: 1\nb: 1\n",
      "b: 1\n",
      "a: 3\nb: 1\n",
      "b: 1\n<<<<<<< ours\n=======\na: 3\n>>>>>>> theirs\n",
    ],
    [
      "only the lines of a text that differ",
      markdown,
      "---\na: 1\n---\n\nx\n\ny\n",
      "---\na: 1\n---\n\nx\n\no\n",
      "---\na: 1\n---\n\nx\n\nt\n",
      "---\na: 1\n---\n\nx\n\n<<<<<<< ours\no\n=======\nt\n>>>>>>> theirs\n",
    ],
    [
      "a field of an entry",
      yaml,
      "p:\n  - n: 1\n    m: 1\n",
      "p:\n  - n: 2\n    m: 1\n",
      "p:\n  - n: 3\n    m: 1\n",
      "p:\n<<<<<<< ours\n  - n: 2\n=======\n  - n: 3\n>>>>>>> theirs\n    m: 1\n",
    ],
    [
      "Windows line ends",
      yaml,
      "a: 1\r\n",
      "a: 2\r\n",
      "a: 3\r\n",
      "<<<<<<< ours\r\na: 2\r\n=======\r\na: 3\r\n>>>>>>> theirs\r\n",
    ],
  ] as Case[])("%s", (_, form, base, ours, theirs, merged) => {
    const result = merge(form, base, ours, theirs);
    expect(result?.text).toBe(merged);
    expect(result?.conflicts.length).toBeGreaterThan(0);
    expect(() => parseFile(merged, form)).toThrow("a merge is not resolved");
  });

  test("a file that both added has two ids", () => {
    expect(merge(yaml, undefined, "$id: one\na: 1\n", "$id: two\na: 1\n")?.text).toBe(
      "<<<<<<< ours\n$id: one\n=======\n$id: two\n>>>>>>> theirs\na: 1\n",
    );
  });
});

describe("left to a merge by lines", () => {
  test.each([
    ["a text that is not valid", yaml, "a: 1\n", "a: [\n", "a: 2\n"],
    ["a base with conflict markers", yaml, "<<<<<<< x\na: 1\n=======\na: 0\n>>>>>>> y\n", "a: 3\n", "a: 2\n"],
    [
      "comments of both sides in the same place",
      yaml,
      "a: 1\nb: 1\n",
      "# ours\na: 2\nb: 1\n",
      "# theirs\na: 1\nb: 2\n",
    ],
    ["a comment of what the other side has removed", yaml, "a: 1\nb: 1\n", "b: 1\n# ours\n", "# theirs\na: 1\nb: 2\n"],
    ["a text below the front matter that cannot be printed", markdown, "x\n", "\u0007\n", "y\n"],
  ] as [string, FileForm, string, string, string][])("%s", (_, form, base, ours, theirs) => {
    expect(merge(form, base, ours, theirs)).toBeUndefined();
  });
});

test("either side of the markers is a text, also where lines are repeated", () => {
  const ours = "a\na\nb\nx\na\n";
  const theirs = "a\nb\na\na\ny\na\n";
  const marked = markConflicts(ours, theirs);
  const side = (kept: string) => marked.replace(/^<{7} ours\n([\s\S]*?)^={7}\n([\s\S]*?)^>{7} theirs\n/gm, kept);
  expect(side("$1")).toBe(ours);
  expect(side("$2")).toBe(theirs);
});
