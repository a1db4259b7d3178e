/** The order in which routes of extended plugins are listed, which is not the one in which they are matched. */
import { afterAll, expect, test } from "bun:test";
import { configFile, testApp } from "../project.ts";

const KEY = "an-admin-token";
const app = await testApp(
  {
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      plugin.controllers.user.mine = (ctx) => { ctx.body = "mine"; };
      plugin.routes["content-api"].routes.push({ method: "GET", path: "/mine", handler: "user.mine", config: { prefix: "", policies: [] } });
      return plugin;
    };`,
    ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
  },
  { admin: true },
);
afterAll(() => app.close());

test("the administration lists a route that an extension adds last, whatever its prefix", async () => {
  const { body } = await app.call("GET", "/users-permissions/routes", undefined, { authorization: `Bearer ${KEY}` });
  const listed: { path: string }[] = body.routes["plugin::users-permissions"];
  expect(listed.slice(-2).map(({ path }) => path)).toEqual(["/api/users-permissions/permissions", "/api/mine"]);
});
