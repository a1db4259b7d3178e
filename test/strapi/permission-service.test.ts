/** What authentication strategies of code take permissions from: roles, as abilities. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp } from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({
      roles: { public: ["plugin::users-permissions.user.count"], authenticated: ["plugin::users-permissions.user.me"] },
    }),
    "src/api/see/controllers/see.js": `module.exports = { async find(ctx) {
      const { findRolePermissions, findPublicPermissions, toContentAPIPermission } = strapi.plugin("users-permissions").service("permission");
      const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "authenticated" } });
      const [own, open, none] = [await findRolePermissions(role.id), await findPublicPermissions(), await findRolePermissions(0)];
      const ability = await strapi.contentAPI.permissions.engine.generateAbility(own.map(toContentAPIPermission));
      const actions = ["plugin::users-permissions.user.me", "plugin::users-permissions.user.count"];
      ctx.body = {
        own: own.map(({ action }) => action), open: open.map(({ action }) => action), none,
        can: actions.map((action) => ability.can(action)), cannot: actions.map((action) => ability.cannot(action)),
      };
    } };`,
    "src/api/see/routes/see.js": `module.exports = { routes: [{ method: "GET", path: "/see", handler: "see.find", config: { auth: false } }] };`,
  });
});
afterAll(() => app.close());

test("an ability has the permissions of a role", async () => {
  expect((await app.call("GET", "/api/see")).body).toEqual({
    own: ["plugin::users-permissions.user.me"],
    open: ["plugin::users-permissions.user.count"],
    none: [],
    can: [true, false],
    cannot: [false, true],
  });
});
