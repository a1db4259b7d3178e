/** `validationRules.validatePassword` in the configuration of users-permissions. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({
      roles: { public: ["plugin::users-permissions.auth.*"], authenticated: ["plugin::users-permissions.auth.*"] },
    }),
    "config/plugins.js": `module.exports = { "users-permissions": { config: { validationRules: {
      async validatePassword(password) {
        if (password.includes("secret")) throw new Error("Not that word");
        return password.length > 9;
      } } } } };`,
  });
});
afterAll(() => app.close());

const register = (password: unknown, email: string) =>
  app.call("POST", "/api/auth/local/register", { username: email.split("@")[0], email, password }, {});
const problemsOf = ({ status, body }: { status: number; body: Body }) => [
  status,
  body.error?.message,
  body.error?.details.errors?.map(({ path }: Body) => path.join(".")),
];

test("registration", async () => {
  expect(problemsOf(await register("short", "a@example.com"))).toEqual([
    400,
    "Password validation failed.",
    ["password"],
  ]);
  expect(problemsOf(await register("very secret word", "a@example.com"))).toEqual([400, "Not that word", ["password"]]);
  expect(problemsOf(await register("short", "nobody"))).toEqual([400, "2 errors occurred", ["email", "password"]]);
  expect(problemsOf(await register(undefined, "a@example.com"))[1]).toBe("password is a required field");
  expect((await register("long enough", "ada@example.com")).status).toBe(200);
});

test("a changed password, over REST and GraphQL", async () => {
  const { body } = await register("long enough too", "bob@example.com");
  const headers = { authorization: `Bearer ${body.jwt}` };
  const change = (password: string) =>
    app.call(
      "POST",
      "/api/auth/change-password",
      { currentPassword: "long enough too", password, passwordConfirmation: password },
      headers,
    );
  expect(problemsOf(await change("short"))).toEqual([400, "Password validation failed.", ["password"]]);
  const query = `mutation { register(input: { username: "eve", email: "eve@example.com", password: "short" }) { jwt } }`;
  const graphql = await app.call("POST", "/graphql", { query }, {});
  expect(graphql.body.errors[0].message).toBe("Password validation failed.");
  expect((await change("something longer")).status).toBe(200);
});
