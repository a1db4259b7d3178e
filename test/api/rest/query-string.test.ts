/** What plain query strings mean is what the package makes of them. */
import { expect, test } from "bun:test";
import { parse } from "qs";
import { parseQueryString } from "../../../src/api/rest/query-string.ts";
import { RepeatedParams } from "../../../src/api/rest/repeated-params.ts";
import { Random } from "../../random.ts";

const repeated = new RepeatedParams();

const formByPackage = (text: string): unknown => parse(text, { depth: 5, allowDots: true, arrayLimit: 1000 });
const byPackage = (text: string): unknown =>
  parse(text, { depth: 20, arrayLimit: 1000, parameterLimit: 1000, strictNullHandling: true });

test.each([
  "a=1",
  "a=",
  "=a",
  "a",
  "a=1&",
  "&a=1",
  "a=1&&b=2",
  "a=1&a=2",
  "a=b=c",
  "0=a&1=b",
  "a=x,y&b=*",
  "a.b=1",
  "a[b]=1",
  "a=1+2&b=%20",
  "__proto__=1",
  "constructor=1&a=2",
  "toString=1",
  "hasOwnProperty=1&length=2",
  "a-b=1&c:d=2&e,f=3",
  `a=${"x".repeat(2000)}`,
])("%s", (text) => expect(parseQueryString(text)).toEqual(byPackage(text) as never));

test("whatever is put together", () => {
  const random = new Random(7);
  const letters = ["a", "b", "_", "-", ":", ",", "*", "=", "&", "1", "toString", "[", "]", ".", "+", "%20"];
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + random.below(12) }, () => random.pick(letters)).join("");
    expect(parseQueryString(text)).toEqual(byPackage(text) as never);
  }
});

test("parameters with a key, and those that are shared, in any order", () => {
  const random = new Random(8);
  const names = [
    "populate",
    "sort",
    "fields",
    "filters",
    "a",
    "pagination",
    "Sort",
    "sort ",
    "s%6Frt",
    "populate]",
    "__proto__",
  ];
  const keys = [
    ...["", "", "[b]", "[c]", "%5Bb%5D", "%5bc]", "[0]", "[]", "[b][c]", "[toString]", "[b_1]", "[b", "b]"],
    ...[
      "[b][$eq]",
      "%5Bb%5D%5B$eq%5D",
      "[b][c][$in]",
      "[b][c][0]",
      "[b][toString]",
      "[__proto__][b]",
      "[constructor][b]",
    ],
    ...["[b][__proto__][c]", "[b][c][d][e][f]", "[b][c][d][e][f][g]", "[b]%5bC%5d", "[5B]", "[b][5D]", "[b]c[d]"],
  ];
  const values = ["=1", "=", "", "=x,y:asc", "=*", "=a=b", "=%20", "=[b]"];
  for (let round = 0; round < 20_000; round++) {
    const part = (): string => random.pick(names) + random.pick(keys) + random.pick(values);
    const text = Array.from({ length: 1 + random.below(5) }, part).join("&");
    expect(parseQueryString(text)).toEqual(byPackage(text) as never);
    expect(parseQueryString(text, { form: true })).toEqual(formByPackage(text) as never);
    expect(repeated.parse(text, 1000)).toEqual(byPackage(text) as never);
  }
});

test("forms have five levels", () => {
  for (const text of ["a[b][c][d][e][f]=1", "a[b][c][d][e][f][g]=1", "a[b][c][d][e][f][g][h]=1&a[b]=2"])
    expect(parseQueryString(text, { form: true })).toEqual(formByPackage(text) as never);
});

test("what is shared cannot be changed", () => {
  const parse = () =>
    repeated.parse("populate[tags][fields][0]=label&n=1", 10) as { populate: { tags: { fields: string[] } } };
  expect(() => parse().populate.tags.fields.push("color")).toThrow(TypeError);
  expect(parse().populate).toBe(parse().populate);
  expect(() => repeated.parse("populate=*&a=1&b=2", 2)).toThrow("Only 2 parameters allowed");
});
