import { expect, test } from "bun:test";
import { type DateKind, readDate, showDate } from "../../src/ui/widgets/date-text.ts";

test.each<[string, DateKind, string | undefined]>([
  ["2026-01-31", "date", "2026-01-31"],
  ["2026-1-5", "date", "2026-01-05"],
  ["2026-02-30", "date", undefined],
  ["2026-13-01", "date", undefined],
  ["2026-01-31 09:30", "date", undefined],
  ["tomorrow", "date", undefined],
  ["2026-01-31T09:30", "datetime", "2026-01-31T09:30"],
  ["2026-01-31 9:30 pm", "datetime", "2026-01-31T21:30"],
  ["2026-01-31", "datetime", "2026-01-31T00:00"],
  ["2026-01-31 25:00", "datetime", undefined],
  ["9", "time", "09:00"],
  ["930", "time", "09:30"],
  ["1430", "time", "14:30"],
  ["14:30:05.5", "time", "14:30:05.500"],
  ["12 am", "time", "00:00"],
  ["12:15pm", "time", "12:15"],
  ["13 pm", "time", undefined],
  ["24:00", "time", undefined],
  ["9".repeat(100_000), "time", undefined],
])("%p as a %s is %p", (text, kind, value) => expect(readDate(text, kind)).toBe(value));

test("what is shown is read again", () => {
  for (const value of ["2026-01-31", "0001-01-01", "9999-12-31"]) expect(readDate(showDate(value), "date")).toBe(value);
  expect(readDate(showDate("2026-01-31T09:30:05.120"), "datetime")).toBe("2026-01-31T09:30:05.120");
});
