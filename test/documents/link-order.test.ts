/** Long lists of entries that are placed beside each other. */
import { expect, test } from "bun:test";
import { connectOrders } from "../../src/documents/link-order.ts";

const COUNT = 8_000;

test("a chain of entries, each placed after the next one, is followed without a copy of it for each entry", () => {
  const keys = Array.from({ length: COUNT }, (_, at) => at + 1);
  const chain = keys.map((key) => (key < COUNT ? { key, position: { after: key + 1 } } : { key }));
  const before = process.memoryUsage().rss;
  const orders = connectOrders([], chain, true, () => false);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  const sorted = [...orders].sort(([, a], [, b]) => a - b).map(([key]) => key);
  expect(new Set(sorted)).toEqual(new Set(keys));
});

test("entries that are placed beside each other in a circle are refused", () => {
  const circle = [1, 2, 3].map((key) => ({ key, position: { before: (key % 3) + 1 } }));
  expect(() => connectOrders([], circle, true, () => false)).toThrow("circular reference");
});
