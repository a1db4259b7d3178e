/** Actions of own routes in the administration: they are listed, and are granted to roles and tokens like all others. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley } from "../../src/index.ts";
import { diagnose } from "../../src/server/diagnose.ts";
import { openProject } from "../../src/server/project/project.ts";
import { startProject } from "../../src/server/start.ts";
import { type Body, configFile, projectFolder, type TestApp, testApp, typeFile, writeFiles } from "../project.ts";

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

test("a grant of actions that no route calls is a warning", async () => {
  const { root, remove } = projectFolder({
    ...configFile({ roles: { public: ["api::lamp.lamp.find", "api::shade.shade.find", "api::shade.shade.findOne"] } }),
    ...typeFile("lamp", { name: { type: "string" } }),
    ...typeFile("shade", { name: { type: "string" } }),
    "src/api/lamp/routes/lamp.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::lamp.lamp");`,
    "src/api/lamp/controllers/lamp.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::lamp.lamp", { find: () => [] });`,
  });
  const file = "config/galley.json";
  const reason =
    "grants actions of api::shade that no route calls, so that they are refused; a file in src/api/shade/routes with createCoreRouter adds the routes";
  const { project } = await startProject(root, { memory: true, publicRead: false, environment: {} });
  expect(project.warnings).toEqual([{ file, key: "roles.public", reason }]);
  await project.close();
  expect((await diagnose(root, {})).warnings).toEqual([{ file, key: "roles.public", reason }]);
  remove();
});

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

/** Routes that exist once the code runs: of `register`, of functions that make routers, and of an extension. */
const LATER = {
  ...CODE,
  "src/api/lamp/controllers/lamp.js": `module.exports = { lit: () => "lit", dim: () => "dimmed" };`,
  "src/index.js": `module.exports = {
    register({ strapi }) {
      strapi.api("lamp").routes.lamp.routes.push({ method: "GET", path: "/lamps/dim", handler: "lamp.dim" });
    },
    async bootstrap({ strapi }) {
      const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "public" } });
      const data = { action: "api::lamp.lamp.lit", role: role.id };
      const permissions = strapi.db.query("plugin::users-permissions.permission");
      if (!(await permissions.findOne({ where: data }))) await permissions.create({ data });
    },
  };`,
  "src/api/bell/routes/bell.js": `module.exports = () => ({ routes: [{ method: "GET", path: "/bells", handler: "bell.ring" }] });`,
  "src/api/bell/controllers/bell.js": `module.exports = { ring: () => "ding" };`,
};
const PATHS = ["/api/greeting", "/api/lamps/dim", "/api/bells"];
const LATER_ACTIONS = ["plugin::users-permissions.user.greet", "api::lamp.lamp.dim", "api::bell.bell.ring"];

test.each([
  ["by name", LATER_ACTIONS],
  ["by pattern", ["plugin::users-permissions.user.gre*", "api::lamp.lamp.d*", "api::bell.*"]],
])("actions that exist once the code runs are granted %s, and stay with each start", async (_, names) => {
  const files = (permissions: readonly string[], more: object = {}) => ({
    ...configFile({
      roles: { public: permissions },
      tokens: [{ name: "own", type: "custom", key: "own", permissions }],
      ...more,
    }),
    ...LATER,
  });
  const { root, remove } = projectFolder(files(names));
  const served = async () => {
    const galley = await createGalley({ project: root, memory: false, environment: {} });
    const statuses = (headers: Record<string, string>) =>
      Promise.all([...PATHS, "/api/lamps/lit"].map(async (path) => (await galley.fetch(path, { headers })).status));
    const found = [await statuses({}), await statuses({ authorization: "Bearer own" })];
    await galley.close();
    return found;
  };
  // the last one is granted by the code, to the role
  const granted = [
    [200, 200, 200, 200],
    [200, 200, 200, 403],
  ];
  expect(await served()).toEqual(granted);
  expect(await served()).toEqual(granted);
  // a command that does not load the code applies the file
  writeFiles(root, files(names, { locales: [{ code: "en", isDefault: true }] }));
  await openProject(root, { memory: false, publicRead: false, environment: {} }).close();
  expect(await served()).toEqual(granted);
  writeFiles(root, files([names[0]!]));
  expect(await served()).toEqual([
    [200, 403, 403, 200],
    [200, 403, 403, 403],
  ]);
  remove();
});

test("the names that no action has are told once the code runs; the others are granted", async () => {
  const unknown = ["api::lamp.lamp.burn", "api::horn.*", "plugin::users-permissions.user.wave"];
  const files = { ...configFile({ roles: { public: [...unknown, "api::bell.*"] } }), ...LATER };
  const lines = [
    "config/galley.json: roles.public: there is no action api::lamp.lamp.burn",
    "config/galley.json: roles.public: there is no action api::horn.*",
    "config/galley.json: roles.public: there is no action plugin::users-permissions.user.wave",
  ];
  const refusal = await testApp(files).then(() => "", String);
  expect(lines.filter((line) => !refusal.includes(line))).toEqual([]);
  const { root, remove } = projectFolder(files);
  // the first start of a server reports what fails
  const options = { memory: true, publicRead: false, environment: {}, skipsFailingCode: true };
  const { project } = await startProject(root, options);
  expect(project.code!.problems.map(({ file, message }) => `${file}: ${message}`)).toEqual(
    lines.map((line) => expect.stringContaining(line)),
  );
  expect([...project.access.roles.actions(project.access.roles.idByType("public")!)]).toEqual(
    expect.arrayContaining(["api::bell.bell.ring"]),
  );
  await project.close();
  remove();
});

test.each([
  ["roles", { roles: { public: ["api::lamp.lamp.burn"] } }],
  ["roles", { roles: { public: ["plugin::upload.user.greet"] } }],
  ["tokens", { tokens: [{ name: "a", type: "custom", key: "a", permissions: ["api::lamp.lamp.burn"] }] }],
])("other actions in %s are refused", async (_, settings) => {
  expect(await testApp({ ...configFile(settings), ...CODE }).then(() => "", String)).toContain("there is no action");
});

test("those of core routers of a plugin's content-types can be granted", async () => {
  const shelf = await testApp({
    ...configFile({ roles: { public: ["plugin::desk.drawer.find"] } }),
    "config/plugins.js": `module.exports = { desk: { enabled: true, resolve: "./src/plugins/desk" } };`,
    "src/plugins/desk/package.json": `{ "name": "desk", "strapi": { "kind": "plugin", "name": "desk" } }`,
    "src/plugins/desk/strapi-server.js": `const { factories } = require("@strapi/strapi");
      const uid = "plugin::desk.drawer";
      module.exports = {
        contentTypes: { drawer: { schema: { kind: "collectionType", collectionName: "drawers", info: { singularName: "drawer", pluralName: "drawers", displayName: "Drawer" }, attributes: { name: { type: "string" } } } } },
        controllers: { drawer: factories.createCoreController(uid) },
        services: { drawer: factories.createCoreService(uid) },
        routes: { "content-api": factories.createCoreRouter(uid) },
      };`,
  });
  const statusOf = async (path: string): Promise<number> =>
    (await shelf.handle(new Request(`http://localhost${path}`))).status;
  expect(await statusOf("/api/desk/drawers")).toBe(200);
  expect(await statusOf("/api/desk/drawers/top")).toBe(403);
  await shelf.close();
});
