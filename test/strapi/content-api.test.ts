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
