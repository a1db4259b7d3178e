/** What packages do with `require.cache`, as request-promise, which loads a copy of its own of another one. */
import { expect, test } from "bun:test";
import { join, sep } from "node:path";
import { TOKEN, testApp, typeFile } from "../project.ts";

const SOURCE = join(import.meta.dir, "../../src") + sep;

const fresh = `
  const first = require("./part.js");
  const before = { ...require.cache };
  for (const key of Object.keys(require.cache)) delete require.cache[key];
  exports.left = Object.keys(require.cache);
  exports.isFresh = require("./part.js") !== first;
  for (const key of Object.keys(require.cache)) delete require.cache[key];
  Object.assign(require.cache, before);
  exports.isRestored = require("./part.js") === first;
`;

test.each(["config/custom.js", "src/index.js"])(
  "a package that clears the cache unloads none of the server: %s",
  async (file) => {
    const globals = globalThis as {
      freshPackage?: { left: string[]; isFresh: boolean; isRestored: boolean } | undefined;
    };
    globals.freshPackage = undefined;
    const app = await testApp({
      ...typeFile("post", { title: { type: "string" } }),
      "node_modules/fresh/package.json": `{ "name": "fresh" }`,
      "node_modules/fresh/index.js": fresh,
      "node_modules/fresh/part.js": "module.exports = {};",
      "config/server.js": "module.exports = { copy: require('./custom').copy };",
      "config/custom.js": "module.exports = {};",
      [file]: "globalThis.freshPackage = require('fresh'); module.exports = {};",
    });
    const { left, isFresh, isRestored } = globals.freshPackage!;
    expect([isFresh, isRestored]).toEqual([true, true]);
    const loaded = Object.keys(require.cache).filter((key) => key.startsWith(SOURCE));
    expect(left.length).toBeGreaterThan(100);
    expect(loaded).toEqual(expect.arrayContaining(left));
    const { status } = await app.call(
      "POST",
      "/api/auth/local",
      { identifier: "a", password: "wrong" },
      { token: TOKEN },
    );
    expect(status).toBe(400);
    await app.close();
  },
);
