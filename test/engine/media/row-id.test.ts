import { expect, test } from "bun:test";
import { rowId } from "../../../src/engine/media/row-id.ts";

test.each<[unknown, number | undefined]>([
  [7, 7],
  ["7", 7],
  [" +7.0 ", 7],
  ["7.", 7],
  ["70e-1", 7],
  [".7e1", 7],
  ["7.5", undefined],
  ["seven", undefined],
  ["0x7", undefined],
  [".", undefined],
  ["-7", undefined],
  ["", undefined],
  [[7], undefined],
])("%j as an id is %p", (value, expected) => expect(rowId(value)).toBe(expected));

// takes a minute if a digit can be matched in two ways
test("a long text that is nearly a number is refused quickly", () => {
  expect(rowId(`${"0".repeat(100_000)}E`)).toBeUndefined();
});
