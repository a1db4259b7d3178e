/** What `galley doctor` finds without running anything. */
import { expect, test } from "bun:test";
import { examineCode } from "../../src/strapi/doctor/examine.ts";
import { STRAPI_MEMBERS } from "../../src/strapi/doctor/strapi-members.ts";
import { findCodeFiles } from "../../src/strapi/loader/code-files.ts";
import { projectFolder, testApp } from "../project.ts";

function examine(files: Readonly<Record<string, string>>) {
  const { root, remove } = projectFolder(files);
  const { works, ignored, ...found } = examineCode(root, findCodeFiles(root));
  remove();
  return { ...found, works: works.map(({ file }) => file), ignored: ignored.map(({ file }) => file) };
}

test("what is not there is named with file and line, also in files that are imported", () => {
  const found = examine({
    "src/index.js": 'const seed = require("./seed");\nmodule.exports = { bootstrap: seed };',
    "src/seed.js":
      'const fs = require("fs");\nconst mime = require("mime-types-of-nobody/lib");\n// strapi.admin\nconst text = `from ", " and from "*"`;\nmodule.exports = () => strapi.stop();',
    "src/api/a/routes/a.js": "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::a.a');",
  });
  expect(found.verdict).toBe("runs in part");
  expect(found.packages).toEqual([{ file: "src/seed.js", name: "mime-types-of-nobody" }]);
  expect(found.missing.map(({ file, line, what }) => [file, line, what])).toEqual([
    ["src/seed.js", 5, "strapi.stop()"],
  ]);
  expect(found.ignored).toEqual(["src/api/a/routes/a.js"]);
  expect(found.advice[0]).toBe("install what is missing: bun add mime-types-of-nobody");
});

test("a project whose code has everything, or that has none", () => {
  expect(examine({ "src/index.js": "module.exports = { bootstrap() { return 1; } };" }).verdict).toBe("runs");
  expect(examine({}).verdict).toBe("no code");
});

test("a package of which only types are used need not be installed", () => {
  const { packages } = examine({
    "src/index.ts": `import { Context } from "types-of-nobody";
      import payments, { Payment } from "payments-of-nobody";
      export default { bootstrap(ctx: Context): Payment { return payments(ctx); } };`,
    "src/seed.ts": "export default {",
  });
  expect(packages).toEqual([{ file: "src/index.ts", name: "payments-of-nobody" }]);
});

test("names of packages in comments and strings are not imports, and a package is named once per file", () => {
  const { packages } = examine({
    "src/index.js": `// converts from 'dollars' to euros
      console.log("mail from 'nobody'");
      const { a } = require("sdk-of-nobody/a");
      module.exports = { bootstrap: () => require("sdk-of-nobody/b") && a };`,
  });
  expect(packages).toEqual([{ file: "src/index.js", name: "sdk-of-nobody" }]);
});

test("relations to administrators do not use them, and findings say what happens", () => {
  const { missing } = examine({
    "src/index.js": `module.exports = {
      async bootstrap({ strapi }) {
        await strapi.store.set({ value: { attributes: { createdBy: { target: "admin::user" } } } });
        await strapi.db.query("admin::user").findOne({});
        strapi.reload();
        strapi.stop();
      },
    };`,
  });
  expect(missing.map(({ line, what, effect }) => `${line} ${what} ${effect}`)).toEqual([
    "5 strapi.reload() has no effect",
    "6 strapi.stop() throws an error",
    "4 administrators and their roles are kept until the server stops",
  ]);
});

test("actions that code registers are no finding, conditions are", () => {
  const { missing } = examine({
    "src/index.js": `module.exports = {
      async bootstrap({ strapi }) {
        strapi.admin.services.permission.actionProvider.registerMany([]);
        strapi.service("admin::permission").actionProvider.registerMany([]);
        strapi.admin.services.permission.conditionProvider.register({});
      },
    };`,
  });
  expect(missing.map(({ line, what }) => `${line} ${what}`)).toEqual(["5 strapi.admin"]);
});

