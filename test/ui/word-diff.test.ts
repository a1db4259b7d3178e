import { expect, test } from "bun:test";
import { changedParts } from "../../src/ui/widgets/word-diff.ts";
import { Random } from "../random.ts";

const marked = (text: string, other: string): string =>
  changedParts(text, other)
    .map((part) => (part.isChanged ? `[${part.text}]` : part.text))
    .join("");

test.each([
  ["a word is replaced", "one two three", "one four three", "one [two] three"],
  ["a word is added at the end", "one two", "one", "one[ two]"],
  ["only the other text has more", "one", "one two", "one"],
  ["equal texts have no mark", "one\ntwo", "one\ntwo", "one\ntwo"],
  ["an empty text has no part", "", "one", ""],
])("%s", (_, text, other, expected) => expect(marked(text, other)).toBe(expected));

test("the parts are the text, whatever the other is", () => {
  const random = new Random(3);
  const make = (): string => Array.from({ length: random.below(40) }, () => "a b\n é😀,"[random.below(8)]).join("");
  for (let round = 0; round < 300; round++) {
    const [text, other] = [make(), make()];
    expect(
      changedParts(text, other)
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
  }
});

test("long texts without a common word are marked as a whole, within a second", () => {
  const words = (letter: string): string => Array.from({ length: 20_000 }, (_, index) => `${letter}${index}`).join(" ");
  const began = process.cpuUsage();
  expect(changedParts(words("a"), words("b"))).toEqual([{ text: words("a"), isChanged: true }]);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000);
});
