/** Packages that a project's own code imports and that are not installed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ConfigFiles } from "../../src/engine/config/files.ts";
import { ProjectReport } from "../../src/lib/errors.ts";
import { examineCode } from "../../src/strapi/doctor/examine.ts";
import { findCodeFiles } from "../../src/strapi/loader/code-files.ts";
import { loadCode } from "../../src/strapi/loader/load.ts";
import { findPluginFiles } from "../../src/strapi/loader/plugin-files.ts";
import { configFile, projectFolder, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const route = (path: string, handler: string) => ({ method: "GET", path, handler, config: { auth: false } });
const files = {
  ...configFile({ roles: { public: ["api::note.note.*"] } }),
  ...serviceFile("note"),
  ...typeFile("note", { title: { type: "string" } }),
  "src/api/note/controllers/note.ts": `
    import { factories } from "@strapi/strapi";
    import payments, { Client } from "absent-payments";
    import * as all from "absent-payments";
    import _ from "lodash";
    import uniq from "lodash/uniq";
    import mapped from "lodash/fp/map";
    export default factories.createCoreController("api::note.note", () => ({
      plain: () => "plain",
      companion: () => require("lodash/fp").map((n: number) => n + 1, _.uniq([1, 1, 2])),
      companionMembers: () => mapped((n: number) => n + 1, uniq([1, 1, 2])),
      named: () => new Client(),
      default: () => payments.pay(),
      all: () => all.pay(),
      caught() { try { return require("absent-payments")(); } catch (error) { return error.message; } },
    }));`,
  "config/middlewares.js": `module.exports = ["strapi::errors", "global::needy", "global::later", "global::there", "strapi::body"];`,
  "config/shop.ts": `
    import Koa, { HttpError } from "koa";
    import _ from "lodash";
    import { z } from "zod";
    const slugify = require("@sindresorhus/slugify");
    const map = require("lodash/fp/map");
    const kinds = [typeof Koa, typeof new Koa().use, typeof HttpError, typeof require("koa")];
    export default { slug: slugify("A B"), kinds, list: map((n: number) => n + 1, _.uniq([1, 1])), port: z.coerce.number().parse("7") };`,
  "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => {
    const Client = require("absent-payments");
    plugin.services.payments = () => new Client();
    new Client();
    return plugin;
  };`,
  "src/middlewares/needy.js": `const { limit } = require("absent-limits"); limit(); module.exports = () => limit;`,
  "src/middlewares/later.js": `const limits = require("absent-limits"); module.exports = () => limits.limit();`,
  "src/middlewares/there.ts": `
    import { Z_SYNC_FLUSH, constants } from "zlib";
    import path, { join } from "node:path";
    export default () => (ctx, next) => {
      ctx.set("x-builtin", [Z_SYNC_FLUSH === constants.Z_SYNC_FLUSH, join("a", "b") === path.join("a", "b")].join());
      return next();
    };`,
  "src/api/note/controllers/needy.js": `
    const { Client } = require("absent-payments");
    const client = new Client();
    module.exports = { use: () => client.pay() };`,
  "src/api/note/controllers/needy-too.ts": `
    import { Client } from "absent-payments";
    const client = new Client();
    export default { use: () => client.pay() };`,
  "src/api/note/routes/01-own.js": `module.exports = { routes: ${JSON.stringify([
    ...["plain", "companion", "companionMembers", "named", "default", "all", "caught"].map((name) =>
      route(`/notes/${name}`, `note.${name}`),
    ),
    route("/needy", "needy.use"),
    route("/needy-too", "needy-too.use"),
  ])} };`,
  "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
  "src/index.ts": `
    import { readJSON } from "absent-files";
    export default {
      async bootstrap({ strapi }) {
        await strapi.documents("api::note.note").create({ data: { title: "before" } });
        await readJSON("data.json");
      },
    };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const get = async (path: string) => {
  const response = await app.handle(new Request(`http://localhost/api${path}`));
  return [response.status, await response.text()] as const;
};

test("what does not need them runs", async () => {
  expect(await get("/notes/plain")).toEqual([200, "plain"]);
  expect(JSON.parse((await get("/notes"))[1]).data).toMatchObject([{ title: "before" }]);
});

test("middlewares that need them are left out, and modules of the runtime have every name", async () => {
  const response = await app.handle(new Request("http://localhost/api/notes/plain"));
  expect([response.status, response.headers.get("x-builtin")]).toEqual([200, "true,true"]);
});

test("packages that Strapi brings along are there", async () => {
  expect(await get("/notes/companion")).toEqual([200, "[2,3]"]);
  expect(await get("/notes/companionMembers")).toEqual([200, "[2,3]"]);
});

test("packages that Strapi brings along are there for configuration files, too", async () => {
  const report = new ProjectReport();
  const { root, remove } = projectFolder(files);
  const { section } = new ConfigFiles(root, {}, report).section("shop");
  remove();
  const kinds = Array<string>(4).fill("function");
  expect(section).toEqual({ slug: "a-b", kinds, list: [2], port: 7 });
  expect(report.warnings).toEqual([]);
});

test.each(["named", "default", "all"])("an action that needs them is an error of its own: %s", async (name) => {
  expect((await get(`/notes/${name}`))[0]).toBe(500);
});

test("code may catch the error, which names the package", async () => {
  expect(await get("/notes/caught")).toEqual([
    200,
    "the package absent-payments is not installed (bun add absent-payments)",
  ]);
});

test.each(["needy", "needy-too"])("files that need them to be loaded are closed: %s", async (name) => {
  expect((await get(`/${name}`))[0]).toBe(500);
});

test("files and packages are told", async () => {
  const { root, remove } = projectFolder(files);
  const { code } = await loadCode(root, findCodeFiles(root));
  remove();
  const message = "is not run: the package absent-payments is not installed (bun add absent-payments)";
  expect(code.problems.toSorted((a, b) => a.file.localeCompare(b.file))).toEqual([
    { file: "src/api/note/controllers/needy-too.ts", message },
    { file: "src/api/note/controllers/needy.js", message },
    { file: "src/middlewares/needy.js", message: message.replaceAll("payments", "limits") },
  ]);
  expect(code.missing.map(({ file, problem }) => `${file}: ${problem}`).sort()).toEqual([
    "src/api/note/controllers/note.ts: the package absent-payments is not installed (bun add absent-payments)",
    "src/extensions/upload/strapi-server.js: the package absent-payments is not installed (bun add absent-payments)",
    "src/index.ts: the package absent-files is not installed (bun add absent-files)",
    "src/middlewares/later.js: the package absent-limits is not installed (bun add absent-limits)",
  ]);
});

test("several paths in a package are reported once, and a missing file as such", async () => {
  const { root, remove } = projectFolder({
    "src/index.js": `const a = require("absent-sdk/a"), b = require("absent-sdk/b"), mail = require("./absent-mail");
      module.exports = { bootstrap: () => [a, b, mail] };`,
  });
  const { code } = await loadCode(root, findCodeFiles(root));
  remove();
  expect(code.missing.map(({ problem }) => problem)).toEqual([
    "the package absent-sdk is not installed (bun add absent-sdk)",
    "there is no file ./absent-mail",
  ]);
});

const seed = {
  "src/index.ts": 'export default { bootstrap() { require("../../scripts/seed.js")(); } };',
  "scripts/seed.js": 'module.exports = () => require("../dist/src/titles").title;',
  "src/titles.ts": 'export const title = "x";',
};

test("imports of compiled code are relative to it: files outside of src are one folder further", async () => {
  const { root, remove } = projectFolder({ ...seed, "tsconfig.json": "{}" });
  const { code } = await loadCode(root, findCodeFiles(root));
  expect([code.missing, (code.index.bootstrap as () => unknown)()]).toEqual([[], undefined]);
  remove();
});

test("JavaScript is not compiled", async () => {
  const { root, remove } = projectFolder(seed);
  const { code } = await loadCode(root, findCodeFiles(root));
  remove();
  expect(code.missing.map(({ problem }) => problem)).toEqual(["there is no file ../../scripts/seed.js"]);
});

test("packages check for what is optional by themselves", async () => {
  const { root, remove } = projectFolder({
    "package.json": JSON.stringify({ dependencies: { "strapi-plugin-tags": "1.0.0" } }),
    "node_modules/strapi-plugin-tags/package.json": JSON.stringify({
      name: "strapi-plugin-tags",
      strapi: { kind: "plugin", name: "tags" },
      exports: { "./strapi-server": "./server.js", "./package.json": "./package.json" },
    }),
    "node_modules/strapi-plugin-tags/server.js":
      'let encoding; try { encoding = require("absent-encoding").convert; } catch {} module.exports = {};',
  });
  const { code } = await loadCode(root, findPluginFiles(root, {}));
  remove();
  expect([[...code.plugins.keys()], code.missing, code.problems]).toEqual([["tags"], [], []]);
});

test("packages of Strapi's own tree are there without being installed", async () => {
  const names = [
    "@koa/cors",
    "http-errors",
    "koa",
    "koa-compose",
    "koa-session",
    "mime-types",
    "qs",
    "yup",
    "zod",
    "pluralize",
    "graphql",
  ];
  const { root, remove } = projectFolder({
    "src/index.js": `${names.map((name, at) => `const m${at} = require("${name}");`).join(" ")}
      module.exports = { seen: [m0(), m1(404).status, m2, m3([]), m4.default ?? m4, m5.lookup("a.png"), m6.parse("a=1").a, m7.string().isValidSync("a"), m8.z.string().parse("a"), m9("note"), m10.parse("{ a }").kind] };`,
  });
  try {
    const { code } = await loadCode(root, findCodeFiles(root));
    expect(code.missing).toEqual([]);
    const seen = (code.index.seen as readonly unknown[]).map((value) =>
      typeof value === "function" ? "function" : value,
    );
    expect(seen).toEqual([
      "function",
      404,
      "function",
      "function",
      "function",
      "image/png",
      "1",
      true,
      "a",
      "notes",
      "Document",
    ]);
  } finally {
    remove();
  }
});

describe("the others are named with the command that installs the version of Strapi's tree", () => {
  const { root, remove } = projectFolder({
    "package-lock.json": "{}",
    "config/plugins.js": `const axios = require("axios"); module.exports = { later: axios.create() };`,
    "src/index.js": `const format = require("date-fns/fp"), v4 = require("uuid"), own = require("absent-sdk");
      module.exports = { bootstrap: () => [format, v4, own] };`,
  });
  afterAll(remove);
  const commands = ["npm install date-fns@2.30.0", "npm install uuid@9.0.1", "npm install absent-sdk"];

  test("where code imports them", async () => {
    const { code } = await loadCode(root, findCodeFiles(root));
    expect(code.missing.map(({ problem }) => /\((.*)\)$/.exec(problem)?.[1])).toEqual(commands);
  });

  test("in configuration files", () => {
    const report = new ProjectReport();
    new ConfigFiles(root, {}, report).section("plugins");
    expect(report.warnings.map(({ reason }) => reason)).toContain(
      "the package axios is not installed (npm install axios@1.19.0); what the file does with it has no effect",
    );
  });

  test("by the doctor", () => {
    expect(examineCode(root, findCodeFiles(root)).advice).toEqual([
      "install what is missing: npm install date-fns@2.30.0 uuid@9.0.1 absent-sdk",
    ]);
  });
});

test("so are those that projects use without naming them", async () => {
  const { root, remove } = projectFolder({
    ".env": "OWN_WORD=hi",
    "src/index.ts": `
      import "dotenv/config";
      import bcrypt, { compareSync } from "bcryptjs";
      import { addDays, format } from "date-fns";
      import addMonths from "date-fns/addMonths";
      import dotenv from "dotenv";
      import fse, { pathExistsSync } from "fs-extra";
      import jwt from "jsonwebtoken";
      const day = new Date(2020, 0, 31);
      export default { seen: [
        compareSync("a", bcrypt.hashSync("a", 4)),
        format(addDays(day, 1), "yyyy-MM-dd"), format(addMonths(day, 1), "MM-dd"), dotenv.parse("A=1"),
        [pathExistsSync("/none"), typeof fse.readJson], jwt.verify(jwt.sign({ id: 1 }, "secret"), "secret").id,
      ] };`,
  });
  const other = projectFolder({ ".env": "OTHER_WORD=hi" });
  const before = process.cwd();
  process.chdir(other.root);
  try {
    const { code } = await loadCode(root, findCodeFiles(root));
    expect(code.missing).toEqual([]);
    // the working folder's file is not the project's
    expect(process.env.OTHER_WORD).toBeUndefined();
    expect(code.index.seen).toEqual([true, "2020-02-01", "02-29", { A: "1" }, [false, "function"], 1]);
  } finally {
    process.chdir(before);
    other.remove();
    remove();
  }
});
