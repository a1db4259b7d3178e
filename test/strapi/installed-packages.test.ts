/** Packages of a project's `node_modules`, as its own code imports them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp, typeFile } from "../project.ts";

const packageFile = (name: string, manifest: object, files: Record<string, string>): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "1.0.0", ...manifest }),
  ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`node_modules/${name}/${file}`, text])),
});

const names = ["both", "module", "named", "typescript", "plugin", "bundled", "utils", "own"];
const files = {
  ...typeFile("note", { title: { type: "string" } }),
  ...packageFile(
    "both",
    { exports: { ".": { import: "./esm.mjs", require: "./cjs.cjs" } } },
    { "esm.mjs": "export default () => 'esm';", "cjs.cjs": "module.exports = () => 'cjs';" },
  ),
  // has a build for Bun, as those for web workers
  ...packageFile(
    "conditional",
    {
      exports: {
        ".": { bun: "./worker.js", import: "./esm.mjs", require: "./cjs.js" },
        "./deep/*": { bun: "./worker.js", default: "./deep/*.js" },
        "./all": [
          { bun: "./worker.js" },
          { worker: "./worker.js", browser: "./worker.js", node: { default: "./cjs.js" } },
        ],
      },
      imports: { "#own": { bun: "./worker.js", default: "./cjs.js" } },
    },
    {
      "worker.js": "module.exports = 'worker';",
      "cjs.js": "module.exports = 'cjs';",
      "esm.mjs": "export default 'esm';",
      "deep/a.js": "module.exports = [require('conditional'), require('#own')].join();",
    },
  ),
  ...packageFile("needs-conditional", {}, { "index.js": "module.exports = require('conditional');" }),
  ...packageFile(
    "module-needs-conditional",
    { type: "module", exports: "./index.js", dependencies: { conditional: "1", ws: "1" } },
    {
      "index.js": "import found from 'conditional'; import socket from 'ws'; export default [found, socket].join();",
      "cjs/package.json": '{"type":"commonjs"}',
      "cjs/index.js": "module.exports = require('conditional'); /* from 'conditional' */",
    },
  ),
  ...packageFile(
    "waiting",
    { type: "module", exports: "./index.js" },
    { "index.js": "export const found = await 'waited';" },
  ),
  // Bun has packages of these names
  ...packageFile("ws", { main: "main.js" }, { "main.js": "module.exports = 'own ws';" }),
  ...packageFile("node-fetch", { exports: "./main.js" }, { "main.js": "module.exports = 'own node-fetch';" }),
  ...packageFile("needs-ws", {}, { "index.js": "module.exports = require('ws');" }),
  ...packageFile(
    "only-module",
    { type: "module", exports: { import: "./index.js" } },
    {
      "index.js": "export default () => 'default'; export const named = () => 'named';",
    },
  ),
  ...packageFile(
    "compiled",
    { main: "index.js" },
    {
      "index.js": "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = () => 'compiled';",
    },
  ),
  // loads what Galley provides, as packages of plugins do
  ...packageFile(
    "needs-strapi",
    { main: "index.js" },
    {
      "index.js": `const { errors, yup } = require("@strapi/utils"); const { factories } = require("@strapi/strapi");
      module.exports = () => [new errors.NotFoundError().name, typeof yup.object, typeof factories.createCoreService];`,
    },
  ),
  // as bundlers compile default imports of packages that are no ES modules
  ...packageFile(
    "bundled-plugin",
    { main: "index.js" },
    {
      "index.js": `const withDefault = (module) => module && module.__esModule ? module : { default: module };
      const utils = withDefault(require("@strapi/utils")), strapi = withDefault(require("@strapi/strapi"));
      module.exports = () => [typeof utils.default.errors.NotFoundError, typeof strapi.default.factories.createCoreRouter];`,
    },
  ),
  // of another version of Strapi, and of this one
  ...Object.fromEntries(
    ["4.26.2", "5.0.0"].flatMap((version) => {
      const name = `for-${version[0]}`;
      const utils = `${name}/node_modules/@strapi/utils`;
      return Object.entries({
        ...packageFile(name, {}, { "index.js": "module.exports = Object.keys(require('@strapi/utils')).length;" }),
        ...packageFile(utils, { version }, { "index.js": "module.exports = { removeUndefined() {} };" }),
      });
    }),
  ),
  "src/api/note/controllers/note.js": `
    const both = require("both");
    const plugin = require("needs-strapi");
    module.exports = { plugin: () => plugin(), bundled: () => require("bundled-plugin")(), utils: () => [require("for-4") === 1, require("for-5") > 1], both: () => both(), named: () => require("only-module").named(), module: () => require("only-module").default() };`,
  "src/api/note/controllers/nodes.js": `
    const name = (text) => text;
    module.exports = {
      required: () => [require("conditional"), require("conditional/deep/a"), require("conditional/all"), require(name("conditional"))],
      imported: async () => [(await import("conditional")).default, (await import("waiting")).found],
      nested: () => [require("needs-conditional"), require("module-needs-conditional").default],
      replaced: async () => [require("ws"), require("node-fetch"), require("needs-ws"), (await import("ws")).default],
    };`,
  "src/api/note/controllers/compiled.ts": `
    import conditional from "conditional";
    import socket from "ws";
    export default { compiled: () => [conditional, socket] };`,
  "src/api/note/services/note.js": `require("both/no-such-file").use();`,
  "src/api/note/controllers/typed.ts": `
    import compiled, { noSuchName } from "compiled";
    import both from "both";
    import whole, { named } from "only-module";
    import utils from "@strapi/utils";
    import strapi from "@strapi/strapi";
    export default { own: () => [new utils.errors.ForbiddenError().name, typeof strapi.factories.createCoreService], typescript: () => [compiled(), both(), whole(), named(), typeof noSuchName] };`,
  "src/api/note/routes/note.js": `module.exports = { routes: ${JSON.stringify(
    names
      .map((name) => ({
        method: "GET",
        path: `/${name}`,
        handler: `${["typescript", "own"].includes(name) ? "typed" : "note"}.${name}`,
        config: { auth: false },
      }))
      .concat(
        ["nodes.required", "nodes.imported", "nodes.nested", "nodes.replaced", "compiled.compiled"].map((handler) => ({
          method: "GET",
          path: `/${handler.split(".")[1]}`,
          handler,
          config: { auth: false },
        })),
      ),
  )} };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

test.each([
  ["both", "cjs"],
  ["module", "default"],
  ["named", "named"],
  ["plugin", JSON.stringify(["NotFoundError", "function", "function"])],
  ["bundled", JSON.stringify(["function", "function"])],
  ["utils", JSON.stringify([true, true])],
  ["own", JSON.stringify(["ForbiddenError", "function"])],
  ["required", JSON.stringify(["cjs", "cjs,cjs", "cjs", "cjs"])],
  ["imported", JSON.stringify(["esm", "waited"])],
  ["nested", JSON.stringify(["cjs", "esm,own ws"])],
  ["replaced", JSON.stringify(["own ws", "own node-fetch", "own ws", "own ws"])],
  ["compiled", JSON.stringify(["cjs", "own ws"])],
  ["typescript", JSON.stringify(["compiled", "cjs", "default", "named", "undefined"])],
])("%s", async (name, answer) => {
  const response = await app.handle(new Request(`http://localhost/api/${name}`));
  expect([response.status, await response.text()]).toEqual([200, answer]);
});
