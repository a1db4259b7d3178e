/** What errors repeat of a request is bounded, wherever they are thrown. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { ApiError, problemsError } from "../../src/lib/errors.ts";
import { printValue } from "../../src/lib/print-value.ts";
import { logError } from "../../src/lib/printable.ts";
import { ADMIN, componentFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

/** Lists in lists, with `width` values in the innermost. */
function nested(levels: number, width: number): unknown {
  let value: unknown = Array(width).fill(0);
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

test("what a logged error repeats of a request cannot act on a terminal, begin a line or fill the log", () => {
  const log = spyOn(console, "error").mockImplementation(() => {});
  logError(new Error(`a\u001b[31m\r\nGET /forged 200\u009b${"x".repeat(1_000_000)}`));
  const text = String(log.mock.calls[0]?.[0]);
  log.mockRestore();
  expect(text).toStartWith("Error: a\\u001b[31m\n    GET /forged 200\\u009b");
  expect(text.length).toBeLessThan(20_000);
});

describe("printed values", () => {
  const small: readonly [unknown, string][] = [
    ["a", '"a"'],
    [-0, "-0"],
    [[], "[]"],
    [{}, "{}"],
    [["a", null, undefined, 5], '[\n  "\\"a\\"",\n  "null",\n  "undefined",\n  "5"\n]'],
    [{ a: { b: [] } }, '{\n  "a": {\n    "b": []\n  }\n}'],
  ];
  for (const [value, text] of small) test(`${JSON.stringify(value)}`, () => expect(printValue(value)).toBe(text));

  const large: readonly [string, unknown][] = [
    ["a string", "x".repeat(1_000_000)],
    ["a list", Array(400_000).fill(0)],
    ["an object", Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`key${at}`, at]))],
    ["a long key", { ["k".repeat(1_000_000)]: 1 }],
    ["levels", nested(500, 300_000)],
    ["more levels than there is stack", nested(100_000, 1)],
  ];
  for (const [name, value] of large)
    test(`${name}: the beginning`, () => expect(printValue(value).length).toBeLessThan(300));

  test("are not cut inside a character", () => {
    expect(printValue("😀".repeat(1_000)).isWellFormed()).toBe(true);
  });
});

describe("details", () => {
  const errorsOf = ({ details }: ApiError) => details!.errors as { value: unknown }[];
  const problem = (path: string, value: unknown) => ({ path, message: `${path} is wrong`, value });

  test("a hundred problems are all listed", () => {
    const error = problemsError(Array.from({ length: 100 }, (_, at) => problem(`list[${at}].a`, "value")));
    expect(errorsOf(error)).toHaveLength(100);
    expect(errorsOf(error)[99]).toMatchObject({ path: ["list", "99", "a"], value: "value" });
  });

  test("of more there are the first, and their number", () => {
    const error = problemsError(Array.from({ length: 10_000 }, (_, at) => problem(`list[${at}]`, at)));
    expect(error.message).toBe("10000 errors occurred");
    expect(errorsOf(error)).toHaveLength(10);
  });

  test("values are repeated as they are while they are short, and printed otherwise", () => {
    const value = { a: ["x".repeat(900)] };
    expect(problemsError([problem("a", value)]).details).toMatchObject({ errors: [{ value }] });
    const [first] = errorsOf(problemsError([problem("a", ["x".repeat(2_000)])]));
    expect(first!.value).toHaveLength(251);
  });

  test("messages with everything that a schema allows are whole", () => {
    const message = `kind must be one of the following values: ${Array.from({ length: 250 }, (_, at) => `country ${at}`).join(", ")}`;
    const details = problemsError([{ path: "kind", message, value: "x" }]).details;
    expect(details).toMatchObject({ errors: [{ message }] });
  });

  test("keys and messages are cut", () => {
    const long = "k".repeat(500_000);
    const error = new ApiError("ValidationError", `Invalid key ${long}`, { key: long, path: long });
    expect(error.message).toHaveLength(251);
    expect(JSON.stringify(error.details).length).toBeLessThan(600);
  });
});

