/** Messages for texts that are not JSON. Expected: those of Node 20, but for broken numbers, literals and escapes. */
import { expect, test } from "bun:test";
import { jsonProblem, locatedJsonProblem } from "../../src/lib/json-syntax.ts";
import { configFile, testApp, typeFile } from "../project.ts";

const cases: readonly [string, string][] = [
  ["", "Unexpected end of JSON input"],
  ["trux", "Unexpected token 't', \"trux\" is not valid JSON"],
  ["{", "Expected property name or '}' in JSON at position 1"],
  ["{'a':1}", "Expected property name or '}' in JSON at position 1"],
  ['{"a":}', 'Unexpected token \'}\', "{"a":}" is not valid JSON'],
  ['{"a":1,}', "Expected double-quoted property name in JSON at position 7"],
  ['{"a" 1}', "Expected ':' after property name in JSON at position 5"],
  ['{"a"', "Expected ':' after property name in JSON at position 4"],
  ['{"a":1', "Expected ',' or '}' after property value in JSON at position 6"],
  ["[1,2", "Expected ',' or ']' after array element in JSON at position 4"],
  ["[1,", "Unexpected end of JSON input"],
  ['{"a":1}x', "Unexpected non-whitespace character after JSON at position 7"],
  ['"abc', "Unterminated string in JSON at position 4"],
  ['"a\nb"', "Bad control character in string literal in JSON at position 2"],
  ['"\\x"', "Bad escaped character in JSON at position 2"],
  ['"\\u12g4"', "Bad escaped character in JSON at position 2"],
  ["[01]", "Expected ',' or ']' after array element in JSON at position 2"],
  ["[-]", "Unexpected token '-', \"[-]\" is not valid JSON"],
  ["[1.]", "Expected ',' or ']' after array element in JSON at position 2"],
  ["undefined", '"undefined" is not valid JSON'],
  ["[object Object]", '"[object Object]" is not valid JSON'],
  ["abcdefghijklmnopqrstuvwxyz", "Unexpected token 'a', \"abcdefghij\"... is not valid JSON"],
  ['["abcdefghijkl", nope, "abcdefghijkl"]', 'Unexpected token \'n\', ..."fghijkl", nope, "abc"... is not valid JSON'],
  ['["abcdefghijklmnopqrst", x]', 'Unexpected token \'x\', ..."nopqrst", x]" is not valid JSON'],
];
test.each(cases)("%j", (text, message) => {
  expect(jsonProblem(text)).toBe(message);
  expect(() => JSON.parse(text)).toThrow();
});

test("JSON has no problem", () => {
  for (const value of [1, -1.5e300, "ä\u0001\\", null, [[], {}, [{}]], { a: { b: [true, false] }, "": " " }])
    for (const space of [0, 2]) expect(jsonProblem(JSON.stringify(value, null, space))).toBeUndefined();
});

test.each([
  ["", "line 1, column 1: Unexpected end of JSON input"],
  ['{\r\n  "a": 1,\n}', "line 3, column 1: Expected double-quoted property name"],
  ['{\n  "a": }', "line 2, column 8: Unexpected token '}'"],
  ['["a\n"]', "line 1, column 4: Bad control character in string literal"],
  ["[1]\n]", "line 2, column 1: Unexpected non-whitespace character after JSON"],
])("the problem of a file has a location: %j", (text, problem) => {
  expect(locatedJsonProblem(text)).toBe(problem);
});

test("a long text is scanned in linear time, at any depth", () => {
  expect(jsonProblem("[".repeat(500_000))).toBe("Unexpected end of JSON input");
  expect(jsonProblem(`"${"a".repeat(1_000_000)}`)).toContain("Unterminated string");
  expect(jsonProblem(`"${"\\n".repeat(1_000_000)}`)).toContain("Unterminated string");
});

test("bodies of requests have these messages", async () => {
  const app = await testApp({ ...configFile(), ...typeFile("note", { title: { type: "string" } }) });
  try {
    const headers = { authorization: "Bearer test-full-access", "content-type": "application/json" };
    const init = { method: "POST", headers, body: '{"data":{"title":1,}}' };
    const response = await app.handle(new Request("http://localhost/api/notes", init));
    expect([response.status, ((await response.json()) as { error: object }).error]).toEqual([
      400,
      { status: 400, name: "SyntaxError", message: "Expected double-quoted property name in JSON at position 19" },
    ]);
  } finally {
    await app.close();
  }
});
