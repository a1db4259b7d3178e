/** Configuration files: formats, the env helper, environments over each other, and what they change. */
import { describe, expect, test } from "bun:test";
import { jwtVerify } from "jose";
import { createEnv, loadEnvironment } from "../../../src/engine/config/env.ts";
import { ConfigFiles } from "../../../src/engine/config/files.ts";
import { loadSettings } from "../../../src/engine/config/settings.ts";
import { ProjectReport } from "../../../src/lib/errors.ts";
import { configFile, projectFolder, testApp, typeFile } from "../../project.ts";

function readSettings(files: Record<string, string>, environment: Record<string, string> = {}) {
  const { root, remove } = projectFolder(files);
  try {
    return loadSettings(root, environment);
  } finally {
    remove();
  }
}

test("JSON, CommonJS, ES modules and TypeScript are read", () => {
  const expected = { rest: { defaultLimit: 7 } };
  const texts = {
    "config/api.json": JSON.stringify(expected),
    "config/api.js": `module.exports = ({ env }) => (${JSON.stringify(expected)});`,
    "config/api.mjs": `export default ${JSON.stringify(expected)};`,
    "config/api.ts": `const limit: number = 7; export default ({ env }: { env: unknown }) => ({ rest: { defaultLimit: limit } });`,
  };
  for (const [path, text] of Object.entries(texts)) expect(readSettings({ [path]: text }).rest.defaultLimit).toBe(7);
});

test("the env helper reads the environment over .env", () => {
  const files = {
    "config/api.js":
      "module.exports = ({ env }) => ({ rest: { defaultLimit: env.int('LIMIT', 3), withCount: env.bool('COUNT') } });",
    ".env": "LIMIT=5\nCOUNT=true\n",
  };
  expect(readSettings(files).rest).toMatchObject({ defaultLimit: 5, withCount: true });
  expect(readSettings(files, { LIMIT: "6" }).rest.defaultLimit).toBe(6);
});

test.each([
  ["'pa$$word $X'", "pa$$word $X"],
  ["$LIMIT", "$LIMIT"],
  ["a#b", "a"],
  ['"a # b" # c', "a # b"],
  ['"one\\ntwo"', "one\ntwo"],
  ['"{"a":1}"', '{"a":1}'],
  ["it''s", "it''s"],
])(".env has values as dotenv reads them: %s", (text, value) => {
  const { root, remove } = projectFolder({ ".env": `LIMIT=5\nTEXT=${text}\n` });
  expect(loadEnvironment(root, {}).TEXT).toBe(value);
  remove();
});

test("the JWT secret of .env signs tokens", async () => {
  const app = await testApp({ ...configFile(), ".env": "JWT_SECRET=from-the-file\n" });
  const person = { username: "ada", email: "ada@example.com", password: "a password" };
  const { body } = await app.call("POST", "/api/auth/local/register", person, {});
  await jwtVerify(body.jwt, new TextEncoder().encode("from-the-file"));
  await app.close();
});

test("the file of the environment is merged over the general one", () => {
  const files = {
    "config/api.json": '{"rest":{"defaultLimit":2,"maxLimit":3}}',
    "config/env/production/api.json": '{"rest":{"defaultLimit":1}}',
  };
  expect(readSettings(files, { NODE_ENV: "production" }).rest).toMatchObject({ defaultLimit: 1, maxLimit: 3 });
  expect(readSettings(files).rest.defaultLimit).toBe(2);
});

test("as in Strapi, lists of the environment are merged entry by entry", () => {
  const general = `module.exports = [
    { name: "strapi::cors", config: { origin: ["https://a.example", "https://b.example"] } }, "strapi::body", "strapi::public"]`;
  const files = {
    "config/middlewares.js": general,
    "config/env/production/middlewares.js": `module.exports = [{ name: "strapi::cors", config: { origin: ["https://c.example"] } }]`,
    "config/own.json": '{ "list": [1, 2], "items": [{ "a": 1 }] }',
    "config/env/production/own.json": '{ "list": [3], "items": [{ "b": 2 }, 4] }',
  };
  const { root, remove } = projectFolder(files);
  const config = new ConfigFiles(root, { NODE_ENV: "production" }, new ProjectReport());
  expect(config.list("middlewares")).toEqual({
    list: [
      { name: "strapi::cors", config: { origin: ["https://c.example", "https://b.example"] } },
      "strapi::body",
      "strapi::public",
    ],
    file: "config/env/production/middlewares.js",
  });
  expect(config.ownValue("own")).toEqual({ list: [3, 2], items: [{ a: 1, b: 2 }, 4] });
  remove();
});

test("patterns and dates of the environment replace the general ones as a whole", () => {
  const files = {
    "config/own.js": "module.exports = { since: new Date(0), names: [/a/] };",
    "config/env/production/own.js": "module.exports = { since: new Date(1), names: [/b/] };",
  };
  const { root, remove } = projectFolder(files);
  const config = new ConfigFiles(root, { NODE_ENV: "production" }, new ProjectReport());
  expect(config.ownValue("own")).toEqual({ since: new Date(1), names: [/b/] });
  remove();
});

test("permissions of the environment replace the general ones", () => {
  const files = {
    "config/galley.json":
      '{ "roles": { "public": ["api::note.note.find", "api::note.note.create"], "authenticated": [] } }',
    "config/env/production/galley.json": '{ "roles": { "public": ["api::note.note.find"] } }',
  };
  const { galley } = readSettings(files, { NODE_ENV: "production" });
  expect(galley.roles).toEqual({ public: ["api::note.note.find"], authenticated: [] });
});

