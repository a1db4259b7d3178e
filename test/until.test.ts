/** Waits of tests last longer on a busy machine. */
import { expect, test } from "bun:test";
import { patience } from "./until.ts";

test("a wait grows with the load for each processor, and ends before its test does", () => {
  expect(patience(0, 2)).toBe(20_000);
  expect(patience(2, 2)).toBe(20_000);
  expect(patience(4, 2)).toBe(40_000);
  expect(patience(40, 2)).toBe(150_000);
});
