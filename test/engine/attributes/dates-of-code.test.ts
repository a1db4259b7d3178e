/** Dates that a project's code gives to attributes: they are in the server's time zone, as in Strapi. */
import { expect, test } from "bun:test";
import { scalarTypes } from "../../../src/engine/attributes/index.ts";

const given = new Date(2026, 2, 4, 5, 6, 7, 8);

test.each([
  ["date", "2026-03-04"],
  ["time", "05:06:07.008"],
  ["datetime", given.toISOString()],
] as const)("a %s is stored as %s", (type, stored) => {
  expect(scalarTypes[type].store!(given)).toBe(stored);
});

test("an invalid date is refused", () => {
  expect(() => scalarTypes.date.store!(new Date(Number.NaN))).toThrow("Invalid format, expected yyyy-MM-dd");
  expect(() => scalarTypes.time.store!(new Date(Number.NaN))).toThrow();
});
