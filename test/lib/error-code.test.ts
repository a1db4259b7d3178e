import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { findErrorCode } from "../../src/lib/error-code.ts";

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test.each([
  ["an error of the system", thrownBy(() => readFileSync("/absent/file")), "ENOENT"],
  ["another error", new Error("no code"), ""],
  ["a string", "ENOENT", ""],
  ["null", null, ""],
  ["undefined", undefined, ""],
])("the code of %s", (_name, thrown, code) => {
  expect(findErrorCode(thrown)).toBe(code);
});
