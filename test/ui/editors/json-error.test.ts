import { expect, test } from "bun:test";
import { describeJsonError, jsonError } from "../../../src/ui/editors/json/json-error.ts";
import { parseJsonText } from "../../../src/ui/editors/json/json-text.ts";

test.each([
  ["", null],
  [" \n", null],
  ['{"a": [1, "b"]}', { a: [1, "b"] }],
])("%p is a value", (text, value) => {
  expect(jsonError(text)).toBeUndefined();
  expect(parseJsonText(text)).toEqual(value);
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
  const error = jsonError(text);
  if (!error) throw new Error("it is a value");
  // engines differ by a character about where a token that is cut off went wrong
  expect(Math.abs(error.offset - offset)).toBeLessThanOrEqual(1);
  expect(error.message).toStartWith("This is not JSON");
});

test("the place of an error is counted from 1", () => {
  const error = { message: "Wrong", offset: 4 };
  expect(describeJsonError(error, "[1,\nx]")).toBe("Wrong (line 2, column 1)");
  expect(describeJsonError({ ...error, offset: 0 }, "x")).toBe("Wrong (line 1, column 1)");
});
