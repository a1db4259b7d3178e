/** Zod schemas of routes, and those that code adds to the routes of others. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const grants = configFile({ roles: { public: ["*"] } });
const types = {
  ...typeFile("note", { title: { type: "string" } }),
  ...serviceFile("note"),
  ...typeFile("tag", { name: { type: "string" } }),
};
const index = `module.exports = { register({ strapi }) {
  globalThis.seen = [];
  globalThis.refused = {};
  strapi.documents.use((context, next) => { globalThis.seen.push(context.params); return next(); });
  const ofNotes = (route) => route.path.startsWith("/notes");
  strapi.contentAPI.addQueryParams({
    search: { schema: (z) => z.string().max(5), matchRoute: ofNotes },
    ids: { schema: (z) => z.array(z.coerce.number()).optional(), matchRoute: ofNotes },
  });
  strapi.contentAPI.addInputParams({ mutation: { schema: (z) => z.object({ n: z.coerce.number() }), matchRoute: ofNotes } });
  const tries = {
    reserved: () => strapi.contentAPI.addQueryParams({ filters: { schema: (z) => z.string() } }),
    twice: () => strapi.contentAPI.addQueryParams({ search: { schema: (z) => z.string() } }),
    id: () => strapi.contentAPI.addInputParams({ documentId: { schema: (z) => z.string() } }),
  };
  for (const [name, run] of Object.entries(tries)) try { run(); } catch (error) { globalThis.refused[name] = error.message; }
} };`;
const globals = globalThis as unknown as { seen: Body[]; refused: Record<string, string> };

const routes = {
  "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
  "src/api/note/routes/own.js": `const { z } = require("@strapi/utils");
    module.exports = { routes: [{ method: "POST", path: "/own", handler: "note.own", config: { auth: false },
      request: { query: { n: z.coerce.number().min(2) }, body: { "application/json": z.object({ title: z.string().toUpperCase(), extra: z.number() }) } } }] };`,
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", {
    async own(ctx) {
      const { body } = ctx.request;
      const tried = async (work) => { try { return (await work()) ?? "passed"; } catch (error) { return [error.message, error.details]; } };
      ctx.body = [await tried(() => this.validateQuery(ctx)), await tried(() => this.sanitizeQuery(ctx)),
        await tried(() => this.validateInput(body, ctx)), await tried(() => this.sanitizeInput(body, ctx))];
    } });`,
  "src/api/tag/routes/tag.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::tag.tag");`,
};

const tooBig = { origin: "string", code: "too_big", maximum: 5, inclusive: true, path: [] };

describe("by default", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ ...grants, ...types, ...routes, "src/index.js": index });
  });
  afterAll(() => app.close());

  const paramsOf = async (query: string): Promise<Body> => {
    globals.seen.length = 0;
    expect((await app.call("GET", `/api/notes?${query}`)).status).toBe(200);
    const { search, ids } = globals.seen[0]!;
    return { search, ids };
  };

  test("parameters that code adds are parsed, and refused values are left out", async () => {
    expect(await paramsOf("search=abc&ids=1&ids=2")).toEqual({ search: "abc", ids: [1, 2] });
    expect(await paramsOf("search=too-long&ids=1")).toEqual({ search: undefined, ids: undefined });
  });

  test("keys that code adds to the data are checked and parsed", async () => {
    globals.seen.length = 0;
    const data = { title: "a", mutation: { n: "5" } };
    const created = await app.call("POST", "/api/notes", { data });
    expect(created.status).toBe(201);
    expect(created.body.data).not.toHaveProperty("mutation");
    expect(globals.seen[0]!.data).toEqual({ title: "a", mutation: { n: 5 } });
    const refused = await app.call("POST", "/api/notes", { data: { mutation: 5 } });
    expect(refused.body.error.details).toEqual({ key: "mutation", path: null, source: "body", param: "mutation" });
    const unknown = await app.call("POST", "/api/notes", { data: { other: 5 } });
    expect(unknown.body.error.message).toBe("Invalid key other");
    const elsewhere = await app.call("POST", "/api/tags", { data: { name: "a", mutation: { n: 5 } } });
    expect(elsewhere.body.error.message).toBe("Invalid key mutation");
  });

  test("a route's schemas apply in the helpers of controllers", async () => {
    const own = async (query: string, body: object) => (await app.call("POST", `/api/own?${query}`, body)).body;
    expect(await own("n=5", { title: "a", extra: 1 })).toEqual([
      "passed",
      { n: 5 },
      "passed",
      { title: "A", extra: 1 },
    ]);
    const [checked, query, problem, input] = await own("n=1", { title: "a", extra: "x" });
    expect([checked, query, input]).toEqual(["passed", {}, { title: "A" }]);
    expect(problem[1]).toEqual({ key: "extra", path: null, source: "body", param: "extra" });
    expect((await own("", { title: "a", none: 1 }))[2]).toEqual([
      "Invalid key none",
      { key: "none", path: null, source: "body" },
    ]);
  });

  test("names that are taken are refused", () => {
    expect(globals.refused).toEqual({
      reserved: 'contentAPI.addQueryParams: param "filters" is reserved by Strapi; use a different name',
      twice: 'contentAPI.addQueryParams: param "search" has already been added',
      id: 'contentAPI.addInputParams: param "documentId" is reserved by Strapi; use a different name',
    });
  });
});

describe("with strictParams", () => {
  let app: TestApp;
  beforeAll(async () => {
    const strict = { "config/api.json": JSON.stringify({ rest: { strictParams: true } }) };
    app = await testApp({ ...grants, ...types, ...routes, ...strict, "src/index.js": index });
  });
  afterAll(() => app.close());

  const answers: Readonly<Record<string, unknown>> = {
    "notes?search=abc": 200,
    "notes?search=too-long": JSON.stringify(
      [{ ...tooBig, message: "Too big: expected string to have <=5 characters" }],
      null,
      2,
    ),
    "notes?other=1": "Invalid key other",
    "tags?search=abc": "Invalid key search",
  };
  for (const [path, answer] of Object.entries(answers)) {
    test(path, async () => {
      const { status, body } = await app.call("GET", `/api/${path}`);
      expect(status === 200 ? status : body.error.message).toEqual(answer);
    });
  }
});
