import { expect, test } from "bun:test";
import { diffLines } from "../../src/ui/widgets/line-diff.ts";
import { Random } from "../random.ts";

const shown = (before: string, after: string): string[] =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

test.each([
  ["a line in between is added", "a\nc\n", "a\nb\nc\n", [" a", "+b", " c"]],
  ["a line is replaced", "a\nb\nc\n", "a\nx\nc\n", [" a", "-b", "+x", " c"]],
  ["equal lines are not a change", "a\na\n", "a\na\n", [" a", " a"]],
  ["a repeated line is removed once", "a\na\na\n", "a\na\n", [" a", " a", "-a"]],
  ["a new file is added", "", "a\n", ["+a"]],
])("%s", (_, before, after, lines) => expect(shown(before, after)).toEqual(lines));

test("what stays and what is removed is the old text, what stays and what is added the new one", () => {
  const random = new Random(7);
  for (let round = 0; round < 300; round++) {
    const text = (): string[] => Array.from({ length: random.below(12) }, () => "abc"[random.below(3)]!);
    const [before, after] = [text(), text()];
    const lines = diffLines(before.map((line) => `${line}\n`).join(""), after.map((line) => `${line}\n`).join(""));
    const without = (kind: string) => lines.filter((line) => line.kind !== kind).map((line) => line.text);
    expect(without("added")).toEqual(before);
    expect(without("removed")).toEqual(after);
  }
});
