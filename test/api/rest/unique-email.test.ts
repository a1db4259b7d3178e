/** Whether several users may have an email address, as the settings of users say. */
import { expect, test } from "bun:test";
import { configFile, type TestApp, testApp } from "../../project.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "Secret-1";

/** The statuses of writes of users whose address another user of a login provider has. */
async function writeOthers(app: TestApp): Promise<readonly number[]> {
  const user = { username: "ada", email: EMAIL, password: PASSWORD, role: 1 };
  const { body } = await app.call("POST", "/api/users", user);
  app.database().query("UPDATE up_users SET provider = 'github' WHERE id = ?").run(body.id);
  const other = await app.call("POST", "/api/users", { ...user, username: "bob", email: "bob@example.com" });
  const statuses = [
    await app.call("PUT", `/api/users/${other.body.id}`, { email: EMAIL.toUpperCase() }),
    await app.call("PUT", `/api/users/${other.body.id}`, { email: "bob@example.com" }),
    await app.call("POST", "/api/auth/local/register", { username: "cyd", email: EMAIL, password: PASSWORD }, {}),
    await app.call("POST", "/api/users", { ...user, username: "dan" }),
  ];
  return statuses.map(({ status }) => status);
}

test.each([
  [{}, [400, 200, 400, 400]],
  [{ uniqueEmail: false }, [200, 200, 200, 201]],
])("auth %j", async (auth, statuses) => {
  const app = await testApp(
    configFile({ auth, tokens: [{ name: "full", type: "full-access", key: "full-access-key" }] }),
  );
  const call: TestApp["call"] = (method, path, body, headers = { authorization: "Bearer full-access-key" }) =>
    app.call(method, path, body, headers);
  expect(await writeOthers({ ...app, call })).toEqual(statuses);
  await app.close();
});

test("users with a password keep their address for themselves at a registration", async () => {
  const app = await testApp(configFile({ auth: { uniqueEmail: false } }));
  const register = (username: string) =>
    app.call("POST", "/api/auth/local/register", { username, email: EMAIL, password: PASSWORD }, {});
  expect([(await register("ada")).status, (await register("bob")).status]).toEqual([200, 400]);
  await app.close();
});

test("the stored setting is followed at once", async () => {
  const app = await testApp(configFile({ tokens: [{ name: "admin", type: "admin", key: "admin-key" }] }), {
    admin: true,
  });
  const settings = (
    await app.call("GET", "/users-permissions/advanced", undefined, { authorization: "Bearer admin-key" })
  ).body.settings;
  const stored = { ...settings, unique_email: false };
  await app.call("PUT", "/users-permissions/advanced", stored, { authorization: "Bearer admin-key" });
  const register = (username: string) =>
    app.call("POST", "/api/auth/local/register", { username, email: EMAIL, password: PASSWORD }, {});
  expect((await register("ada")).status).toBe(200);
  app.database().query("UPDATE up_users SET provider = 'github'").run();
  expect((await register("bob")).status).toBe(200);
  const user = { username: "cyd", email: EMAIL, password: PASSWORD, role: 1 };
  const path = "/content-manager/collection-types/plugin::users-permissions.user";
  expect((await app.call("POST", path, user, { authorization: "Bearer admin-key" })).status).toBe(201);
  await app.close();
});
