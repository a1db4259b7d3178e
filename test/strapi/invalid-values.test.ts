/** Values that cannot be compared or stored, from clients and from code, where hooks watch reads. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const NOTE = "api::note.note";
let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::note.*"] } }),
    ...typeFile(
      "note",
      { title: { type: "string" }, big: { type: "biginteger" }, n: { type: "integer" } },
      { localized: true },
    ),
    ...serviceFile("note"),
    "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("${NOTE}");`,
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("${NOTE}");`,
    "src/api/own/routes/own.js": `module.exports = { routes: [
      { method: "GET", path: "/own/:id", handler: (ctx) => { ctx.body = [ctx.params["0"], ctx.params.id]; }, config: { auth: false } },
    ] };`,
    "src/index.js":
      "module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe(() => { globalThis.hooked = true; }); } };",
  });
});
afterAll(() => app.close());

const get = async (path: string): Promise<Body> => (await app.call("GET", path, undefined, {})).body;

describe("code gets the errors of Strapi's database", () => {
  const strapi = (): Body => (globalThis as Body).strapi;
  const layers: [string, (where: Body) => Promise<unknown>][] = [
    ["documents", (filters) => strapi().documents(NOTE).findMany({ filters })],
    ["entityService", (filters) => strapi().entityService.findMany(NOTE, { filters })],
    ["db.query", (where) => strapi().db.query(NOTE).findMany({ where })],
  ];
  test.each(layers)("%s", async (_, find) => {
    const errors: unknown[] = [];
    for (const where of [{ big: "abc" }, { big: { $in: ["1", "1.5"] } }, { n: { $gt: "x" } }])
      errors.push(await find(where).catch((error) => [error.name, error.message]));
    expect(errors).toEqual([
      ["Error", "Expected a valid BigInteger, got abc"],
      ["Error", "Expected a valid BigInteger, got 1.5"],
      ["Error", "Expected a valid Number, got x"],
    ]);
  });
});

test("clients get a client error", async () => {
  const { error } = await get("/api/notes?filters[big]=abc");
  expect([error.status, error.message]).toEqual([400, "Invalid value for big: expected a whole number"]);
});

test("a null character is refused in a path, and no document has a locale with one", async () => {
  expect((await get("/api/notes/%00")).error).toMatchObject({ status: 400, message: "Malicious Path" });
  expect((await get("/api/notes?locale=a%00b")).data).toEqual([]);
});

test("the path in the parameters is decoded", async () => {
  expect(await get("/api/own/a%2Fb%0A")).toEqual(["api/own/a/b\n", "a/b\n"]);
});

test("the document service refuses times that the database cannot store, also where hooks run", async () => {
  const own = await testApp({
    ...configFile({ roles: { public: ["*"] } }),
    ...typeFile("visit", {
      day: { type: "date" },
      at: { type: "datetime" },
      time: { type: "time" },
    }),
    "src/index.js": `module.exports = {
      bootstrap({ strapi }) {
        strapi.db.lifecycles.subscribe({ models: ["api::visit.visit"], beforeCreate() {} });
        globalThis.visits = strapi.db.query("api::visit.visit");
      },
    };`,
  });
  const create = async (data: object) => (await own.call("POST", "/api/visits", { data })).body.error;
  const format = { status: 400, name: "ValidationError", details: {} };
  expect(await create({ day: "nope" })).toEqual({ ...format, message: "Invalid format, expected yyyy-MM-dd" });
  expect(await create({ at: "nope" })).toMatchObject(format);
  expect(await create({ time: "nope" })).toMatchObject(format);
  const { visits } = globalThis as unknown as { visits: { create: (params: object) => Promise<unknown> } };
  expect(visits.create({ data: { day: "nope" } })).rejects.toMatchObject({ name: "InvalidDateFormat" });
  await own.close();
});
