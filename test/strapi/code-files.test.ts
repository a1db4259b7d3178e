/** Which files of a project are code that does something. */
import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { type CodeFile, findCodeFiles, ownCode, uncompiledFiles } from "../../src/strapi/loader/code-files.ts";
import { projectFolder, testApp } from "../project.ts";

const generated = (kind: string) =>
  `/** ${kind} */\nimport { factories } from '@strapi/strapi';\nexport default factories.createCore${kind}('api::post.post');\n`;

test("files as they are generated are not code of the project's own", () => {
  const { root, remove } = projectFolder({
    "src/api/post/controllers/post.ts": generated("Controller"),
    "src/api/post/services/post.ts": generated("Service"),
    "src/api/post/routes/post.ts": generated("Router"),
    "src/api/tag/routes/tag.js":
      "'use strict';\nconst { createCoreRouter } = require('@strapi/strapi').factories;\nmodule.exports = createCoreRouter('api::tag.tag');",
    "src/api/page/controllers/page.js":
      "module.exports = createCoreController('api::page.page', () => ({ find() {} }));",
    "src/api/page/policies/is-owner.js": "module.exports = () => false;",
    "src/api/page/content-types/page/lifecycles.js": "module.exports = {};",
    "src/api/page/routes/page.js":
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::page.page', { only: ['find'] });",
    "src/index.ts": "export default { register(/* { strapi } */) {}, bootstrap(/* { strapi } */) {} };",
    "src/extensions/users-permissions/strapi-server.js": "module.exports = (plugin) => plugin;",
  });
  const files = findCodeFiles(root);
  expect(files).toHaveLength(10);
  expect(ownCode(root, files).map(({ file, kind, owner }) => [kind, owner, file])).toEqual([
    ["route", "page", "src/api/page/routes/page.js"],
    ["controller", "page", "src/api/page/controllers/page.js"],
    ["policy", "page", "src/api/page/policies/is-owner.js"],
    ["lifecycles", "page", "src/api/page/content-types/page/lifecycles.js"],
    ["extension", "users-permissions", "src/extensions/users-permissions/strapi-server.js"],
  ]);
  remove();
});

test.each([
  ["compiled, TypeScript replaces JavaScript", { "tsconfig.json": "{}" }, "ts"],
  ["not compiled, JavaScript is run", {}, "js"],
])("of files of one name, where the project is %s", (_, config, extension) => {
  const both = (path: string) => ({ [`${path}.js`]: "module.exports = {};", [`${path}.ts`]: "export default {};" });
  const { root, remove } = projectFolder({
    ...config,
    ...both("src/index"),
    ...both("src/api/page/controllers/page"),
    ...both("src/api/page/content-types/page/lifecycles"),
    ...both("src/policies/is-owner"),
    ...both("src/extensions/users-permissions/strapi-server"),
  } as Record<string, string>);
  expect(findCodeFiles(root).map(({ file }) => file)).toEqual([
    `src/index.${extension}`,
    `src/api/page/controllers/page.${extension}`,
    `src/api/page/content-types/page/lifecycles.${extension}`,
    `src/policies/is-owner.${extension}`,
    `src/extensions/users-permissions/strapi-server.${extension}`,
  ]);
  remove();
});

const compiled = (options: object) => JSON.stringify({ compilerOptions: options });

test.each<[string, Record<string, string>, readonly string[]]>([
  ["no option", { "tsconfig.json": "{}" }, []],
  ["comments", { "tsconfig.json": `{ /* "allowJs": true */ }` }, []],
  ["allowJs", { "tsconfig.json": compiled({ allowJs: true }) }, ["lifecycles"]],
  ["checkJs", { "tsconfig.json": compiled({ checkJs: true }) }, ["lifecycles"]],
  ["both", { "tsconfig.json": compiled({ allowJs: false, checkJs: true }) }, []],
  ["a base", { "tsconfig.json": `{ "extends": "./base" }`, "base.json": compiled({ allowJs: true }) }, ["lifecycles"]],
  [
    "the last of two bases, which is installed",
    {
      "tsconfig.json": `{ "extends": ["./base.json", "@own/config/server"] }`,
      "base.json": compiled({ allowJs: true }),
      "node_modules/@own/config/server.json": compiled({ allowJs: false }),
    },
    [],
  ],
  [
    "bases that are missing, or extend each other",
    { "tsconfig.json": `{ "extends": ["none", "./tsconfig.json"] }` },
    [],
  ],
])("of compiled projects, JavaScript is loaded if tsconfig.json allows it: %s", (_, config, kinds) => {
  const file = "src/api/page/content-types/page/lifecycles.js";
  const { root, remove } = projectFolder({ ...config, "src/index.ts": "export default {};", [file]: "throw 1;" });
  expect(findCodeFiles(root).map(({ kind }) => kind)).toEqual(["index", ...kinds] as CodeFile["kind"][]);
  expect(uncompiledFiles(root).map((problem) => problem.file)).toEqual(kinds.length > 0 ? [] : [file]);
  remove();
});

test("files of TypeScript that may contain elements are code, too", async () => {
  const app = await testApp({
    "tsconfig.json": "{}",
    "src/api/page/routes/page.ts": `export default { routes: [
      { method: "GET", path: "/page", handler: "page.greet", config: { auth: false, middlewares: ["api::page.loud"] } },
    ] };`,
    "src/api/page/controllers/page.tsx": `import type { Context } from "koa";
      export default { greet: (ctx: Context) => { ctx.body = { word: name() }; } };
      const name = (): string => "page";`,
    "src/api/page/middlewares/loud.tsx": `export default () => async (ctx: any, next: () => Promise<void>) => {
      await next();
      ctx.body = { ...ctx.body, loud: true };
    };`,
    "src/api/page/middlewares/loud.test.tsx": "throw new Error();",
  });
  expect((await app.call("GET", "/api/page", undefined, {})).body).toEqual({ word: "page", loud: true });
  await app.close();
});

test("a link to a file that is gone is left out", () => {
  const { root, remove } = projectFolder({ "src/api/post/services/own.js": "module.exports = () => ({});" });
  symlinkSync("/none/at/all.js", join(root, "src/api/post/services/gone.js"));
  symlinkSync(join(root, "src/api/post"), join(root, "src/api/linked"));
  expect(ownCode(root, findCodeFiles(root)).map(({ file }) => file)).toEqual([
    "src/api/linked/services/own.js",
    "src/api/post/services/own.js",
  ]);
  remove();
});
