/** Settings that have an effect in Strapi only are named, with the reason. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { loadSettings } from "../../../src/engine/config/settings.ts";
import { unusedSettings } from "../../../src/engine/config/unused-settings.ts";
import { ProjectReport } from "../../../src/lib/errors.ts";
import { diagnose } from "../../../src/server/diagnose.ts";
import { configFile, projectFolder, typeFile } from "../../project.ts";

const files = {
  ...configFile(),
  ...typeFile("note", { title: { type: "string" } }),
  "config/server.js": `module.exports = ({ env }) => ({ host: "0.0.0.0", port: 1337, app: { keys: ["k"] }, socket: "/tmp/s",
    http: { serverOptions: { requestTimeout: 5 } }, proxy: { koa: true, global: "http://proxy" }, transfer: { remote: { enabled: true } },
    logger: { updates: {} }, url: "", misspelt: true });`,
  "config/admin.js": `module.exports = { auth: { secret: undefined }, apiToken: { salt: "s" }, serveAdminPanel: true, watchIgnoreFiles: [], flags: { nps: true } };`,
  "config/env/development/admin.js": "module.exports = { serveAdminPanel: false };",
  "config/database.js": `module.exports = { connection: { client: "postgres" } };`,
  "config/plugins.js": `module.exports = {
    graphql: { config: { shadowCRUD: false, playgroundAlways: true, apolloServer: { tracing: false, introspection: false, plugins: [1], allowBatchedHttpRequests: true, cors: { origin: "x" }, csrfPrevention: { requestHeaders: ["x"] } }, endpoint: "/graphql" } },
    documentation: { enabled: true }, "not-there": { config: {} }, off: { enabled: false }, own: { enabled: true, resolve: "./src/plugins/own" },
    upload: { config: { sharp: { concurrency: 2 }, sizeLimit: 5 } },
    "users-permissions": { config: { jwt: { expiresIn: "1d", issuer: "us" } } } };`,
  "src/plugins/own/package.json": "{}",
  "database/migrations/2024.01.01.first.js": "module.exports = {};",
  "database/migrations/.gitkeep": "",
};
let folder: ReturnType<typeof projectFolder>;
beforeAll(() => {
  folder = projectFolder(files);
});
afterAll(() => folder.remove());

test("those of config/server, config/admin and others", () => {
  const found = unusedSettings(folder.root, {}, new ProjectReport());
  expect(found.map(({ file, key = "" }) => `${file} ${key}`)).toEqual([
    "config/server.js socket",
    "config/server.js http.serverOptions",
    "config/server.js proxy.global",
    "config/server.js transfer.remote",
    "config/env/development/admin.js apiToken.salt",
    "config/env/development/admin.js serveAdminPanel",
    "config/database.js connection",
    "database/migrations/2024.01.01.first.js ",
  ]);
  expect(found.every(({ reason }) => reason.length > 10)).toBe(true);
  const production = unusedSettings(folder.root, { NODE_ENV: "production" }, new ProjectReport());
  expect(production.map(({ key }) => key)).not.toContain("serveAdminPanel");
});

test("those of plugins are reported at each start", () => {
  const report = new ProjectReport();
  loadSettings(folder.root, {}, report);
  expect(report.warnings.map(({ key }) => key)).toEqual([
    "graphql.config.shadowCRUD",
    "upload.config.sharp",
    "graphql.config.apolloServer.cors",
    "graphql.config.apolloServer.csrfPrevention",
    "graphql.config.apolloServer.allowBatchedHttpRequests",
    "graphql.config.apolloServer.plugins",
    "users-permissions.config.jwt.issuer",
  ]);
});

test("the diagnosis has both", async () => {
  const { unused, warnings } = await diagnose(folder.root, {});
  expect(unused.map(({ key }) => key)).toContain("socket");
  expect(unused.filter(({ file }) => file === "config/plugins").map(({ key }) => key)).toEqual([
    "documentation",
    "not-there",
  ]);
  expect(warnings.map(({ key }) => key)).toContain("graphql.config.shadowCRUD");
});
