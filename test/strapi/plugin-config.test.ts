/** Configuration of plugins, features and mails, as Strapi's documentation describes them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp } from "../project.ts";

const plugin = (validator: string) => `module.exports = {
  config: {
    default: ({ env }) => ({ limit: env.int("NONE", 3), nested: { a: 1, b: 2, list: [1, 2] }, word: "default" }),
    validator(config) { ${validator} },
  },
  bootstrap({ strapi }) { strapi.seen = [strapi.plugin("local").config("word"), strapi.config.get("plugin::local.limit")]; },
};`;

const files = (validator = "") => ({
  ...configFile({ roles: { public: [] } }),
  "config/plugins.js":
    'module.exports = { local: { enabled: true, resolve: "./src/plugins/local", config: { word: "own", nested: { b: 3, list: [9] } } } };',
  "config/features.js":
    "module.exports = ({ env }) => ({ plain: true, future: { on: env.bool('NONE', true), off: false, text: 'true' } });",
  "src/plugins/local/package.json": '{ "name": "own", "strapi": { "kind": "plugin", "addon": true } }',
  "src/plugins/local/strapi-server.js": plugin(validator),
  "src/extensions/local/strapi-server.js":
    "module.exports = (plugin) => { globalThis.extendedConfig = plugin.config; return plugin; };",
  "src/api/see/controllers/see.js": `module.exports = {
    config: (ctx) => { const { future, isEnabled } = strapi.features; ctx.body = {
      seen: strapi.seen, enabled: strapi.config.get("enabledPlugins.local.info"), local: strapi.config.get("plugin::local"), extended: globalThis.extendedConfig,
      features: [isEnabled("plain"), future.isEnabled("on"), future.isEnabled("off"), future.isEnabled("text"), future.isEnabled("none")],
    }; },
    params: (ctx) => { ctx.body = ctx.params; },
    async mail(ctx) { await strapi.plugin("email").service("email").sendTemplatedEmail({ to: "a@example.com" }, ctx.request.body, { user: { name: "A <b>", first: true } }); ctx.body = { sent: true }; },
  };`,
  "src/api/see/routes/see.js": `module.exports = { routes: [
    { method: "GET", path: "/config", handler: "see.config", config: { auth: false } },
    { method: "GET", path: "/params/:id", handler: "see.params", config: { auth: false } },
    { method: "POST", path: "/params/:id", handler: "see.params", config: { auth: false } },
    { method: "POST", path: "/mail", handler: "see.mail", config: { auth: false } },
  ] };`,
});

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files());
});
afterAll(() => app.close());

test("a plugin with a folder runs where the configuration enables it, and has an empty configuration if there is none", async () => {
  const runs = async (entry: string): Promise<boolean> => {
    const own = await testApp({
      ...configFile(),
      "config/plugins.js": `module.exports = { local: ${entry} };`,
      "src/plugins/local/package.json": "{}",
      "src/plugins/local/strapi-server.js": "module.exports = {};",
      "src/index.js":
        "module.exports = { register({ strapi }) { globalThis.hasLocal = !!strapi.plugin('local') && !!strapi.config.get('plugin::local'); } };",
    });
    await own.close();
    return (globalThis as unknown as { hasLocal: boolean }).hasLocal;
  };
  const resolve = 'resolve: "./src/plugins/local"';
  for (const enabled of ["true", "'yes'"]) expect(await runs(`{ enabled: ${enabled}, ${resolve} }`)).toBe(true);
  for (const entry of [`{ ${resolve} }`, `{ enabled: 0, ${resolve} }`]) expect(await runs(entry)).toBe(false);
});

test("a plugin has its defaults, changed by config/plugins, before its hooks and extensions", async () => {
  // as in Strapi, a list has the items of the default beyond its own
  const local = { limit: 3, nested: { a: 1, b: 3, list: [9, 2] }, word: "own" };
  expect((await app.call("GET", "/api/config")).body).toEqual({
    seen: ["own", 3],
    enabled: { name: "local", kind: "plugin", addon: true, packageName: "own" },
    local,
    extended: local,
    features: [true, true, false, false, false],
  });
});

test.each([
  ["a validator", "if (config.limit < 5) throw new Error('limit is too low');"],
  ["an asynchronous validator", "return Promise.resolve().then(() => { throw new Error('limit is too low') })"],
])("%s of a plugin refuses its configuration", async (_, validator) => {
  const start = testApp(files(validator));
  await expect(start).rejects.toThrow("Error regarding local config: limit is too low");
});

test("only reads have the path among their parameters", async () => {
  const [read, write] = [await app.call("GET", "/api/params/7"), await app.call("POST", "/api/params/7", {})];
  expect([read.body, write.body]).toEqual([{ 0: "api/params/7", id: "7" }, { id: "7" }]);
});

test("templates of mails need all their parts", async () => {
  const complete = { subject: "Hi <%= user.name %>", text: "<% if (user.first) { %>first<% } %>", html: "" };
  expect((await app.call("POST", "/api/mail", complete)).body).toEqual({ sent: true });
  expect((await app.call("POST", "/api/mail", { subject: "s", text: "t" })).status).toBe(500);
});
