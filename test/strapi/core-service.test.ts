/** Controllers of types whose api has no service, as Strapi treats them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const factory = (kind: string, type: string) =>
  `module.exports = require("@strapi/strapi").factories.createCore${kind}("api::${type}.${type}");`;

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["*"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    ...typeFile("page", { title: { type: "string" } }),
    "src/api/note/controllers/note.js": `
      const { factories } = require("@strapi/strapi");
      module.exports = factories.createCoreController("api::note.note", { mine: () => ({ mine: true }) });`,
    "src/api/note/routes/01-mine.js":
      'module.exports = { routes: [{ method: "GET", path: "/mine", handler: "note.mine" }] };',
    "src/api/note/routes/note.js": factory("Router", "note"),
    "src/api/page/routes/page.js": factory("Router", "page"),
  });
});
afterAll(() => app.close());

const status = async (method: string, path: string, body?: object): Promise<number> =>
  (await app.call(method, `/api${path}`, body, {})).status;

test("core actions fail, own ones answer, and what clients send wrongly is still refused first", async () => {
  expect(await status("GET", "/notes")).toBe(500);
  expect(await status("GET", "/notes/any")).toBe(500);
  expect(await status("POST", "/notes", { data: { title: "t" } })).toBe(500);
  expect(await status("POST", "/notes", {})).toBe(400);
  expect(await status("GET", "/notes?populate=none")).toBe(400);
  expect(await status("GET", "/mine")).toBe(200);
});

test("a type with neither a controller nor a service is served", async () => {
  expect(await status("POST", "/pages", { data: { title: "t" } })).toBe(201);
  expect(await status("GET", "/pages")).toBe(200);
});
