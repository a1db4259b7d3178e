/** What of Koa's response reaches the client: bodies of each kind, types, headers of downloads, and texts of bodies. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

/** Name, the action's code, status, content type, text. */
const answers: readonly (readonly [string, string, number, string | null, string])[] = [
  ["send of undefined", "ctx.send(undefined)", 204, null, ""],
  ["a type, then send of null", 'ctx.type = "application/json"; ctx.send(null)', 204, null, ""],
  ["an undefined body", "ctx.body = undefined", 204, null, ""],
  ["null, then a status", "ctx.body = null; ctx.status = 404", 404, null, ""],
  ["undefined, then a status", "ctx.body = undefined; ctx.status = 404", 404, "text/plain; charset=utf-8", "Not Found"],
  [
    "an object under another type",
    'ctx.type = "text/csv"; ctx.body = { a: 1 }',
    200,
    "application/json; charset=utf-8",
    '{"a":1}',
  ],
  [
    "an object under another type of JSON",
    'ctx.set("content-type", "application/vnd.api+json"); ctx.body = {}',
    200,
    "application/json; charset=utf-8",
    "{}",
  ],
  ["a type after an object", 'ctx.body = { a: 1 }; ctx.type = "text"', 200, "text/plain; charset=utf-8", '{"a":1}'],
  ["a text under another type", 'ctx.type = "text/csv"; ctx.body = "a,b"', 200, "text/csv; charset=utf-8", "a,b"],
  [
    "an ending",
    'ctx.type = "xlsx"; ctx.body = "x"',
    200,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "x",
  ],
  ["a calendar", 'ctx.type = "text/calendar"; ctx.body = "x"', 200, "text/calendar; charset=utf-8", "x"],
  ["no type at all", 'ctx.type = "nonsense"; ctx.body = "x"', 200, "text/plain; charset=utf-8", "x"],
];

const downloads: readonly (readonly [name: string, disposition: string, type: string])[] = [
  ["list.csv", 'attachment; filename="list.csv"', "text/csv"],
  [
    "dir/a b.xlsx",
    'attachment; filename="a b.xlsx"',
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ],
  ["été.pdf", 'attachment; filename="été.pdf"', "application/pdf"],
  [
    "отчёт.pdf",
    `attachment; filename="?????.pdf"; filename*=UTF-8''${encodeURIComponent("отчёт.pdf")}`,
    "application/pdf",
  ],
  ['a"b.txt', 'attachment; filename="a\\"b.txt"', "text/plain"],
];

const routes = [
  ...answers.map((_, index) => ({ method: "GET", path: `/answers/${index}`, handler: `own.answer${index}` })),
  { method: "GET", path: "/download", handler: "own.download" },
  { method: "POST", path: "/signed", handler: "own.signed" },
].map((route) => ({ ...route, config: { auth: false } }));

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile(),
    ...typeFile("note", { title: { type: "string" } }),
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::cors", "strapi::query", { name: "strapi::body", config: { includeUnparsed: true } }];`,
    "src/api/note/routes/01-own.js": `module.exports = { routes: ${JSON.stringify(routes)} };`,
    "src/api/note/controllers/own.js": `module.exports = {
      ${answers.map(([, code], index) => `answer${index}(ctx) { ${code}; },`).join("\n")}
      download(ctx) { ctx.attachment(ctx.query.name); ctx.body = Buffer.from("x"); },
      signed(ctx) {
        const { body } = ctx.request;
        ctx.body = { kind: typeof body, parsed: body, text: body?.[Symbol.for("unparsedBody")] ?? null };
      },
    };`,
  });
});
afterAll(() => app.close());

const get = (path: string) => app.handle(new Request(`http://localhost${path}`));

describe("answers", () => {
  for (const [index, [name, , status, type, text]] of answers.entries()) {
    test(name, async () => {
      const response = await get(`/api/answers/${index}`);
      expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
        status,
        type,
        text,
      ]);
    });
  }
});

describe("downloads", () => {
  for (const [name, disposition, type] of downloads) {
    test(name, async () => {
      const { headers } = await get(`/api/download?name=${encodeURIComponent(name)}`);
      expect(headers.get("content-disposition")).toBe(disposition);
      expect(headers.get("content-type")).toStartWith(type);
    });
  }
});

describe("includeUnparsed", () => {
  const send = async (type: string, body: string) => {
    const init = { method: "POST", headers: { "content-type": type }, body };
    return (await app.handle(new Request("http://localhost/api/signed", init))).json();
  };
  for (const [type, text, parsed] of [
    ["application/json", '{ "a": 1 }', { a: 1 }],
    ["application/x-www-form-urlencoded", "a=1", { a: "1" }],
    ["application/json; charset=utf-8", '[ "é" ]', ["é"]],
  ] as const) {
    test(`${type} is there as it was sent`, async () => {
      expect(await send(type, text)).toEqual({ kind: "object", parsed, text });
    });
  }

  test("texts are as ever", async () => {
    expect(await send("text/plain", "a b")).toEqual({ kind: "string", parsed: "a b", text: null });
  });
});
