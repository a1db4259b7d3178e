/** Routes and middlewares that code adds with `strapi.server.router`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::note.note.find"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/index.js": `const Router = require("@koa/router");
      module.exports = {
        register({ strapi }) {
          const { router } = strapi.server;
          router.use((ctx, next) => { ctx.set("x-all", "1"); return next(); });
          router.use("/api", (ctx, next) => { ctx.set("x-api", "1"); return next(); });
          router.get(["/one", "/two"], (ctx) => { ctx.body = ctx.path; });
          router.get("named", "/named/:id", (ctx) => { ctx.body = [router.url("named", { id: 9 }), ctx.params.id]; });
          router.post("/steps", async (ctx, next) => { await next(); ctx.body.push("last"); }, (ctx) => { ctx.body = [ctx.request.body.a]; });
          router.all("/all", (ctx) => { ctx.body = ctx.method; });
          router.get("/api/notes/special", (ctx) => { ctx.body = "special"; });
          const nested = new Router({ prefix: "/nested" });
          nested.get("/:word", (ctx) => { ctx.body = ctx.params; });
          router.use(nested.routes(), nested.allowedMethods());
        },
        bootstrap({ strapi }) { strapi.server.router.get("/late", (ctx) => { ctx.body = "late"; }); },
      };`,
  });
});
afterAll(() => app.close());

async function ask(path: string, method = "GET", body?: object) {
  const init = body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {};
  const response = await app.handle(new Request(`http://localhost${path}`, { method, ...init }));
  return [response.status, await response.text(), response.headers.get("x-all"), response.headers.get("x-api")];
}

test.each([
  ["of several paths", "/two", "/two", null],
  ["with a name", "/named/4", '["/named/9","4"]', null],
  ["before those of an api", "/api/notes/special", "special", "1"],
  ["of another router", "/nested/own", '{"word":"own"}', null],
  ["of bootstrap", "/late", "late", null],
])("a route %s", async (_, path, body, api) => {
  expect(await ask(path)).toEqual([200, body, "1", api]);
});

test("routes have several handlers, and methods", async () => {
  expect((await ask("/steps", "POST", { a: 1 }))[1]).toBe('[1,"last"]');
  expect(await Promise.all(["PUT", "DELETE"].map(async (method) => (await ask("/all", method))[1]))).toEqual([
    "PUT",
    "DELETE",
  ]);
});

test("middlewares run for routes of apis, too", async () => {
  const [status, , all, api] = await ask("/api/notes");
  expect([status, all, api]).toEqual([200, "1", "1"]);
});
