/** Actions of own routes in the administration: they are listed, and are granted to roles and tokens like all others. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp } from "../project.ts";

let app: TestApp;
const ADMINISTRATOR = { authorization: "Bearer an-admin-token" };
beforeAll(async () => {
  app = await testApp(
    {
      ...configFile({ tokens: [{ name: "admin", type: "admin", key: "an-admin-token" }] }),
      "src/api/lamp/routes/lamp.js": `module.exports = { routes: [
      { method: "GET", path: "/lamps/lit", handler: "lamp.lit" },
      { method: "POST", path: "/lamps/dim", handler: "api::lamp.lamp.dim", config: { auth: false } },
    ] };`,
      "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      plugin.controllers.user.greet = (ctx) => { ctx.body = "hello"; };
      plugin.routes["content-api"].routes.push({ method: "GET", path: "/greeting", handler: "user.greet", config: { prefix: "" } });
      return plugin;
    };`,
      "config/plugins.js": `module.exports = { desk: { enabled: true, resolve: "./src/plugins/desk" } };`,
      "src/plugins/desk/package.json": `{ "name": "desk", "strapi": { "kind": "plugin", "name": "desk" } }`,
      "src/plugins/desk/strapi-server.js": `const routes = (method) => [{ method, path: "/drawers", handler: "drawer." + method.toLowerCase() }];
      module.exports = {
        controllers: { drawer: { get: () => "open", put: () => "shut" } },
        routes: { admin: { routes: routes("PUT") }, "content-api": { type: "content-api", routes: routes("GET") } },
      };`,
      "src/api/lamp/controllers/lamp.js": `module.exports = { lit: () => "lit", dim: () => "dimmed" };`,
    },
    { admin: true },
  );
});
afterAll(() => app.close());

const asAdministrator = async (method: string, path: string, body?: unknown): Promise<Body> =>
  (await app.call(method, path, body, ADMINISTRATOR)).body;
const statusOf = async (headers: Record<string, string>, path = "/api/lamps/lit"): Promise<number> =>
  (await app.handle(new Request(`http://localhost${path}`, { headers }))).status;

test("they are listed with all actions, and with those of a role", async () => {
  const { permissions } = await asAdministrator("GET", "/users-permissions/permissions");
  const expected = {
    controllers: { lamp: { lit: { enabled: false, policy: "" }, dim: { enabled: false, policy: "" } } },
  };
  expect(permissions["api::lamp"]).toEqual(expected);
  // routes of plugins are the administration's unless they say otherwise
  expect(permissions["plugin::desk"]).toEqual({ controllers: { drawer: { get: { enabled: false, policy: "" } } } });
  expect(permissions["plugin::users-permissions"].controllers.user.greet).toEqual({ enabled: false, policy: "" });
  const { data } = await asAdministrator("GET", "/admin/content-api/permissions");
  expect(data["api::lamp"]).toEqual({ controllers: { lamp: ["lit", "dim"] } });
});

test("what a role's listing enables is granted", async () => {
  const { roles } = await asAdministrator("GET", "/users-permissions/roles");
  const { id } = roles.find(({ type }: Body) => type === "public");
  expect(await statusOf({})).toBe(403);
  const { role } = await asAdministrator("GET", `/users-permissions/roles/${id}`);
  role.permissions["api::lamp"].controllers.lamp.lit.enabled = true;
  await asAdministrator("PUT", `/users-permissions/roles/${id}`, role);
  expect(await statusOf({})).toBe(200);
  const after = await asAdministrator("GET", `/users-permissions/roles/${id}`);
  expect(after.role.permissions["api::lamp"].controllers.lamp).toEqual({
    lit: { enabled: true, policy: "" },
    dim: { enabled: false, policy: "" },
  });
});

test("a custom token has them, and is refused others", async () => {
  const token = { name: "own", description: "", type: "custom", lifespan: null };
  const create = (permissions: string[]) => asAdministrator("POST", "/admin/api-tokens", { ...token, permissions });
  const { error } = await create(["api::lamp.lamp.burn"]);
  expect(error.message).toBe("Unknown permissions provided: api::lamp.lamp.burn");
  const { data } = await create(["api::lamp.lamp.lit"]);
  expect(data.permissions).toEqual(["api::lamp.lamp.lit"]);
  expect(await statusOf({ authorization: `Bearer ${data.accessKey}` })).toBe(200);
});

const CODE = {
  "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
    plugin.controllers.user.greet = (ctx) => { ctx.body = "hello"; };
    plugin.routes["content-api"].routes.push({ method: "GET", path: "/greeting", handler: "user.greet", config: { prefix: "" } });
    return plugin;
  };`,
  "src/api/lamp/routes/lamp.js": `module.exports = { routes: [{ method: "GET", path: "/lamps/lit", handler: "lamp.lit" }] };`,
  "src/api/lamp/controllers/lamp.js": `module.exports = { lit: () => "lit" };`,
};

test("config/galley.json grants actions that extensions add, and own ones to custom tokens", async () => {
  const own = await testApp({
    ...configFile({
      roles: { public: ["plugin::users-permissions.user.greet"] },
      tokens: [{ name: "lamps", type: "custom", key: "lamps", permissions: ["api::lamp.lamp.lit"] }],
    }),
    ...CODE,
  });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await own.handle(new Request(`http://localhost${path}`, { headers }));
    return response.ok ? response.text() : response.status;
  };
  expect(await get("/api/greeting")).toBe("hello");
  expect(await get("/api/lamps/lit")).toBe(403);
  expect(await get("/api/lamps/lit", { authorization: "Bearer lamps" })).toBe("lit");
  await own.close();
});

test.each([
  ["roles", { roles: { public: ["api::lamp.lamp.burn"] } }],
  ["roles", { roles: { public: ["plugin::upload.user.greet"] } }],
  ["tokens", { tokens: [{ name: "a", type: "custom", key: "a", permissions: ["api::lamp.lamp.burn"] }] }],
])("other actions in %s are refused", async (_, settings) => {
  expect(testApp({ ...configFile(settings), ...CODE })).rejects.toThrow("there is no action");
});