test("members of strapi that nobody adds, and members of builders that throw", () => {
  const { missing } = examine({
    "src/index.js": `module.exports = {
      register({ strapi }) {
        strapi.io = {};
        // strapi.comment.x
        const text = "strapi.quoted";
        if (strapi.tested) strapi.tested.run();
        strapi.optional?.run();
      },
      async bootstrap({ strapi }) {
        strapi.io.emit("x");
        strapi.socket.emit("x");
        await strapi.db.queryBuilder("api::a.a")
          .join({ alias: "t1", targetField: "tags" }).execute();
      },
    };`,
    "src/extensions/upload/strapi-server.js":
      "module.exports = (plugin) => { strapi.uploads.start(); return plugin; };",
    "src/api/a/services/a.js":
      'const strapi = require("@strapi/strapi");\nmodule.exports = strapi.factories.createCoreService("api::a.a", () => ({}));',
  });
  const found = missing.map(({ file, line, what }) => `${file}:${line} ${what}`);
  expect(found.toSorted()).toEqual([
    "src/extensions/upload/strapi-server.js:1 strapi.uploads",
    "src/index.js:11 strapi.socket",
    "src/index.js:12 joins of strapi.db.queryBuilder by targetField",
  ]);
});

test("the list of members is that of strapi", async () => {
  const app = await testApp({
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.memberStrapi = strapi; } };",
  });
  const { memberStrapi } = globalThis as unknown as { memberStrapi: object };
  const names = Object.entries(Object.getOwnPropertyDescriptors(memberStrapi))
    .filter(([, { enumerable }]) => enumerable)
    .map(([name]) => name);
  await app.close();
  expect(names.filter((name) => !STRAPI_MEMBERS.has(name))).toEqual([]);
  expect([...STRAPI_MEMBERS].filter((name) => !(name in memberStrapi))).toEqual([]);
});

test("SQL that only PostgreSQL has is named with its statement, unless the file asks for the kind of database", () => {
  const body = `module.exports = { async bootstrap({ strapi }) {
    const uid = "api::text.text", old = "api::date";
    await strapi.db.connection.raw("SELECT id FROM articles WHERE title LIKE 'a::text' RETURNING id");
    await strapi.db.connection.raw("SELECT count(*)::int FROM articles");
    await strapi.db.connection("articles").whereRaw(\`title ILIKE ?\`, ["a"]);
    await strapi.db.connection.raw(\`
      SELECT DISTINCT ON (title) date_trunc('day', created_at) FROM articles\`);
    // await strapi.db.connection.raw("SELECT now()");
  } };`;
  const { missing } = examine({
    "src/index.js": body,
    "src/api/a/services/a.js": `const { client } = strapi.db.config.connection;\nif (client === "postgres") {}\n${body}`,
  });
  expect(missing.map(({ file, line, what }) => `${file}:${line} ${what}`)).toEqual([
    "src/index.js:4 ::int in SELECT count(*)::int FROM articles",
    "src/index.js:5 ILIKE in title ILIKE ?",
    "src/index.js:6 DISTINCT ON in SELECT DISTINCT ON (title) date_trunc('day', created_at) FRO…",
  ]);
});

test("an alias of tsconfig.json is not a package, and the command is the one of the project's package manager", () => {
  const { packages, advice } = examine({
    "tsconfig.json": '{ "compilerOptions": { "paths": { "~utils": ["./src/utils"], "@lib/*": ["./src/lib/*"] } } }',
    "package-lock.json": "{}",
    "src/index.ts": `import { a } from "~utils"; import b from "@lib/b"; import c from "sdk-of-nobody"; export default { bootstrap: () => [a, b, c] };`,
  });
  expect(packages).toEqual([{ file: "src/index.ts", name: "sdk-of-nobody" }]);
  expect(advice).toEqual(["install what is missing: npm install sdk-of-nobody"]);
});
