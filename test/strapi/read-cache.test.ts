import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({ roles: { public: ["*"] } }),
  ...serviceFile("note"),
  ...typeFile("note", { title: { type: "string" }, tags: { type: "json" } }),
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", () => ({
    async find(ctx) {
      const { data, meta } = await super.find(ctx);
      if (ctx.query.change) for (const row of data) { row.title = "changed"; row.tags.push("x"); }
      return { data, meta: { ...meta, own: true } };
    },
    async findOne(ctx) {
      const { data, meta } = await super.findOne(ctx);
      return { data, meta: { ...meta, own: true } };
    },
  }));`,
  "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
  ...serviceFile("memo"),
  ...typeFile("memo", { title: { type: "string" } }),
  "src/api/memo/controllers/memo.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::memo.memo", () => ({
    async find(ctx) { return super.find(ctx); },
    async transformResponse(data, meta) { return { items: data, more: meta }; },
  }));`,
  "src/api/memo/routes/memo.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::memo.memo");`,
  ...serviceFile("page"),
  ...typeFile("page", { title: { type: "string" }, pin: { type: "string", private: true } }),
  "src/api/page/controllers/page.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::page.page");`,
  "src/api/page/middlewares/around.js": `module.exports = () => async (ctx, next) => {
    if (ctx.query.early) ctx.body = { early: true };
    if (ctx.query.big) ctx.query.filters = { id: { $gte: BigInt(ctx.query.big) } };
    if (ctx.get("x-sort") === "title") ctx.query.sort = { title: "desc", id: "asc" };
    if (ctx.get("x-sort") === "id") ctx.query.sort = { id: "asc", title: "desc" };
    if (ctx.query.name) ctx.set("x-name", ctx.query.name);
    if (ctx.query.code) ctx.status = Number(ctx.query.code);
    await next();
    if (ctx.query.look) ctx.body.data[0].title += "!";
    if (ctx.query.late) ctx.body = { late: ctx.body.data.length, type: ctx.type };
  };`,
  "src/api/page/routes/page.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::page.page", {
    config: { find: { middlewares: ["api::page.around"] }, findOne: { middlewares: ["api::page.around"] } },
  });`,
  ...serviceFile("cleaned"),
  ...typeFile("cleaned", { title: { type: "string" } }),
  "src/api/cleaned/controllers/cleaned.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::cleaned.cleaned", {
    async sanitizeOutput(data, ctx) { return { list: data.length }; },
  });`,
  "src/api/cleaned/routes/cleaned.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::cleaned.cleaned");`,
};

let app: TestApp;
let id: string;
beforeAll(async () => {
  app = await testApp({ ...files });
  id = (await app.documents("api::note.note").create({ data: { title: "a", tags: ["b"] } })).documentId as string;
});
afterAll(() => app.close());

const get = async (path: string) => (await app.call("GET", `/api/notes${path}`, undefined, {})).body;

test("a read that is asked for again is answered as before", async () => {
  const first = await get("?sort=title");
  for (let request = 0; request < 5; request++) expect(await get("?sort=title")).toEqual(first);
  const one = await get(`/${id}`);
  expect(one).toMatchObject({ data: { title: "a", tags: ["b"] }, meta: { own: true } });
  for (let request = 0; request < 5; request++) expect(await get(`/${id}`)).toEqual(one);
});

test("what code changes in one answer is in no other", async () => {
  for (let request = 0; request < 5; request++)
    expect((await get("?change=1")).data).toMatchObject([{ title: "changed", tags: ["b", "x"] }]);
});

test("a write is seen by the next request", async () => {
  for (let request = 0; request < 4; request++) await get("?fields=title");
  await app.documents("api::note.note").update({ documentId: id, data: { title: "new" } });
  expect((await get("?fields=title")).data[0].title).toBe("new");
  await app.documents("api::note.note").update({ documentId: id, data: { title: "a" } });
});

test("core actions call the helper that code has replaced", async () => {
  await app.documents("api::memo.memo").create({ data: { title: "m" } });
  for (let request = 0; request < 4; request++)
    expect((await app.call("GET", "/api/memos", undefined, {})).body).toMatchObject({
      items: [{ title: "m" }],
      more: { pagination: { total: 1 } },
    });
});

test("what a core action answers behind a middleware is the same each time, and is its to change", async () => {
  const page = (await app.documents("api::page.page").create({ data: { title: "p", pin: "1" } })).documentId;
  const answer = (path: string) => app.call("GET", `/api/pages${path}`, undefined, {});
  const cases: Readonly<Record<string, object>> = {
    "": { data: [{ title: "p" }] },
    [`/${page}`]: { data: { title: "p" }, meta: {} },
    "?look=1": { data: [{ title: "p!" }] },
    "?late=1": { late: 1, type: "application/json" },
    "?early=1": { early: true },
    "?code=202": { data: [{ title: "p" }] },
  };
  for (let request = 0; request < 4; request++)
    for (const [path, expected] of Object.entries(cases)) {
      const { status, body } = await answer(path);
      expect(body, path).toMatchObject(expected);
      expect(JSON.stringify(body)).not.toContain("pin");
      expect(status).toBe(path === "?code=202" ? 202 : 200);
    }
  await app.documents("api::page.page").update({ documentId: page as string, data: { title: "q" } });
  expect((await answer("")).body.data[0].title).toBe("q");
  for (let request = 0; request < 4; request++) expect((await answer("/none")).status).toBe(404);
});

test("helpers that code replaces are called by core actions", async () => {
  await app.documents("api::cleaned.cleaned").create({ data: { title: "c" } });
  for (let request = 0; request < 4; request++)
    expect((await app.call("GET", "/api/cleaneds", undefined, {})).body.data).toEqual({ list: 1 });
});

test("a query of code may have values that JSON does not have", async () => {
  await app.documents("api::page.page").create({ data: { title: "p" } });
  const pages = await app.documents("api::page.page").findMany();
  const listed = async (query: string) => (await app.call("GET", `/api/pages?${query}`, undefined, {})).body.data;
  for (let request = 0; request < 4; request++) {
    expect(await listed("big=1")).toHaveLength(pages.length);
    expect(await listed("big=1000000")).toEqual([]);
  }
});

test("headers that code sets are in no other response", async () => {
  const headerOf = async (query: string, headers = {}) =>
    (await app.handle(new Request(`http://localhost/api/pages?${query}`, { headers }))).headers;
  for (let request = 0; request < 4; request++) {
    expect((await headerOf("name=a")).get("x-name")).toBe("a");
    const plain = await headerOf("sort=id");
    expect(plain.has("x-name")).toBe(false);
    expect(plain.get("content-type")).toBe("application/json; charset=utf-8");
    plain.set("x-name", "b");
    const origin = await headerOf("sort=id", { origin: "http://a.example" });
    expect(origin.get("access-control-allow-origin")).toBe("http://a.example");
    expect(plain.get("access-control-allow-origin")).not.toBe("http://a.example");
  }
});

test("the order of keys in a query of code counts", async () => {
  for (const title of ["y", "z"]) await app.documents("api::page.page").create({ data: { title } });
  const titles = async (sort: string): Promise<string[]> => {
    const { body } = await app.call("GET", "/api/pages?fields=title", undefined, { "x-sort": sort });
    return (body.data as { title: string }[]).map(({ title }) => title);
  };
  for (let request = 0; request < 4; request++) {
    expect((await titles("id")).slice(-2)).toEqual(["y", "z"]);
    expect((await titles("title")).slice(0, 2)).toEqual(["z", "y"]);
  }
});
