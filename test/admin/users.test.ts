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

test("invalid attributes of the project's own are an ApplicationError for a new user", async () => {
  const { body } = await call("POST", USERS, { ...ann, age: 3 });
  expect(body.error).toEqual({
    status: 400,
    name: "ApplicationError",
    message: "age must be greater than or equal to 18",
    details: {},
  });
  const several = await call("POST", USERS, { ...ann, age: 3, nick: "x" });
  expect(several.body.error).toMatchObject({ name: "ApplicationError", message: "2 errors occurred", details: {} });
});

test("and a ValidationError for an existing one", async () => {
  const { body: user } = await call("POST", USERS, ann);
  const { body } = await call("PUT", `${USERS}/${user.documentId}`, { age: 3 });
  expect(body.error).toMatchObject({ name: "ValidationError", details: { errors: [{ path: ["age"] }] } });
});
