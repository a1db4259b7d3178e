/** `strapi.contentAPI`, which code asks for everything that can be permitted, to grant it. */
import { expect, test } from "bun:test";
import { type Body, serviceFile, testApp, typeFile } from "../project.ts";

test("everything that can be permitted has a key, and is granted by it", async () => {
  const app = await testApp({
    ...typeFile("front", { title: { type: "string" } }, { kind: "singleType" }),
    ...serviceFile("front"),
    "src/api/front/controllers/front.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::front.front");`,
    "src/api/front/routes/front.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::front.front");`,
    "src/api/own/routes/own.js": `module.exports = { routes: [{ method: "GET", path: "/own", handler: "own.act" }] };`,
    "src/api/own/controllers/own.js": `module.exports = { act: () => "acted", idle: () => "" };`,
    "src/index.js": `module.exports = { async bootstrap({ strapi }) {
      globalThis.actionKeys = strapi.contentAPI.permissions.providers.action;
      const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "public" } });
      for (const action of globalThis.actionKeys.keys())
        await strapi.db.query("plugin::users-permissions.permission").create({ data: { action, role: role.id } });
    } };`,
  });
  const { actionKeys } = globalThis as Body;
  const some = ["api::front.front.update", "api::own.own.act", "plugin::users-permissions.auth.callback"];
  expect(actionKeys.keys()).toEqual(expect.arrayContaining(some));
  expect(actionKeys.keys()).not.toContain("api::front.front.findOne");
  expect(actionKeys.has("api::own.own.act")).toBe(true);
  // no route names it
  expect(actionKeys.has("api::own.own.idle")).toBe(false);
  const response = await app.handle(new Request("http://localhost/api/own"));
  expect(await response.text()).toBe("acted");
  await app.close();
});

test("actions that code registers are among those that can be permitted", async () => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/index.js": `module.exports = { async register({ strapi }) {
      const { action } = strapi.contentAPI.permissions.providers;
      await action.register("plugin::audit.read", { uid: "plugin::audit.read" });
      globalThis.registeredActions = action;
    } };`,
  });
  const { registeredActions } = globalThis as Body;
  expect(registeredActions.keys()).toContain("plugin::audit.read");
  expect(registeredActions.get("plugin::audit.read")).toEqual({ uid: "plugin::audit.read" });
  const [find] = registeredActions.values().filter(({ uid }: Body) => uid === "api::note.note.find");
  expect(find).toEqual({ uid: "api::note.note.find", api: "api::note", controller: "note", action: "find" });
  await app.close();
});

test("schemas without a uid are followed as they are, as in Strapi", async () => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/own/routes/own.js": `module.exports = { routes: [{ method: "GET", path: "/own", handler: "own.act", config: { auth: false } }] };`,
    "src/api/own/controllers/own.js": `
      const schema = { collectionName: "settings", attributes: { key: { type: "string" }, secret: { type: "string", private: true } } };
      module.exports = { async act() {
        const { sanitize, validate } = strapi.contentAPI;
        const refused = (promise) => promise.then(() => "", (error) => error.name + ": " + error.message);
        return [
          await sanitize.input([{ id: 1, key: "a", secret: "b" }], schema), await sanitize.output({ id: 1, key: "a", secret: "b" }, schema),
          await sanitize.query({ filters: { key: "a", other: 1 } }, schema), await sanitize.filters({ secret: "b" }, schema),
          await refused(validate.query({ filters: { other: 1 } }, schema)), await refused(validate.input({ other: 1 }, schema)),
        ];
      } };`,
  });
  const response = await app.handle(new Request("http://localhost/api/own"));
  expect(await response.json()).toEqual([
    [{ key: "a", secret: "b" }],
    { id: 1, key: "a" },
    { filters: { key: "a" } },
    {},
    "ValidationError: Invalid key other",
    "ValidationError: Invalid key other",
  ]);
  await app.close();
});
