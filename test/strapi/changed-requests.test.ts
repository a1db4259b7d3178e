/** Global middlewares that change what they pass on: headers, the method, the path. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, TOKEN, testApp, typeFile } from "../project.ts";

let app: TestApp;

const routerFile = (name: string) => ({
  [`src/api/${name}/routes/${name}.js`]: `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::${name}.${name}");`,
});

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::open.open.find"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    ...typeFile("open", { title: { type: "string" } }),
    ...routerFile("note"),
    ...routerFile("open"),
    "src/api/own/controllers/own.js": `module.exports = {
      see: (ctx) => ({ params: ctx.params, sameParams: ctx.request.params === ctx.params, query: ctx.query, path: ctx.path, original: ctx.originalUrl, header: ctx.get("x-own") }),
      form: (ctx) => ctx.request.body,
      status: (ctx) => { ctx.status = 201; },
      hidden: (ctx) => ctx.throw(503, "hidden", { expose: true }),
      query: (ctx) => { ctx.query = { a: { b: [1] } }; return { querystring: ctx.querystring, url: ctx.url }; },
    };`,
    "src/api/own/routes/own.js": `module.exports = { routes: [
      { method: "GET", path: "/see/:name", handler: "own.see", config: { auth: false } },
      { method: "POST", path: "/form", handler: "own.form", config: { auth: false } },
      { method: "GET", path: "/status", handler: "own.status", config: { auth: false } },
      { method: "GET", path: "/hidden", handler: "own.hidden", config: { auth: false } },
      { method: "GET", path: "/query", handler: "own.query", config: { auth: false } },
    ] };`,
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::cors", "strapi::query", "strapi::body", "strapi::public", "global::change"];`,
    "src/middlewares/change.js": `const AsyncFunction = (async () => {}).constructor;
      module.exports = () => (ctx, next) => {
        const code = ctx.get("x-run");
        return code ? new AsyncFunction("ctx", "next", code)(ctx, next) : next();
      };`,
  });
  await app.call("POST", "/api/notes", { data: { title: "a" } });
});
afterAll(() => app.close());

const ask = async (method: string, path: string, code: string, body?: unknown) =>
  app.call(method, path, body, { "x-run": code });

test("credentials that a middleware adds count for routes of the server, too", async () => {
  expect((await ask("GET", "/api/notes", "await next();")).status).toBe(403);
  const header = `ctx.request.header.authorization = "Bearer ${TOKEN}"; await next();`;
  const { status, body } = await ask("GET", "/api/notes", header);
  expect([status, body.data.length]).toEqual([200, 1]);
  // also those of Node's request, and with a body
  const node = `ctx.req.headers.authorization = "Bearer ${TOKEN}"; await next();`;
  expect((await ask("POST", "/api/notes", node, { data: { title: "b" } })).status).toBe(201);
  // removed ones, and values that no header can have
  const removed = `delete ctx.request.headers.authorization; ctx.request.headers["x-own"] = "\\u{1f600}"; await next();`;
  const none = await app.call("GET", "/api/notes", undefined, { authorization: `Bearer ${TOKEN}`, "x-run": removed });
  expect(none.status).toBe(403);
});

test("a request may be passed on as one for another path or with another method", async () => {
  const seen = await ask("GET", "/elsewhere?a=1", `ctx.path = "/api/see/x"; await next();`);
  expect(seen.body).toMatchObject({ params: { name: "x" }, sameParams: true, query: { a: "1" }, path: "/api/see/x" });
  const url = await ask("GET", "/elsewhere?a=1", `ctx.url = "/api/see/y?b=2"; await next();`);
  expect(url.body).toMatchObject({ params: { name: "y" }, query: { b: "2" }, original: "/elsewhere?a=1" });
  expect((await ask("GET", "/elsewhere", `ctx.path = "/api/opens"; await next();`)).body.data).toEqual([]);
  expect((await ask("POST", "/api/opens", `ctx.method = "GET"; await next();`, { data: {} })).body.data).toEqual([]);
  expect((await ask("GET", "/api/opens", `ctx.path = "/none"; await next();`)).status).toBe(404);
});

test("nothing has responded to an unknown path, so that a body set later makes it a success", async () => {
  const seen = await ask("GET", "/api/none", "await next(); ctx.body = { body: ctx.body ?? null, was: ctx.status };");
  expect(seen).toEqual({ status: 200, body: { body: null, was: 404 } });
  const missing = await ask("GET", "/api/none", "await next();");
  const error = { status: 404, name: "NotFoundError", message: "Not Found", details: {} };
  expect(missing).toEqual({ status: 404, body: { data: null, error } });
});

test("fields of a form with brackets are nested", async () => {
  const form = new FormData();
  for (const [name, value] of [
    ["a", "1"],
    ["b[c]", "2"],
    ["d[]", "3"],
    ["d[]", "4"],
    ["a", "5"],
  ] as const)
    form.append(name, value);
  const response = await app.handle(new Request("http://localhost/api/form", { method: "POST", body: form }));
  expect(await response.json()).toEqual({ a: ["1", "5"], b: { c: "2" }, d: ["3", "4"] });
});

test("a status without a body is sent with its name", async () => {
  const response = await app.handle(new Request("http://localhost/api/status"));
  expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([
    201,
    "Created",
    "text/plain; charset=utf-8",
  ]);
});

test("an error that is not to be shown keeps its status", async () => {
  const { body } = await app.call("GET", "/api/hidden");
  expect(body).toEqual({
    data: null,
    error: { status: 503, name: "ServiceUnavailableError", message: "Service Unavailable" },
  });
});

test("keys of a replaced query are encoded", async () => {
  const querystring = "a%5Bb%5D%5B0%5D=1";
  expect((await app.call("GET", "/api/query")).body).toEqual({ querystring, url: `/api/query?${querystring}` });
});