test("every form of the env helper", () => {
  const env = createEnv({ N: "4", F: "1.5", B: "yes", J: '{"a":1}', A: "[a, 'b' , \"c\"]", E: "", D: "2024-01-01" });
  expect([env("X", "d"), env("E", "d"), env.int("N"), env.float("F"), env.bool("B"), env.json("J")]).toEqual([
    "d",
    "",
    4,
    1.5,
    false,
    { a: 1 },
  ]);
  expect(env.array("A")).toEqual(["a", "'b'", "c"]);
  expect(env.date("D")).toEqual(new Date("2024-01-01"));
  expect([env.oneOf("N", ["4"]), env.oneOf("N", ["5"], "5")]).toEqual(["4", "5"]);
  expect(() => env.json("B")).toThrow(
    "Invalid json environment variable B: Unexpected token 'y', \"yes\" is not valid JSON",
  );
  expect(() => env.oneOf("N", ["5"], "6")).toThrow("env.oneOf requires defaultValue to be included in expectedValues");
  expect(() => env.oneOf("N", undefined as never)).toThrow("env.oneOf requires expectedValues");
});

test("prefix, limits, counts and private attributes take effect", async () => {
  const settings = {
    rest: { prefix: "/v1", defaultLimit: 2, maxLimit: 3, withCount: false },
    responses: { privateAttributes: ["updatedAt"] },
  };
  const app = await testApp({
    ...typeFile("post", { title: { type: "string" } }),
    "config/api.json": JSON.stringify(settings),
  });
  for (const title of ["a", "b", "c", "d"]) await app.call("POST", "/v1/posts", { data: { title } });
  expect((await app.call("GET", "/api/posts")).status).toBe(404);
  const { body } = await app.call("GET", "/v1/posts?pagination[pageSize]=50");
  expect(body.data.length).toBe(3);
  expect(body.meta.pagination).toEqual({ page: 1, pageSize: 3 });
  expect(body.data[0]).not.toHaveProperty("updatedAt");
  const counted = await app.call("GET", "/v1/posts?pagination[withCount]=true");
  expect(counted.body.meta.pagination).toEqual({ page: 1, pageSize: 2, pageCount: 2, total: 4 });
  await app.close();
});

describe("packages that are not installed", () => {
  const files = {
    "config/server.ts": `
      import cron from "a-missing-cron";
      import { Scheduler, type Job } from "@missing/scheduler/sub";
      import tasks from "./tasks/all";
      export default ({ env }: { env: { int(name: string, byDefault: number): number } }) => ({
        port: env.int("PORT", 4321),
        cron: { tasks: { ...tasks, at: cron.schedule("* * *", () => new Scheduler({ a: 1 }).run(\`\${cron.name}\`)) } },
      });`,
    "config/tasks/all.ts": `import colours from "missing-colours/all.json"; export default { colours, run: () => colours.red() };`,
    "config/plugins.js": `const { S3 } = require("missing-s3"); const aws = require("missing-aws");
      module.exports = () => ({ graphql: { config: { defaultLimit: 3 } }, upload: { config: { provider: new S3(aws.key).name } } });`,
  };

  test("stop nothing, have no effect, and are reported with their file", () => {
    const { root, remove } = projectFolder(files);
    const report = new ProjectReport();
    const settings = loadSettings(root, {}, report);
    remove();
    expect(settings.server.port).toBe(4321);
    expect(settings.graphql.defaultLimit).toBe(3);
    const found = report.warnings.map(({ file, reason }) => `${file}: ${reason.split(" is not")[0]}`);
    expect(found.sort()).toEqual([
      "config/plugins.js: the package missing-aws",
      "config/plugins.js: the package missing-s3",
      "config/server.ts: the package @missing/scheduler",
      "config/server.ts: the package a-missing-cron",
      "config/tasks/all.ts: the package missing-colours",
    ]);
    expect(report.isRefused).toBe(false);
  });

  test("are used once they are there", () => {
    const { root, remove } = projectFolder({
      "config/api.ts": `import limit from "an-installed-limit"; export default { rest: { defaultLimit: limit } };`,
      "node_modules/an-installed-limit/package.json": '{"name":"an-installed-limit","main":"./lib/limit.js"}',
      "node_modules/an-installed-limit/lib/limit.js": "module.exports = 9;",
    });
    const report = new ProjectReport();
    expect(loadSettings(root, {}, report).rest.defaultLimit).toBe(9);
    expect(report.warnings).toEqual([]);
    remove();
  });

  test("are not fetched where a registry has them", () => {
    const { root, remove } = projectFolder({ "config/api.js": 'module.exports = { rest: require("is-number") };' });
    const report = new ProjectReport();
    loadSettings(root, {}, report);
    remove();
    expect(report.warnings.map(({ reason }) => reason.split(" is not")[0])).toEqual(["the package is-number"]);
  });

  test("a file of the project that is missing is refused", () => {
    expect(() => readSettings({ "config/api.js": 'module.exports = require("./nowhere");' })).toThrow(
      "config/api.js: cannot be read",
    );
  });
});

test("a GraphQL plugin that is switched off is not served", async () => {
  const app = await testApp({
    ...configFile(),
    ...typeFile("post", { title: { type: "string" } }),
    "config/plugins.json": JSON.stringify({ graphql: { enabled: false } }),
  });
  const send = (method: string) => app.handle(new Request("http://localhost/graphql", { method }));
  expect([(await send("GET")).status, (await send("POST")).status]).toEqual([404, 405]);
  expect((await app.call("GET", "/api/posts")).status).toBe(200);
  await app.close();
});
