/** What code makes of `ctx.query`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, relation, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const middleware = (work: string) => `module.exports = () => async (ctx, next) => { ${work}; await next(); };`;
const names = ["replaced", "changed", "text"];
const files = {
  ...configFile({ roles: { public: ["*"] } }),
  ...serviceFile("note"),
  ...typeFile("note", { title: { type: "string" }, parent: relation("manyToOne", "note") }),
  "src/api/note/middlewares/replaced.js": middleware(
    `ctx.query = { populate: { parent: { populate: true } }, filters: undefined, n: 1, none: null }`,
  ),
  "src/api/note/middlewares/changed.js": middleware(
    `ctx.query.populate = { parent: { fields: ["title"] } }; ctx.query.pagination = { pageSize: 1 }`,
  ),
  "src/api/note/middlewares/text.js": middleware(`ctx.querystring = "sort=title:desc&fields[0]=title"`),
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", () => ({
    show: (ctx) => ({ query: ctx.query, search: ctx.search, same: ctx.query === ctx.request.query, original: ctx.originalUrl }),
  }));`,
  "src/api/note/routes/note.js": `module.exports = { routes: ${JSON.stringify(
    names.flatMap((name) => [
      { method: "GET", path: `/${name}`, handler: "note.find", config: { middlewares: [`api::note.${name}`] } },
      {
        method: "GET",
        path: `/${name}/show`,
        handler: "note.show",
        config: { auth: false, middlewares: [`api::note.${name}`] },
      },
    ]),
  )} };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
  const notes = app.documents("api::note.note");
  const parent = await notes.create({ data: { title: "a" } });
  await notes.create({ data: { title: "b", parent: parent.documentId } });
});
afterAll(() => app.close());

const get = async (path: string) => (await app.call("GET", `/api${path}`, undefined, {})).body;

test("another query is read as the texts that it is sent as", async () => {
  expect((await get("/replaced/show?a=1")).query).toEqual({
    populate: { parent: { populate: "true" } },
    n: "1",
    none: "",
  });
  expect((await get("/replaced")).error).toMatchObject({
    message: "Invalid key true",
    details: { key: "true", path: "true", source: "query", param: "populate" },
  });
});

test("what is put into the query stays as it is", async () => {
  const { data, meta } = await get("/changed?sort=title:desc");
  expect(data.map(({ title, parent }: { title: string; parent: unknown }) => [title, parent])).toMatchObject([
    ["b", { title: "a" }],
  ]);
  expect(meta.pagination.pageSize).toBe(1);
});

test("a query string takes the place of the one that was sent", async () => {
  const shown = await get("/text/show?a=1");
  expect(shown).toEqual({
    query: { sort: "title:desc", fields: ["title"] },
    search: "?sort=title:desc&fields[0]=title",
    same: true,
    original: "/api/text/show?a=1",
  });
  expect((await get("/text")).data.map(({ title }: { title: string }) => title)).toEqual(["b", "a"]);
});

test("a global middleware's empty objects reach a core action", async () => {
  const own = await testApp({
    ...configFile({ roles: { public: ["*"] } }),
    ...serviceFile("note"),
    ...typeFile("note", { title: { type: "string" }, parent: relation("manyToOne", "note") }),
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
    "config/middlewares.js": `module.exports = ["strapi::errors", "global::populate", "strapi::query", "strapi::body"];`,
    "src/middlewares/populate.js": middleware(`ctx.query.populate = { parent: { populate: {} } }`),
  });
  await own.documents("api::note.note").create({ data: { title: "a" } });
  const { body } = await own.call("GET", "/api/notes", undefined, {});
  expect(body.data).toMatchObject([{ title: "a", parent: null }]);
  await own.close();
});
