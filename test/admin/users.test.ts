/** Users in the content manager. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, createCall, projectFolder, type TestApp } from "../project.ts";

const KEY = "test-admin";
const folder = projectFolder({
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
  "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
    plugin.contentTypes.user.schema.attributes.age = { type: "integer", min: 18 };
    plugin.contentTypes.user.schema.attributes.nick = { type: "string", minLength: 3 };
    return plugin;
  };`,
});
let galley: Galley;
let call: TestApp["call"];
beforeAll(async () => {
  galley = await createGalley({ project: folder.root, admin: true });
  call = createCall(galley, { authorization: `Bearer ${KEY}` });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

const USERS = "/content-manager/collection-types/plugin::users-permissions.user";
const ann = { username: "ann", email: "ann@example.com", password: "Passw0rd!", role: 1, confirmed: true };

test("invalid attributes of the project's own are refused by their paths", async () => {
  const { body } = await call("POST", USERS, { ...ann, age: 3 });
  expect(body.error).toMatchObject({ name: "ValidationError", details: { errors: [{ path: ["age"] }] } });
});

test("and those of an existing user", async () => {
  const { body: user } = await call("POST", USERS, ann);
  const { body } = await call("PUT", `${USERS}/${user.documentId}`, { age: 3 });
  expect(body.error).toMatchObject({ name: "ValidationError", details: { errors: [{ path: ["age"] }] } });
});
