/** `plugin::users-permissions.rateLimit` as a middleware of a project's own routes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({
      roles: { public: ["api::note.note.create", "api::note.note.find"] },
      auth: { ratelimit: { enabled: true, max: 2 } },
    }),
    ...typeFile("note", { title: { type: "string" } }),
    ...serviceFile("note"),
    "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note");`,
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note", {
      config: { create: { middlewares: ["plugin::users-permissions.rateLimit"] } },
    });`,
    "src/api/note/routes/once.js": `module.exports = { routes: [{
      method: "GET", path: "/once", handler: (ctx) => { ctx.body = "answered"; },
      config: { auth: false, middlewares: [{ name: "plugin::users-permissions.rateLimit", config: { max: 1, interval: { min: 5 } } }] },
    }, {
      method: "GET", path: "/twice", handler: (ctx) => { ctx.body = "answered"; },
      config: { auth: false, middlewares: [{ name: "admin::rateLimit", config: { max: 2 } }] },
    }] };`,
  });
});
afterAll(() => app.close());

const create = () =>
  app.handle(
    new Request("http://localhost/api/notes", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"data":{"title":"a"}}',
    }),
  );

test("limits a core route as the settings say", async () => {
  const answers = [await create(), await create(), await create()];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
  expect(answers.map(({ headers }) => headers.get("x-ratelimit-remaining"))).toEqual(["1", "0", "0"]);
  expect(await answers[2]!.json()).toEqual({
    data: null,
    error: {
      status: 429,
      name: "RateLimitError",
      message: "Too many requests, please try again later.",
      details: {},
    },
  });
  const list = await app.handle(new Request("http://localhost/api/notes"));
  expect([list.status, ((await list.json()) as { data: unknown[] }).data.length]).toEqual([200, 2]);
});

test("limits another route as its own configuration says", async () => {
  const once = () => app.handle(new Request("http://localhost/api/once"));
  const [first, second] = [await once(), await once()];
  expect([first.status, await first.text(), second.status]).toEqual([200, "answered", 429]);
  const seconds = Number(second.headers.get("x-ratelimit-reset")) - Date.now() / 1000;
  expect(Math.round(seconds / 60)).toBe(5);
});

test("routes of plugins may have the limit of the administration", async () => {
  const call = () => app.handle(new Request("http://localhost/api/twice"));
  const answers = [await call(), await call(), await call()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
});
