/** Requests that write while a transaction of own code has the database's lock: they wait for it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, configFile, type TestApp, testApp } from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile(),
    "src/api/hold/controllers/hold.js": `module.exports = {
      async hold(ctx) { await strapi.db.transaction(() => new Promise((resolve) => setTimeout(resolve, 500))); ctx.body = {}; },
    };`,
    "src/api/hold/routes/hold.js": `module.exports = { routes: [
      { method: "POST", path: "/hold", handler: "hold.hold", config: { auth: false } }] };`,
  });
});
afterAll(() => app.close());

const role = { name: "Editor", description: "d", permissions: {} };

test.each<[string, string, string, unknown]>([
  ["a role is created", "POST", "/api/users-permissions/roles", role],
  ["a role is changed", "PUT", "/api/users-permissions/roles/1", role],
  ["a role is removed", "DELETE", "/api/users-permissions/roles/3", undefined],
  [
    "a user is created",
    "POST",
    "/api/users",
    { username: "ada", email: "ada@example.com", password: "Secret-1", role: 1 },
  ],
])("%s", async (_, method, path, body) => {
  const held = app.call("POST", "/api/hold", {}, {});
  await Bun.sleep(100);
  const { status } = await app.call(method, path, body, ADMIN);
  expect(status).toBeLessThan(300);
  await held;
});
