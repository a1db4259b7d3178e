/** Hooks on writes of the administration. */
import { expect, test } from "bun:test";
import { configFile, testApp } from "../project.ts";

test("a hook gets the whole row that the administration has created", async () => {
  const administrator = { name: "admin", type: "admin", key: "an-admin-token" };
  const subscription = `{ models: ["plugin::users-permissions.user"], afterCreate({ result }) { globalThis.createdUser = result; } }`;
  const app = await testApp(
    {
      ...configFile({ tokens: [administrator] }),
      "src/index.js": `module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe(${subscription}); } };`,
    },
    { admin: true },
  );
  const path = "/content-manager/collection-types/plugin::users-permissions.user";
  const user = { username: "ida", email: "ida@example.com", password: "Passw0rd", confirmed: true, role: 1 };
  const { status } = await app.call("POST", path, user, { authorization: "Bearer an-admin-token" });
  expect(status).toBe(201);
  expect(globalThis).toMatchObject({ createdUser: { username: "ida", email: "ida@example.com" } });
  await app.close();
});
