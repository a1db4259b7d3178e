/** Extensions of the user type: without `role`, or the name of its other side, and with attributes of their own. */
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

test("of roles that do not know their users are counted by the users' own relation, and move to the public role", async () => {
  const role = { type: "relation", relation: "manyToOne", target: "plugin::users-permissions.role" };
  const text = { type: "string" };
  const flag = { type: "boolean" };
  const columns = { provider: text, password: { type: "password" }, confirmed: flag, blocked: flag };
  const oneSided = { ...schema, attributes: { ...schema.attributes, ...columns, role } };
  const [path] = Object.keys(files) as [string];
  const users = [{ username: "ann", email: "ann@example.com", role: "editor" }];
  const app = await testApp({
    [path]: JSON.stringify(oneSided),
    ...configFile({ users, roles: { public: [], editor: [] } }),
  });
  const counts = async () => {
    const { body } = await app.call("GET", "/api/users-permissions/roles");
    const { roles } = body as { roles: { id: number; type: string; nb_users: number }[] };
    return new Map(roles.map(({ type, nb_users, id }) => [type, { nb_users, id }]));
  };
  const before = await counts();
  expect(before.get("editor")?.nb_users).toBe(1);
  expect((await app.call("DELETE", `/api/users-permissions/roles/${before.get("editor")?.id}`)).status).toBe(200);
  expect((await counts()).get("public")?.nb_users).toBe(1);
  await app.close();
});

test("give configured users the defaults of their attributes", async () => {
  const type = (name: string, value: unknown) => ({ type: name, default: value });
  const attributes = {
    ...schema.attributes,
    provider: { type: "string" },
    confirmed: { type: "boolean" },
    blocked: { type: "boolean" },
    role: { type: "relation", relation: "manyToOne", target: "plugin::users-permissions.role", inversedBy: "users" },
    level: { type: "enumeration", enum: ["low", "high"], default: "low" },
    isNew: type("boolean", true),
    tags: type("json", ["a"]),
  };
  const [path] = Object.keys(files) as [string];
  const users = [{ username: "ann", email: "ann@example.com" }];
  const app = await testApp({ [path]: JSON.stringify({ ...schema, attributes }), ...configFile({ users }) });
  const { body } = await app.call("GET", "/api/users");
  expect(body).toMatchObject([{ username: "ann", level: "low", isNew: true, tags: ["a"] }]);
  await app.close();
});

test("with a default that cannot be stored are named, where users are configured", async () => {
  const role = {
    type: "relation",
    relation: "manyToOne",
    target: "plugin::users-permissions.role",
    inversedBy: "users",
  };
  const attributes = { ...schema.attributes, role, since: { type: "datetime", default: "soon" } };
  const [path] = Object.keys(files) as [string];
  const project = { [path]: JSON.stringify({ ...schema, attributes }) };
  await (await testApp(project)).close();
  const users = [{ username: "ann", email: "ann@example.com" }];
  await expect(testApp({ ...project, ...configFile({ users }) })).rejects.toThrow(
    "config/galley.json: users: a default of plugin::users-permissions.user: Invalid format",
  );
});
