/** Usernames that are somebody's email, in another spelling: they keep nobody out. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
const mayAll = (...actions: string[]) => actions.map((action) => `plugin::users-permissions.${action}`);
beforeAll(async () => {
  app = await testApp({
    ...configFile({
      limits: { passwords: 1_000 },
      users: [{ username: "eve", email: "eve@example.com", password: "eve-password" }],
      roles: {
        public: mayAll("auth.callback", "auth.register"),
        authenticated: mayAll("user.me", "user.update", "user.create"),
      },
    }),
    ...typeFile("post", {}),
  });
});
afterAll(() => app.close());

const register = async (username: string, email: string, password: string) =>
  app.call("POST", "/api/auth/local/register", { username, email, password }, {});
const logIn = async (identifier: string, password: string) => {
  const { status, body } = await app.call("POST", "/api/auth/local", { identifier, password }, {});
  return status === 200 ? body.user.email : body.error.message;
};

test("a username that is a spelling of a later email locks neither of them out", async () => {
  expect((await register("Ann@Example.com", "mallory@example.com", "mallory-password")).status).toBe(200);
  expect((await register("ann", "ANN@example.com", "ann-password")).status).toBe(200);
  for (const identifier of ["Ann@Example.com", "ann@example.com", "ANN@EXAMPLE.COM"])
    expect(await logIn(identifier, "ann-password")).toBe("ann@example.com");
  expect(await logIn("Ann@Example.com", "mallory-password")).toBe("mallory@example.com");
  expect(await logIn("ann@example.com", "mallory-password")).toBe("Invalid identifier or password");
  expect(await logIn("Ann@Example.com", "other")).toBe("Invalid identifier or password");
}, 30_000);

test("nobody registers or takes a username that is the email of another user, in any spelling", async () => {
  const { body } = await register("Eve@Example.COM", "x@example.com", "x-password");
  expect(body.error.message).toBe("Email or Username are already taken");
  const eve = await app.call("POST", "/api/auth/local", { identifier: "eve", password: "eve-password" }, {});
  expect((await register("joe", "joe@example.com", "joe-password")).status).toBe(200);
  const headers = { authorization: `Bearer ${eve.body.jwt}` };
  const rename = (username: string) => app.call("PUT", `/api/users/${eve.body.user.id}`, { username }, headers);
  expect((await rename("JOE@example.com")).body.error.message).toBe("Username already taken");
  const role = (await app.call("GET", "/api/users/me?populate=role", undefined, headers)).body.role?.id ?? 1;
  const made = { username: "Joe@example.com", email: "y@example.com", password: "y-password", role };
  expect((await app.call("POST", "/api/users", made, headers)).body.error.message).toBe("Username already taken");
  // their own email is theirs
  expect((await rename("EVE@example.com")).status).toBe(200);
  expect((await register("kim@example.com", "kim@example.com", "kim-password")).status).toBe(200);
}, 30_000);
