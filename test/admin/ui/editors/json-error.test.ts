import { expect, test } from "bun:test";
import { parseJson } from "../../../../src/admin/ui/editors/json/json-error.ts";

test.each([
  ["", null],
  [" \n", null],
  ['{"a": [1, "b"]}', { a: [1, "b"] }],
])("%p is a value", (text, value) => {
  expect(parseJson(text)).toEqual({ value });
});

test.each([
  ["x", 0],
  ["[1, 2", 6],
  ['{"a": }', 6],
  ['{"a": 1,}', 8],
  ["[1 2]", 3],
  ["{\n  a: 1\n}", 4],
  ['["a]', 1],
])("%p is not, from %d on", (text, offset) => {
  const parsed = parseJson(text);
  if (!("error" in parsed)) throw new Error("it is a value");
  // engines differ by a character about where a token that is cut off went wrong
  expect(Math.abs(parsed.error.offset - offset)).toBeLessThanOrEqual(1);
  expect(parsed.error.message).toStartWith("This is not JSON");
});
