/** The routes of the Content API as the administration lists them, in a project without own code. */
import { afterAll, expect, test } from "bun:test";
import { configFile, testApp, typeFile } from "../../project.ts";

const KEY = "an-admin-token";
const app = await testApp(
  {
    ...typeFile("note", { title: { type: "string" } }),
    ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
  },
  { admin: true },
);
afterAll(() => app.close());

const { routes } = (await app.call("GET", "/users-permissions/routes", undefined, { authorization: `Bearer ${KEY}` }))
  .body;

test("owners and routes are in Strapi's order, with Strapi's paths", () => {
  expect(Object.keys(routes)).toEqual([
    "api::note",
    ...["content-type-builder", "email", "upload", "i18n", "users-permissions"].map((name) => `plugin::${name}`),
  ]);
  const paths = (name: string) =>
    routes[`plugin::${name}`].map(({ method, path }: { method: string; path: string }) => `${method} ${path}`);
  expect(paths("email")).toEqual(["POST /api/email/"]);
  expect(paths("upload")[0]).toBe("POST /api/upload/");
  expect(paths("users-permissions").slice(0, 4)).toEqual([
    "GET /api/connect/(.*)",
    "POST /api/auth/local",
    "POST /api/auth/local/register",
    "GET /api/auth/:provider/callback",
  ]);
  expect(paths("users-permissions").slice(-3)).toEqual([
    "PUT /api/users-permissions/roles/:role",
    "DELETE /api/users-permissions/roles/:role",
    "GET /api/users-permissions/permissions",
  ]);
});

test("their options, scopes and origins are shown", () => {
  expect(routes["plugin::users-permissions"][0]).toEqual({
    method: "GET",
    path: "/api/connect/(.*)",
    handler: "auth.connect",
    config: {
      middlewares: ["plugin::users-permissions.rateLimit"],
      prefix: "",
      auth: { scope: ["plugin::users-permissions.auth.connect"] },
    },
    info: { pluginName: "users-permissions", type: "content-api" },
  });
});
