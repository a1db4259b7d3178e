import { expect, test } from "bun:test";
import { parseQueryString } from "../../src/api/rest/query-string.ts";
import { ParsedQueries } from "../../src/project-code/http/parsed-queries.ts";

/** Also returns the texts that were parsed. */
function counted() {
  const parsed: string[] = [];
  const queries = new ParsedQueries((search) => {
    parsed.push(search);
    return { ...parseQueryString(search) };
  });
  return { queries, parsed };
}

const TEXT = "filters[tags][$in][0]=a&filters[tags][$in][1]=b&populate=author&empty=&none";

test("a text is parsed once, and every copy may be changed", () => {
  const { queries, parsed } = counted();
  const first = queries.of(TEXT).copy();
  expect(first).toEqual(parseQueryString(TEXT));
  (first.filters as { tags: { $in: string[] } }).tags.$in.push("c");
  first.populate = "*";
  expect(queries.of(TEXT).copy()).toEqual(parseQueryString(TEXT));
  expect(parsed).toEqual([TEXT]);
  expect(queries.of("").copy()).toEqual({});
});

test("a query is the same until a value or a name in it changes", () => {
  const { queries } = counted();
  type Query = Record<string, unknown>;
  const tags = (query: Query) => (query.filters as { tags: { $in: string[] } }).tags.$in;
  const changes: readonly ((query: Query) => unknown)[] = [
    (query) => (query.populate = "tags"),
    (query) => (tags(query)[1] = "c"),
    (query) => tags(query).pop(),
    (query) => (query.more = "x"),
    (query) => delete query.none,
    (query) => (query.filters = "x"),
    (query) => (query.empty = {}),
    // the order of `sort` matters
    (query) => {
      const { filters } = query;
      delete query.filters;
      query.filters = filters;
    },
  ];
  expect(queries.of(TEXT).isSame(queries.of(TEXT).copy())).toBe(true);
  expect(queries.of("").isSame({})).toBe(true);
  for (const change of changes) {
    const query = queries.of(TEXT).copy();
    change(query);
    expect(queries.of(TEXT).isSame(query)).toBe(false);
  }
});

test("long texts, and more texts than are kept, are parsed again", () => {
  const { queries, parsed } = counted();
  const long = `a=${"x".repeat(3_000)}`;
  for (let time = 0; time < 2; time++) expect(queries.of(long).copy()).toEqual({ a: "x".repeat(3_000) });
  expect(parsed).toHaveLength(2);
  for (let time = 0; time < 2; time++) for (let n = 0; n < 600; n++) queries.of(`n=${n}`).copy();
  expect(parsed.length).toBeGreaterThan(700);
});

test("what cannot be parsed is refused each time", () => {
  const { queries } = counted();
  const many = Array.from({ length: 5_000 }, (_, n) => `p${n}[a]=1`).join("&");
  for (let time = 0; time < 2; time++) expect(() => queries.of(many).copy()).toThrow("The query string is too large");
});

test("the JSON of a query is that of the query, also when it was another before", () => {
  const { queries } = counted();
  const made: readonly ((query: Record<string, unknown>) => unknown)[] = [
    () => undefined,
    (query) => (query.populate = { author: { fields: ["name"] } }),
    (query) => (query.populate = { author: { fields: ["slug"] } }),
    (query) => (query.sort = { a: "asc", b: "asc" }),
    (query) => (query.sort = { b: "asc", a: "asc" }),
    (query) => delete query.populate,
    (query) => (query.limit = 1),
    (query) => (query.limit = "1"),
  ];
  const check = (make: (typeof made)[number]): void => {
    const query = queries.of(TEXT).copy();
    make(query);
    expect(queries.of(TEXT).jsonOf(query)).toBe(JSON.stringify(query));
  };
  for (const make of made) {
    for (let time = 0; time < 4; time++) check(make);
    for (const other of made) check(other);
  }
});

test("a query with values that JSON does not show has no JSON", () => {
  const { queries } = counted();
  const values = [undefined, 1n, Number.NaN, new Date(0), () => 1, { toJSON: () => 1 }, [undefined]];
  for (let time = 0; time < 4; time++) {
    queries.of(TEXT).jsonOf(queries.of(TEXT).copy());
    for (const value of values) expect(queries.of(TEXT).jsonOf({ ...queries.of(TEXT).copy(), value })).toBeUndefined();
  }
});

test("the query string of a query is made again when a value or the order changes", () => {
  const { queries } = counted();
  const made: string[] = [];
  const stringify = (query: Record<string, unknown>): string => {
    made.push(JSON.stringify(query));
    return JSON.stringify(query);
  };
  const orders = [{ a: "1", b: "2" }, { b: "2", a: "1" }, { a: "1" }, { a: 1 }, { a: [] }, { a: {} }, { a: null }];
  for (let time = 0; time < 4; time++)
    for (const order of orders) expect(queries.of(TEXT).searchOf({ ...order }, stringify)).toBe(JSON.stringify(order));
  made.length = 0;
  for (let time = 0; time < 5; time++) queries.of(TEXT).searchOf({ a: { b: ["c"] } }, stringify);
  expect(made).toHaveLength(2);
  const date = { a: new Date(0) };
  for (let time = 0; time < 5; time++) queries.of(TEXT).searchOf(date, stringify);
  expect(made).toHaveLength(7);
});
