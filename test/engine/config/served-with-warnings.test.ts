/** Configuration that Strapi starts with is served, and what has no effect is reported. */
import { expect, test } from "bun:test";
import { loadSettings, type Settings } from "../../../src/engine/config/settings.ts";
import { ProjectReport, problemText } from "../../../src/lib/errors.ts";
import { projectFolder, testApp, typeFile } from "../../project.ts";

function read(files: Record<string, string>, environment: Record<string, string> = {}) {
  const { root, remove } = projectFolder(files);
  const report = new ProjectReport();
  const settings = loadSettings(root, environment, report);
  remove();
  report.finish();
  return { settings, warnings: report.warnings.map(problemText) };
}

const none: readonly (readonly [name: string, text: string, kind: string])[] = [
  ["a promise", "module.exports = async () => ({ graphql: { config: { depthLimit: 7 } } });", "a promise"],
  ["a rejected promise", "module.exports = async () => { throw new Error('no'); };", "a promise"],
  ["a function of a function", "module.exports = () => ({ env }) => ({});", "a function that returns a function"],
  ["a list", "module.exports = [];", "a list"],
  ["a large number", "module.exports = 5n;", "a bigint"],
];
for (const [name, text, kind] of none) {
  test(`config/plugins that exports ${name} counts as empty`, () => {
    const { settings, warnings } = read({ "config/plugins.js": text });
    expect(settings.graphql.depthLimit).toBe(30);
    expect(warnings).toEqual([`config/plugins.js: must hold an object, not ${kind}; nothing of it is used`]);
  });
}

test("config/galley.json must be an object", () => {
  expect(() => read({ "config/galley.json": "[]" })).toThrow("config/galley.json: must hold an object");
});

const kinds: readonly (readonly [
  file: string,
  config: object,
  pick: (settings: Settings) => unknown,
  expected: unknown,
  warned: number,
])[] = [
  ["api", { rest: { defaultLimit: "7" } }, ({ rest }) => rest.defaultLimit, 7, 0],
  ["api", { rest: { defaultLimit: "many" } }, ({ rest }) => rest.defaultLimit, 25, 1],
  ["api", { rest: { defaultLimit: -3 } }, ({ rest }) => rest.defaultLimit, 25, 1],
  ["api", { rest: { withCount: "false" } }, ({ rest }) => rest.withCount, false, 0],
  ["api", { rest: { prefix: [] } }, ({ rest }) => rest.prefix, "/api", 1],
  ["api", { responses: { privateAttributes: 3 } }, ({ privateAttributes }) => privateAttributes, [], 1],
  ["server", { port: "4000" }, ({ server }) => server.port, 4000, 0],
  [
    "plugins",
    { graphql: { config: { v4CompatibilityMode: true } } },
    ({ graphql }) => graphql.v4CompatibilityMode,
    true,
    0,
  ],
  [
    "plugins",
    { "users-permissions": { config: { jwt: { expiresIn: 3600 } } } },
    ({ auth }) => auth.jwtLifespan,
    3600,
    0,
  ],
  [
    "plugins",
    { "users-permissions": { config: { jwt: { expiresIn: "2h" } } } },
    ({ auth }) => auth.jwtLifespan,
    7200,
    0,
  ],
  [
    "plugins",
    { "users-permissions": { config: { jwt: { expiresIn: "long" } } } },
    ({ auth }) => auth.jwtLifespan,
    2_592_000,
    1,
  ],
  [
    "plugins",
    { "users-permissions": { config: { jwtManagement: "new" } } },
    ({ auth }) => auth.jwtManagement,
    "legacy-support",
    1,
  ],
  ...(
    [
      [{ min: 2, sec: 30 }, 150_000, 0],
      ["5000", 5_000, 0],
      [{ minutes: 5 }, 60_000, 1],
      [{}, 60_000, 1],
    ] as const
  ).map(([interval, expected, warned]): (typeof kinds)[number] => [
    "plugins",
    { "users-permissions": { config: { ratelimit: { interval } } } },
    ({ auth }) => auth.ratelimit.interval,
    expected,
    warned,
  ]),
  [
    "plugins",
    { upload: { config: { breakpoints: { small: "x" } } } },
    ({ upload }) => upload.breakpoints.small,
    500,
    1,
  ],
];
for (const [file, config, pick, expected, warned] of kinds) {
  test(`config/${file} of ${JSON.stringify(config)} is ${JSON.stringify(expected)}`, () => {
    const { settings, warnings } = read({ [`config/${file}.json`]: JSON.stringify(config) });
    expect(pick(settings)).toEqual(expected);
    expect(warnings).toHaveLength(warned);
  });
}

test("credentials of CORS in words are told", () => {
  const cors = [{ name: "strapi::cors", config: { credentials: "yes" } }];
  const { settings, warnings } = read({ "config/middlewares.json": JSON.stringify(cors) });
  expect(settings.http.cors.credentials).toBe(true);
  expect(warnings).toEqual([expect.stringContaining("config/middlewares.json: credentials: must be a boolean")]);
});

test("files see the project's .env in the process while they are read, and not after that", () => {
  const files = {
    ".env": "GALLEY_TEST_LIMIT=6\n",
    "config/api.js": "module.exports = { rest: { defaultLimit: Number(process.env.GALLEY_TEST_LIMIT) } };",
  };
  expect(read(files).settings.rest.defaultLimit).toBe(6);
  expect(process.env.GALLEY_TEST_LIMIT).toBeUndefined();
});

test("files that import as modules and export as CommonJS are read, and what they import, too", () => {
  const files = {
    "config/api.ts": `import limit from "./limits/limit";\n\nmodule.exports = ({ env }) => ({ rest: { defaultLimit: limit(env) } });\n`,
    "config/limits/limit.ts": `import { join } from "node:path";\nconst limit = (env) => env.int("LIMIT", join("a", "b").length);\nmodule.exports = limit;\n`,
  };
  expect(read(files).settings.rest.defaultLimit).toBe(3);
  expect(read(files, { LIMIT: "8" }).settings.rest.defaultLimit).toBe(8);
});

test("of a default export and module.exports, the latter counts, in whichever order", () => {
  const own = "module.exports = { rest: { defaultLimit: 3 } };";
  const other = "export default () => ({ rest: { defaultLimit: 5 } });";
  for (const text of [`${other}\n\n${own}`, `${own}\n${other}`])
    expect(read({ "config/api.ts": text }).settings.rest.defaultLimit).toBe(3);
});

test("packages of Strapi are found without being installed", async () => {
  const app = await testApp({
    ...typeFile("post", { title: { type: "string" } }),
    ".env": "GALLEY_TEST_PREFIX=/v2\n",
    "config/api.ts": `import { env } from "@strapi/utils";\nexport default { rest: { prefix: env("GALLEY_TEST_PREFIX", "/none") } };`,
  });
  expect((await app.call("GET", "/v2/posts")).status).toBe(200);
  await app.close();
});
