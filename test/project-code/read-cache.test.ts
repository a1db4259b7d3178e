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
