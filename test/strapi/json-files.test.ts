/** JSON below `src`: what Strapi 5.54 loads, where it stops a start, and what it serves. The answers of the tables are Strapi's. */
import { describe, expect, test } from "bun:test";
import { createGalley } from "../../src/index.ts";
import { type Body, configFile, projectFolder, testApp, typeFile } from "../project.ts";

type Files = Readonly<Record<string, string>>;

const API = "src/api/thing";
const broken = (file: string): Files => ({ [file]: '{\n  "a": }' });
const LOCATED = "is not valid JSON (line 2, column 8: Unexpected token '}')";
const routes = (text: string): Files => ({ [`${API}/routes/a.json`]: text });
const route = (path: string, more: object = {}) => ({
  method: "GET",
  path,
  handler: "thing.find",
  config: { auth: false },
  ...more,
});
const router = (...rows: readonly unknown[]): string => JSON.stringify({ routes: rows });

const FOLDERS = ["config", "routes", "controllers", "services", "policies", "middlewares"];

const stops: readonly (readonly [files: Files, message: string])[] = [
  ...[...FOLDERS, "content-types/thing"]
    .map((folder) => `${API}/${folder}/a.json`)
    .concat(
      `${API}/routes/.a.json`,
      "src/components/a/b.json",
      "src/extensions/users-permissions/content-types/user/schema.json",
      "src/extensions/nope/content-types/a/schema.json",
      "src/extensions/users-permissions/x/content-types/y/user/schema.json",
    )
    .map((file) => [broken(file), `${file}: ${LOCATED}`] as const),
  ...["config", "routes"].map((folder): readonly [Files, string] => [
    { [`${API}/${folder}/a.json`]: "" },
    `${API}/${folder}/a.json: is not valid JSON (line 1, column 1: Unexpected end of JSON input)`,
  ]),
  ...["null", "5", '"x"'].map((text): readonly [Files, string] => [routes(text), "a router must be an object"]),
  ...["null", '"x"'].map((text): readonly [Files, string] => [
    { "src/extensions/nope/content-types/a/schema.json": text },
    "src/extensions/nope/content-types/a/schema.json: must hold an object",
  ]),
  [{ [`${API}/routes/a.js`]: "module.exports = null;" }, "a router must be an object, not null"],
  [routes('{"routes":5}'), "routes must be a list, not number"],
  [routes(router(null)), "Invalid route config"],
  [routes(router({})), "Invalid route config"],
  [routes(router(route("/json", { handler: undefined }))), "Invalid route config"],
  [{ [`${API}/controllers/thing.json`]: "{}" }, "thing.find"],
];

const starts: readonly Files[] = [
  ...["documentation", "lib", ".", "routes/v1"].map((folder) => broken(`${API}/${folder}/a.json`)),
  ...["routes/a.JSON", "routes/a.json5", "routes/a.json.bak", "index.json", "content-types/a.json"].map((file) =>
    broken(`${API}/${file}`),
  ),
  ...[
    ...["src/api/a.json", "src/api/.x/routes/a.json", "src/index.json", "src/policies/a.json"],
    ...["src/middlewares/a.json", "src/plugins/x/package.json"],
    ...["src/components/b.json", "src/components/a/b/c.json", "src/components/a/.b.json", "src/components/.a/b.json"],
    ...["src/extensions/nope/content-types/a/other.json", "src/extensions/users-permissions/config/jwt.json"],
    "src/extensions/documentation/documentation/1.0.0/full_documentation.json",
  ].map(broken),
  ...['{"routes":null}', "[]", "{}"].map(routes),
  ...FOLDERS.filter((folder) => folder !== "routes").flatMap((folder) =>
    ["null", "5", "[]", '"x"', '{"a":1}'].map((text) => ({ [`${API}/${folder}/a.json`]: text })),
  ),
  { [`${API}/config/a.json`]: '\uFEFF{"a":1}' },
  { [`${API}/config/.json`]: "{" },
  { [`${API}/content-types/thing/a.json`]: "null" },
  { "tsconfig.json": "{}", [`${API}/config/a.json`]: '{"a":1,}' },
];

async function findProblem(files: Files): Promise<string | undefined> {
  const { root, remove } = projectFolder({ ...typeFile("thing", { name: { type: "string" } }), ...files });
  try {
    const galley = await createGalley({ project: root, environment: {} });
    await galley.close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    remove();
  }
}

describe("a start is stopped by", () => {
  for (const [files, message] of stops)
    test(JSON.stringify(files), async () => expect(await findProblem(files)).toContain(message));
});

describe("a start is not stopped by", () => {
  for (const files of starts) test(JSON.stringify(files), async () => expect(await findProblem(files)).toBeUndefined());
});

async function statuses(files: Files, ...paths: readonly string[]): Promise<number[]> {
  const app = await testApp({ ...configFile(), ...typeFile("thing", { name: { type: "string" } }), ...files });
  const found: number[] = [];
  for (const path of paths) found.push((await app.call("GET", path)).status);
  await app.close();
  return found;
}

const core = (name: string): Files => ({
  [`${API}/routes/${name}.js`]:
    'module.exports = require("@strapi/strapi").factories.createCoreRouter("api::thing.thing");',
});

test("routes of JSON files are served, in the place of code of the same name", async () => {
  const json = router(route("/json"));
  expect(await statuses({ ...routes(json), ...core("thing") }, "/api/json", "/api/things")).toEqual([200, 200]);
  expect(await statuses(routes(json), "/api/json", "/api/things")).toEqual([200, 404]);
  expect(await statuses({ ...routes(json), ...core("a") }, "/api/json", "/api/things")).toEqual([200, 404]);
  const prefixed = JSON.stringify({ prefix: "/v1", type: "admin", routes: [route("/json")] });
  expect(await statuses(routes(prefixed), "/api/v1/json", "/api/json", "/admin/json")).toEqual([200, 404, 404]);
});

test("the configuration of an api, and JSON services, are there for code", async () => {
  const app = await testApp({
    ...configFile(),
    [`${API}/config/a.json`]: '{"a":1}',
    [`${API}/config/b.js`]: "module.exports = { b: 2 };",
    [`${API}/config/cD.json`]: "{}",
    [`${API}/services/x.json`]: '{"y":1}',
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      globalThis.seen = [strapi.config.get("api::thing"), strapi.config.get("api::thing.b.b"), strapi.service("api::thing.x")];
    } };`,
  });
  await app.close();
  const { seen } = globalThis as unknown as { seen: Body };
  expect(seen).toEqual([{ a: { a: 1 }, b: { b: 2 }, "c-d": {} }, 2, { y: 1 }]);
});
