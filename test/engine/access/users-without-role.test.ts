/** Extensions of the user type that leave out `role`. */
import { expect, test } from "bun:test";
import { configFile, testApp } from "../../project.ts";

const schema = {
  kind: "collectionType",
  collectionName: "up_users",
  info: { singularName: "user", pluralName: "users", displayName: "User" },
  options: { draftAndPublish: false },
  attributes: { username: { type: "string" }, email: { type: "email" } },
};
const files = { "src/extensions/users-permissions/content-types/user/schema.json": JSON.stringify(schema) };

test("are served", async () => {
  const app = await testApp(files);
  expect((await app.call("GET", "/api/users")).status).toBe(200);
  await app.close();
});

test("are refused if the configuration has users", async () => {
  const users = [{ username: "ann", email: "ann@example.com", password: "Passw0rd!" }];
  const started = testApp({ ...files, ...configFile({ users }) });
  await expect(started).rejects.toThrow(
    "config/galley.json: users: plugin::users-permissions.user has no attribute role",
  );
});
