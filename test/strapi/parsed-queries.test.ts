/** Parsed query strings of own code: each request gets a copy, which code may change. */
import { expect, test } from "bun:test";
import { parseQueryString } from "../../src/api/rest/query-string.ts";
import { ParsedQueries } from "../../src/strapi/koa/parsed-queries.ts";

/** Also returns the strings that were parsed. */
function counted() {
  const parsed: string[] = [];
  const queries = new ParsedQueries({
    parseQuery: (search) => {
      parsed.push(search);
      return { ...parseQueryString(search) };
    },
    stringifyQuery: JSON.stringify,
  });
  return { queries, parsed };
}

const TEXT = "filters[tags][$in][0]=a&filters[tags][$in][1]=b&populate=author&empty=&none";

test("a string is parsed once, and every copy may be changed", () => {
  const { queries, parsed } = counted();
  const first = queries.parse(TEXT);
  expect(first).toEqual({ ...parseQueryString(TEXT) });
  (first.filters as { tags: { $in: string[] } }).tags.$in.push("c");
  first.populate = "*";
  expect(queries.parse(TEXT)).toEqual({ ...parseQueryString(TEXT) });
  expect(parsed).toEqual([TEXT]);
  expect(queries.parse("")).toEqual({});
});

test("strings of many clients do not stay in memory, and long ones are not kept", () => {
  const { queries, parsed } = counted();
  for (let page = 0; page < 501; page++) queries.parse(`page=${page}`);
  queries.parse("page=0");
  expect(parsed.length).toBe(502);
  const long = `a=${"x".repeat(2_001)}`;
  queries.parse(long);
  queries.parse(long);
  expect(parsed.length).toBe(504);
});
