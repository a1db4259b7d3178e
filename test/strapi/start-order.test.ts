/** The order in which hooks of apis, plugins and src/index are called. */
import { expect, test } from "bun:test";
import { testApp, typeFile } from "../project.ts";

const log = (name: string) => `(globalThis.startOrder ??= []).push("${name}")`;
const hooks = (name: string) => `module.exports = {
  async register() { ${log(name)}; await null; }, bootstrap() { ${log(name)}; },
};`;
const extension = `module.exports = (plugin) => {
  const { register, bootstrap } = plugin;
  plugin.register = async (options) => { ${log("users-permissions")}; await register(options); };
  plugin.bootstrap = async (options) => { ${log("users-permissions")}; await bootstrap(options); };
  return plugin;
};`;
const plugins = (...names: string[]) =>
  `module.exports = { ${names.map((name) => `"${name}": { enabled: true${name === "users-permissions" ? "" : `, resolve: "./src/plugins/${name}"`} }`).join()} };`;

test.each([
  [
    ["zeta", "alpha"],
    ["note", "upload", "zeta", "alpha", "users-permissions", "index"],
  ],
  [
    ["users-permissions", "zeta", "alpha"],
    ["note", "upload", "users-permissions", "zeta", "alpha", "index"],
  ],
])("with %j in config/plugins", async (names, order) => {
  const state = globalThis as { startOrder?: string[] };
  state.startOrder = [];
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "config/plugins.js": plugins(...names),
    ...Object.fromEntries(["zeta", "alpha"].map((name) => [`src/plugins/${name}/strapi-server.js`, hooks(name)])),
    "src/plugins/zeta/package.json": "{}",
    "src/plugins/alpha/package.json": "{}",
    "src/extensions/users-permissions/strapi-server.js": extension,
    "src/extensions/upload/strapi-server.js": extension.replaceAll("users-permissions", "upload"),
    "src/api/note/index.js": hooks("note"),
    "src/index.js": hooks("index"),
  });
  await app.close();
  expect(state.startOrder).toEqual([...order, ...order]);
});