describe("answers", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({
      ...typeFile("post", {
        title: { type: "string", required: true },
        kind: { type: "enumeration", enum: ["a", "b"] },
        views: { type: "integer" },
        meta: { type: "json" },
        text: { type: "blocks" },
        parts: { type: "component", component: "part.one", repeatable: true },
        zone: { type: "dynamiczone", components: ["part.one"] },
        tags: relation("manyToMany", "tag"),
      }),
      ...typeFile("tag", { name: { type: "string" }, posts: relation("manyToMany", "post") }),
      ...componentFile("part.one", { name: { type: "string", required: true }, size: { type: "integer" } }),
    });
  });
  afterAll(() => app.close());

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, 0]));
  const times = (count: number, value: unknown) => Array(count).fill(value);
  const long = "x".repeat(500_000);
  const data = (value: unknown) => ({ data: { title: "t", ...(value as object) } });

  const requests: readonly [string, string, unknown][] = [
    ["a log-in with nested lists", "/api/auth/local", { identifier: nested(500, 300_000), password: "x" }],
    ["a registration with 60,000 unknown keys", "/api/auth/local/register", keys(60_000)],
    ["a registration that is a list of 400,000", "/api/auth/local/register", times(400_000, 0)],
    ["unknown keys of a password's change", "/api/auth/forgot-password", { email: "a@b.co", ...keys(50_000) }],
    ["a log-in with a list of 400,000", "/api/auth/local", { identifier: times(400_000, 0), password: [] }],
    ["a document that is a list of lists", "/api/posts", { data: [nested(500, 400_000)] }],
    ["a long key", "/api/posts", data({ [long]: 1 })],
    ["60,000 unknown keys", "/api/posts", data(keys(60_000))],
    ["a long value of an enumeration", "/api/posts", data({ kind: long })],
    ["a long number", "/api/posts", data({ views: long })],
    ["a nested number", "/api/posts", data({ views: nested(500, 100_000) })],
    ["5,000 wrong entries of a zone", "/api/posts", data({ zone: times(5_000, { __component: "no.such" }) })],
    ["a long name of a component", "/api/posts", data({ zone: [{ __component: long }] })],
    ["5,000 wrong entries of a component", "/api/posts", data({ parts: times(5_000, { size: "x" }) })],
    ["a component that is a list of 300,000", "/api/posts", data({ parts: times(300_000, 0) })],
    ["100,000 wrong blocks", "/api/posts", data({ text: times(100_000, 0) })],
    ["100,000 connects", "/api/posts", data({ tags: { connect: times(100_000, 999) } })],
    ["a connect of a long id", "/api/posts", data({ tags: { connect: [long] } })],
    ["a long position", "/api/posts", data({ tags: { connect: [{ id: 1, position: { before: long } }] } })],
    ["a long GraphQL field", "/graphql", { query: `{ ${long} }` }],
    ["a long GraphQL name of an operation", "/graphql", { query: "{ __typename }", operationName: long }],
    ["a long GraphQL alias", "/graphql", { query: `{ ${long}: post(documentId: 5) { nothing } }` }],
    ["a long GraphQL literal", "/graphql", { query: `{ posts(filters: { views: { eq: "${long}" } }) { title } }` }],
    ["a long GraphQL variable", "/graphql", { query: "query($v: Int) { posts { title } }", variables: { v: long } }],
    [
      "60,000 GraphQL variables",
      "/graphql",
      { query: "query($v: PostInput) { __typename }", variables: { v: keys(60_000) } },
    ],
    ["a long mail address", "/api/email", { to: times(50_000, 0), subject: "s", text: "t" }],
  ];
  for (const [name, path, body] of requests) {
    test(name, async () => {
      const response = await app.handle(
        new Request(`http://localhost${path}`, {
          method: "POST",
          headers: { ...ADMIN, "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
      const text = await response.text();
      expect(response.status, text.slice(0, 300)).toBeLessThan(500);
      expect(text.length).toBeLessThan(20_000);
      for (const [string] of text.matchAll(/"(?:[^"\\]|\\.)*"/g)) expect(string.length).toBeLessThan(1_500);
    });
  }
});
