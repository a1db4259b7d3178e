/** Messages of errors of code: those that are no strings, and those of the engine, which quote the code. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

/** By message, as source text: the status, and the message that clients get. */
const answers: Readonly<Record<string, readonly [status: number, message: unknown]>> = {
  "'text'": [400, "text"],
  null: [400, null],
  "[1, 2]": [400, [1, 2]],
  "{ secret: 1 }": [500, "Internal Server Error"],
  5: [500, "Internal Server Error"],
};

/** What clients get is the message that the engine made, by the code that fails. */
const quoted = [
  "strapi.config.none.deep",
  "strapi.none()",
  'JSON.parse("{}").none.deep',
  'JSON.parse("{}").none()',
  'fetch("data:,").json()',
  "fetch.none.deep",
];

let app: TestApp;
beforeAll(async () => {
  const route = (name: string) => ({
    method: "GET",
    path: `/${name}`,
    handler: `own.${name}`,
    config: { auth: false },
  });
  const failing = quoted.map(
    (code, index) =>
      `failing${index}(ctx) { try { ${code}; } catch (error) { ctx.body = { message: error.message }; } }`,
  );
  const names = [
    ...Object.keys(answers).map((_, index) => `action${index}`),
    ...quoted.map((_, index) => `failing${index}`),
  ];
  const actions = Object.keys(answers).map(
    (message, index) => `action${index}() { throw new errors.ApplicationError(${message}); }`,
  );
  app = await testApp({
    ...configFile(),
    ...typeFile("own", { name: { type: "string" } }),
    "src/api/own/routes/thrown.js": `module.exports = { routes: ${JSON.stringify(names.map(route))} };`,
    "src/api/own/controllers/own.js": `const { errors } = require("@strapi/utils"); module.exports = { ${[...actions, ...failing].join(", ")} };`,
  });
});
afterAll(() => app.close());

for (const [index, [message, [status, answer]]] of Object.entries(answers).entries()) {
  test(`a message of ${message}`, async () => {
    const { status: sent, body } = await app.call("GET", `/api/action${index}`);
    expect([sent, body.error.message]).toEqual([status, answer]);
  });
}

for (const [index, code] of quoted.entries()) {
  test(`the message of ${code} quotes the code`, async () => {
    const { message } = (await app.call("GET", `/api/failing${index}`)).body;
    expect(message).toContain(code.replace(/\(\)$/, ""));
    expect(message).not.toContain("__galley");
  });
}

test("code may declare the names of what it gets", async () => {
  const declaring = await testApp({
    ...configFile(),
    ...typeFile("own", { name: { type: "string" } }),
    "src/names.mjs":
      "export class strapi {}; export function fetch() { return 'own'; } export const JSON = { parse: () => 'own' };",
    "src/index.js": `const { strapi: Own, fetch: get, JSON: json } = require("./names.mjs");
      module.exports = { bootstrap({ strapi }) { strapi.own = [new Own() instanceof Own, get(), json.parse()]; } };`,
    "src/api/own/routes/own.js": `module.exports = { routes: [{ method: "GET", path: "/own", handler: "own.all", config: { auth: false } }] };`,
    "src/api/own/controllers/own.js": "module.exports = { all(ctx) { ctx.body = strapi.own; } };",
  });
  expect((await declaring.call("GET", "/api/own")).body).toEqual([true, "own", "own"]);
  await declaring.close();
});
