/** What plain query strings mean is what the package makes of them. */
import { expect, test } from "bun:test";
import { parse } from "qs";
import { parseQueryString } from "../../../src/api/rest/query-string.ts";
import { Random } from "../../random.ts";

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
