/** Long lists of entries with positions relative to each other. */
import { describe, expect, test } from "bun:test";
import { connectAt, connectOrders } from "../../../src/engine/documents/link-order.ts";
import { threadTime } from "../../processor-time.ts";

const COUNT = 8_000;

test("follows a chain of entries, each placed after the next one, in linear space", () => {
  const keys = Array.from({ length: COUNT }, (_, at) => at + 1);
  const chain = keys.map((key) => (key < COUNT ? { key, position: { after: key + 1 } } : { key }));
  const before = process.memoryUsage().rss;
  const orders = connectOrders([], chain, true, () => false);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  const sorted = [...orders].sort(([, a], [, b]) => a - b).map(([key]) => key);
  expect(new Set(sorted)).toEqual(new Set(keys));
});

test("refuses circular positions", () => {
  const circle = [1, 2, 3].map((key) => ({ key, position: { before: (key % 3) + 1 } }));
  expect(() => connectOrders([], circle, true, () => false)).toThrow("circular reference");
});

describe("takes linear time for thousands of entries", () => {
  const MANY = 15_000;
  const numbers = (from = 0): number[] => Array.from({ length: MANY }, (_, at) => at + 1 + from);
  type Positions = (at: number) => Parameters<typeof connectAt>[1][number]["position"];
  const cases: Readonly<Record<string, { readonly current?: number[]; readonly position: Positions }>> = {
    "without positions": { position: () => undefined },
    "at the start": { position: () => ({ start: true }) },
    "at the end": { position: () => ({ end: true }) },
    "each after the one before": { position: (at) => (at === 0 ? undefined : { after: at }) },
    "each before the next one": { position: (at) => (at === MANY - 1 ? undefined : { before: at + 2 }) },
    "all after one": { current: [MANY + 1], position: () => ({ after: MANY + 1 }) },
    "each before one that is there": { current: numbers(MANY), position: (at) => ({ before: MANY + at + 1 }) },
    "that are there already": { current: numbers(), position: () => ({ start: true }) },
  };
  for (const [name, { current = [], position }] of Object.entries(cases)) {
    test(name, () => {
      const entries = numbers().map((key, at) => ({ key, position: position(at) }));
      const before = threadTime();
      const list = connectAt(current, entries, new Set(), true);
      expect(new Set(list).size).toBe(new Set([...current, ...numbers()]).size);
      expect(threadTime() - before).toBeLessThan(1_500);
    });
  }

  test("each next to a disconnected one", () => {
    const gone = numbers().filter((id) => id % 2 === 1);
    const entries = gone.map((id) => ({ key: MANY + id, position: { after: id } }));
    const before = threadTime();
    expect(connectAt(numbers(), entries, new Set(gone), true).length).toBe(MANY);
    expect(threadTime() - before).toBeLessThan(1_500);
  });
});

test("keeps the order of entries with the same neighbour", () => {
  const positions = [{ start: true }, { before: 2 }, { after: 2 }, { end: true }, { before: 2 }, { after: 1 }] as const;
  const entries = positions.map((position, at) => ({ key: 10 + at, position }));
  expect(connectAt([1, 2, 3], entries, new Set(), true)).toEqual([10, 1, 15, 11, 14, 2, 12, 3, 13]);
  expect(connectAt([1, 2, 3], entries, new Set([2]), true)).toEqual([10, 1, 15, 11, 14, 12, 3, 13]);
});
