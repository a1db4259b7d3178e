/** Actions that `bootstrap` replaces: routes are composed before it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({
    roles: {
      public: ["api::note.note.*", "plugin::users-permissions.user.count", "plugin::users-permissions.user.find"],
    },
  }),
  ...typeFile("note", { title: { type: "string" } }),
  "src/api/note/routes/note.js":
    'module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");',
  "src/api/note/routes/own.js": `module.exports = { routes: [
    { method: "GET", path: "/own", handler: "note.own" },
    { method: "GET", path: "/calls", handler: "note.calls" },
  ] };`,
  "src/api/note/services/note.js":
    'module.exports = require("@strapi/strapi").factories.createCoreService("api::note.note");',
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", () => ({
    own(ctx) { ctx.body = ["own"]; },
    async calls(ctx) { ctx.body = [this.word()]; },
    word: () => "before",
  }));`,
  "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
    const count = plugin.controllers.user.count;
    plugin.controllers.user.count = async (ctx) => { await count(ctx); ctx.body = { count: ctx.body }; };
    const bootstrap = plugin.bootstrap;
    plugin.bootstrap = async (args) => {
      await bootstrap?.(args);
      plugin.controllers.user.find = (ctx) => { ctx.body = ["replaced"]; };
    };
    return plugin;
  };`,
  "src/index.js": `module.exports = {
    bootstrap({ strapi }) {
      const controller = strapi.controller("api::note.note");
      controller.own = controller.find = (ctx) => { ctx.body = ["replaced"]; };
      controller.word = () => "after";
    },
  };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const read = async (path: string) => (await app.call("GET", path, undefined, {})).body;

test("an action that bootstrap replaces is not the one of the route", async () => {
  expect(await read("/api/own")).toEqual(["own"]);
  expect(await read("/api/notes")).toEqual({
    data: [],
    meta: { pagination: { page: 1, pageSize: 25, pageCount: 0, total: 0 } },
  });
  expect(await read("/api/users")).toEqual([]);
});

test("a function that an action calls is the replaced one", async () => {
  expect(await read("/api/calls")).toEqual(["after"]);
});

test("an action that an extension replaces before is the one of the route", async () => {
  expect(await read("/api/users/count")).toEqual({ count: 0 });
});
