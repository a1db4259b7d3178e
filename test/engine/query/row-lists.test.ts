/** Cached lists of ids: they equal what the database returns, and save statements. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { type ListQuery, listLength, listPage } from "../../../src/engine/query/row-lists.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { Random } from "../../random.ts";

const ROWS = 1_000;
let storage: Storage;
beforeEach(() => {
  storage?.close();
  storage = Storage.open(":memory:");
  storage.run("CREATE TABLE things (id INTEGER PRIMARY KEY, status TEXT, locale TEXT, size INTEGER)");
  storage.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO things (id, size) SELECT i, (i * 7919) % 101 FROM n`,
  );
});
afterAll(() => storage.close());

const larger = (size: number): ListQuery => ({
  table: "things",
  index: undefined,
  where: "t.size >= ?",
  whereParams: [size],
  order: "t.size, t.id",
  orderParams: [],
  isFiltered: true,
  columns: ["size"],
  countKey: `larger than ${size}`,
  key: `larger than ${size}, in order`,
});
const expected = (size: number): number[] =>
  storage.all("SELECT id FROM things WHERE size >= ? ORDER BY size, id", [size]).map(([id]) => Number(id));

/** Statements that `work` runs, once the table's size and indexes are known. */
function statements(work: () => void): number {
  listPage(storage, larger(1_000), { start: 0, limit: 1 }, false);
  const before = storage.statements;
  work();
  return storage.statements - before;
}

describe("a list without a total", () => {
  test("reads only the page at first", () => {
    const read = statements(() => {
      for (let size = 0; size < 50; size++) listPage(storage, larger(size), { start: 0, limit: 10 }, false);
    });
    expect(read).toBe(50);
  });

  test("prefetches later pages", () => {
    const pages: (readonly number[])[] = [];
    const read = statements(() => {
      for (let start = 0; start < ROWS; start += 10)
        pages.push(listPage(storage, larger(0), { start, limit: 10 }, false));
    });
    expect(pages.flat()).toEqual(expected(0));
    expect(read).toBeLessThan(8);
  });

  test("knows the total after its last page was read", () => {
    for (let time = 0; time < 2; time++) listPage(storage, larger(50), { start: 0, limit: 800 }, false);
    expect(statements(() => listLength(storage, larger(50)))).toBe(0);
    expect(listLength(storage, larger(50))).toBe(expected(50).length);
  });
});

test("reads a filtered list with a total completely, in one statement", () => {
  const read = statements(() => {
    listPage(storage, larger(3), { start: 0, limit: 10 }, true);
    listPage(storage, larger(3), { start: 500, limit: 10 }, true);
    expect(listLength(storage, larger(3))).toBe(expected(3).length);
  });
  expect(read - 1).toBe(1);
});

test("returns the same pages as the database while rows are added and removed", () => {
  const random = new Random(20);
  for (let step = 0; step < 2_000; step++) {
    if (random.chance(0.02)) storage.run("DELETE FROM things WHERE id = ?", [random.below(ROWS)]);
    if (random.chance(0.02)) storage.run("INSERT INTO things (size) VALUES (?)", [random.below(101)]);
    const size = random.below(4) * 30;
    const start = random.chance(0.1) ? 10 ** random.below(15) : random.below(ROWS + 50);
    const limit = random.chance(0.1) ? 10 ** random.below(15) : random.below(120);
    const query = { ...larger(size), isFiltered: random.chance(0.5) };
    const page = listPage(storage, query, { start, limit }, random.chance(0.2));
    const all = expected(size);
    expect(page).toEqual(all.slice(start, start + limit));
    if (random.chance(0.3)) expect(listLength(storage, larger(size))).toBe(all.length);
  }
});

test("counts a list without conditions in the statement that reads its page", () => {
  const everything: ListQuery = { ...larger(0), where: "1", whereParams: [], isFiltered: false };
  const read = statements(() => {
    expect(listPage(storage, everything, { start: 20, limit: 10 }, true)).toEqual(expected(0).slice(20, 30));
    expect(listLength(storage, everything)).toBe(ROWS);
  });
  expect(read - 1).toBe(1);
  expect(listPage(storage, everything, { start: ROWS, limit: 10 }, true)).toEqual([]);
});

test("pages far behind the start are prefetched as well, and those before them are read", () => {
  storage.run(
    "INSERT INTO things (id, size) WITH RECURSIVE n(i) AS (SELECT 100000 UNION ALL SELECT i + 1 FROM n WHERE i < 345000) SELECT i, 0 FROM n",
  );
  const everything: ListQuery = { ...larger(0), where: "1", whereParams: [], order: "t.id", isFiltered: false };
  const all = storage.all("SELECT id FROM things ORDER BY id").map(([id]) => Number(id));
  const page = (start: number, limit = 100) => {
    expect(listPage(storage, everything, { start, limit }, false)).toEqual(all.slice(start, start + limit));
  };
  const read = statements(() => {
    for (let start = 199_950; start < 241_000; start += 100) page(start);
  });
  expect(read).toBeLessThan(10);
  for (const start of [210_000, 240_000, 0, 225_000, all.length - 50, all.length + 50, 230_000, 199_999]) page(start);
  page(205_000, 60_000);
  page(0, 230_000);
});
