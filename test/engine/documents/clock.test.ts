/** Times of documents are strictly increasing, and never far in the future. */
import { afterEach, expect, setSystemTime, test } from "bun:test";
import { Clock } from "../../../src/lib/clock.ts";

afterEach(() => {
  setSystemTime();
});

test("returns distinct times within one millisecond", () => {
  setSystemTime(new Date("2026-01-01T00:00:00.000Z"));
  const clock = new Clock();
  expect([clock.writeTime(), clock.writeTime()]).toEqual(["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z"]);
});

test("follows a system clock that was set back", () => {
  const clock = new Clock();
  setSystemTime(new Date("2030-01-01T00:00:00.000Z"));
  const wrong = clock.writeTime();
  setSystemTime(new Date("2026-01-01T00:00:00.000Z"));
  expect(clock.writeTime()).toBe("2026-01-01T00:00:00.000Z");
  // times that others wrote while the clock was wrong are not followed
  clock.follow(wrong);
  expect(clock.writeTime()).toBe("2026-01-01T00:00:00.001Z");
  // within a second it is another process's clock, or the pace of writes
  setSystemTime(new Date("2025-12-31T23:59:59.500Z"));
  expect(clock.writeTime()).toBe("2026-01-01T00:00:00.002Z");
});
