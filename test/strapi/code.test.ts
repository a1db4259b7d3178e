/** A project's own code, from TypeScript and CommonJS files, in the server that runs it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({ roles: { public: ["api::note.note.*", "api::plain.plain.*"] } }),
  ...typeFile(
    "note",
    {
      title: { type: "string", required: true },
      slug: { type: "string", unique: true },
      secret: { type: "string", private: true },
      views: { type: "integer", default: 0 },
    },
    { draftAndPublish: true },
  ),
  ...typeFile("plain", { name: { type: "string" } }),
  "src/api/note/content-types/note/lifecycles.ts": `
    import type { Event } from "@strapi/types";
    const slugOf = (text: string): string => text.toLowerCase().replace(/\\s+/g, "-");
    export default {
      beforeCreate({ params }: { params: { data: Record<string, any> } }) {
        if (params.data.title === "refused") throw new Error("plain");
        if (!params.data.slug && params.data.title) params.data.slug = slugOf(params.data.title);
      },
      async afterCreate(event: any) {
        await strapi.db.query("api::plain.plain").create({ data: { name: "made by " + event.result.title } });
      },
    };`,
  "src/api/note/controllers/note.ts": `
    import { factories } from "@strapi/strapi";
    import { errors } from "@strapi/utils";
    export default factories.createCoreController("api::note.note", ({ strapi }) => ({
      async find(ctx) {
        ctx.query = { ...ctx.query, sort: "title:desc" };
        const { data, meta } = await super.find(ctx);
        return { data, meta: { ...meta, own: true } };
      },
      async bySlug(ctx) {
        const [note] = await strapi.documents("api::note.note").findMany({ filters: { slug: ctx.params.slug }, status: "published" });
        if (!note) return ctx.notFound("no such note");
        return this.transformResponse(await this.sanitizeOutput(note, ctx));
      },
      raw: async () => strapi.documents("api::note.note").findMany({ status: "published", sort: "title" }),
      boom() { throw new errors.ApplicationError("boom", { a: 1 }); },
      crash() { return undefined.x; },
      text: () => "plain text",
      nothing: () => undefined,
    }));`,
  "src/api/note/routes/01-note.ts": `
    export default { routes: [
      { method: "GET", path: "/notes/slug/:slug", handler: "note.bySlug", config: { auth: false } },
      { method: "GET", path: "/notes/raw", handler: "note.raw", config: { auth: false } },
      { method: "GET", path: "/notes/boom", handler: "note.boom", config: { auth: false } },
      { method: "GET", path: "/notes/crash", handler: "note.crash", config: { auth: false } },
      { method: "GET", path: "/notes/text", handler: "note.text", config: { auth: false } },
      { method: "GET", path: "/notes/nothing", handler: "note.nothing", config: { auth: false } },
      { method: "GET", path: "/notes/guarded", handler: "note.text", config: { auth: false, policies: ["never"] } },
    ] };`,
  "src/api/note/routes/note.ts": `
    import { factories } from "@strapi/strapi";
    export default factories.createCoreRouter("api::note.note", { except: ["delete"] });`,
  "src/api/plain/routes/plain.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::plain.plain");`,
  "src/api/note/services/note.js": `module.exports = require("@strapi/strapi").factories.createCoreService("api::note.note");`,
  "src/api/note/policies/never.js": `module.exports = () => false;`,
  "src/index.js": `module.exports = {
    register() {},
    async bootstrap({ strapi }) {
      if ((await strapi.documents("api::note.note").count()) === 0)
        await strapi.documents("api::note.note").create({ data: { title: "Seeded", secret: "s" }, status: "published" });
    },
  };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const get = (path: string) => app.call("GET", `/api${path}`, undefined, {});

describe("code of a project", () => {
  test("bootstrap seeds, hooks fill in values in both versions", async () => {
    const { body } = await get("/notes");
    expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(["seeded"]);
    expect(body.data[0]).not.toHaveProperty("secret");
    expect(body.meta.own).toBe(true);
    const { body: plain } = await get("/plains");
    expect(plain.data.map(({ name }: { name: string }) => name)).toEqual(["made by Seeded", "made by Seeded"]);
  });

  test("own actions read by slug and keep what is private", async () => {
    const { body } = await get("/notes/slug/seeded");
    expect(body.data.title).toBe("Seeded");
    expect(body.data).not.toHaveProperty("secret");
    expect(await get("/notes/slug/other")).toEqual({
      status: 404,
      body: { data: null, error: { status: 404, name: "NotFoundError", message: "no such note", details: {} } },
    });
    const raw = await get("/notes/raw");
    expect(raw.body[0].secret).toBe("s");
  });

  test("errors get the envelope", async () => {
    expect((await get("/notes/boom")).body.error).toEqual({
      status: 400,
      name: "ApplicationError",
      message: "boom",
      details: { a: 1 },
    });
    expect(await get("/notes/crash")).toEqual({
      status: 500,
      body: { data: null, error: { status: 500, name: "InternalServerError", message: "Internal Server Error" } },
    });
    expect((await get("/notes/nothing")).status).toBe(404);
    expect((await get("/notes/guarded")).body.error).toEqual({
      status: 403,
      name: "PolicyError",
      message: "Policy Failed",
      details: {},
    });
  });

  test("what a hook refuses leaves nothing", async () => {
    const before = (await get("/notes?status=draft")).body.meta.pagination.total;
    const refused = await app.call("POST", "/api/notes", { data: { title: "refused" } });
    expect(refused.status).toBe(500);
    expect((await get("/notes?status=draft")).body.meta.pagination.total).toBe(before);
  });

  test("a route that no file declares is not there", async () => {
    const { body } = await get("/notes");
    const request = new Request(`http://localhost/api/notes/${body.data[0].documentId}`, { method: "DELETE" });
    expect((await app.handle(request)).status).toBe(405);
  });
});
