/** Code that fails while it starts: the rest is served, and what fails is reported with its file. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runProject } from "../../src/server/running.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";

const route = (path: string, handler: string, more: object = {}) => ({
  method: "GET",
  path,
  handler,
  config: { auth: false, ...more },
});
const router = (...routes: object[]) => `module.exports = { routes: ${JSON.stringify(routes)} };`;
const coreRouter = (name: string) =>
  `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::${name}.${name}");`;

const files = {
  ...configFile({ roles: { public: ["api::note.note.*", "api::page.page.*"] }, code: { timeout: 1 } }),
  ...typeFile("note", { title: { type: "string" } }),
  ...typeFile("page", { title: { type: "string" } }),
  "config/middlewares.js": `module.exports = ["strapi::errors", "global::nowhere", "global::thrower", "strapi::body"];`,
  "config/broken.js": `module.exports = () => { throw new Error("no file"); };`,
  "config/origins.js": `module.exports = ["https://a.example"];`,
  "src/middlewares/thrower.js": `module.exports = () => { throw new Error("no key"); };`,
  "src/policies/by-field.js": `module.exports = require("@strapi/utils").policy.createPolicy({
    name: "by-field",
    validator: (config) => { if (!config.field) throw new Error("Missing field"); },
    handler: (context, config) => config.field === "a",
  });`,
  "src/api/note/routes/note.js": coreRouter("note"),
  "src/api/page/routes/page.js": coreRouter("page"),
  "src/api/page/controllers/page.js": `module.exports = {\n  find: () => {,\n};`,
  "src/api/note/services/later.js": `\nthrow new Error("at load");`,
  "src/api/note/services/ending.js": `process.exit(3);`,
  "src/api/note/controllers/hello.ts": `
    import { Shape, absent } from "../shapes";
    import * as shapes from "../shapes";
    export { Shape } from "../shapes";
    const kept = 1;
    const assign = (): number => { kept = 2; return kept; };
    export default {
      hello: () => ({ kept, absent: typeof absent, all: Object.keys(shapes) }),
      assign() {
        try { return assign(); } catch (error) { return error.name + ": " + error.message; }
      },
      later: () => strapi.service("api::note.later").run(),
      configured: () => ({ origins: strapi.config.get("origins") }),
      ending: () => process.exit(4),
    };`,
  "src/api/note/shapes.ts": `export interface Shape { readonly a: number }\nexport const here = 1;`,
  "src/api/note/routes/01-own.js": router(
    route("/hello", "hello.hello"),
    route("/assign", "hello.assign"),
    route("/later", "hello.later"),
    route("/configured", "hello.configured"),
    route("/ending", "hello.ending"),
    route("/unchecked", "hello.hello", { policies: ["no-such-policy"] }),
    route("/unset", "hello.hello", { policies: [{ name: "global::by-field", config: {} }] }),
    route("/set", "hello.assign", { policies: [{ name: "global::by-field", config: { field: "a" } }] }),
    route("/nobody", "hello.nobody"),
  ),
  "src/api/note/routes/02-broken.js": `module.exports = { routes: [{ method: "FETCH", path: "/x", handler: "hello.hello" }] };`,
  "src/api/note/index.js": `module.exports = {
    register: () => process.exit(1),
    bootstrap: () => new Promise(() => {}),
  };`,
  "src/api/page/index.js": `module.exports = { async bootstrap({ strapi }) {
    await strapi.db.connection.raw("SELECT count(*)::int FROM pages");
  } };`,
  "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => { plugin.nothing.here = 1; };`,
  "src/index.js": `module.exports = {
    async bootstrap({ strapi }) {
      await strapi.documents("api::note.note").create({ data: { title: "before" } });
      throw new Error("no database");
    },
  };`,
};

const { root, remove } = projectFolder(files);
const options = { memory: true, publicRead: false, environment: {}, watch: false, report: () => {} };
let server: Awaited<ReturnType<typeof runProject>>;
let problems: string[];
beforeAll(async () => {
  server = await runProject(root, { ...options, skipsFailingCode: true });
  problems = server.project().code!.problems.map(({ file, message }) => `${file} ${message}`);
});
afterAll(async () => {
  await server.close();
  remove();
});

async function get(path: string): Promise<readonly [status: number, text: string]> {
  const response = await server.handle(new Request(`http://localhost/api${path}`));
  return [response.status, await response.text()];
}

describe("the rest is served", () => {
  test("where one file cannot be parsed and others throw while they are loaded", async () => {
    const [status, text] = await get("/notes");
    expect([status, JSON.parse(text).data]).toEqual([200, [expect.objectContaining({ title: "before" })]]);
  });

  test("a controller that could not be loaded is not replaced by the server's own", async () => {
    expect((await get("/pages"))[0]).toBe(500);
  });

  test("where one file of the configuration fails, and another one holds no object", async () => {
    expect(await get("/configured")).toEqual([200, '{"origins":["https://a.example"]}']);
  });

  test("what needs a service that could not be loaded fails", async () => {
    expect((await get("/later"))[0]).toBe(500);
  });

  test("routes whose policy or handler does not exist fail", async () => {
    expect([(await get("/unchecked"))[0], (await get("/nobody"))[0]]).toEqual([500, 500]);
  });

  test("routes whose policy refuses its configuration fail", async () => {
    expect([(await get("/unset"))[0], (await get("/set"))[0]]).toEqual([500, 200]);
  });

  test("process.exit does not end the server", async () => {
    expect((await get("/ending"))[0]).toBe(500);
    expect((await get("/notes"))[0]).toBe(200);
  });
});

describe("as in Strapi", () => {
  test("an assignment to a constant fails when it runs", async () => {
    expect(await get("/assign")).toEqual([200, "TypeError: Assignment to constant variable."]);
  });

  test("a name that is imported and not exported is undefined", async () => {
    const [status, text] = await get("/hello");
    expect([status, JSON.parse(text)]).toMatchObject([200, { kept: 1, absent: "undefined" }]);
  });
});

test.each([
  ["src/api/page/controllers/page.js", "is not run: src/api/page/controllers/page.js:2:16: "],
  ["src/api/note/services/later.js", "is not run: at load (src/api/note/services/later.js:2:"],
  ["src/api/note/services/ending.js", "is not run: process.exit(3) was called"],
  ["src/api/note/index", "ended early in register: process.exit(1) was called"],
  ["src/api/note/index", "bootstrap has not ended within 1 s; it continues in the background"],
  [
    "src/api/page/index",
    'ended early in bootstrap: SELECT count(*)::int FROM pages - unrecognized token: ":" (::int is PostgreSQL\'s, and the database is SQLite)',
  ],
  ["src/index.js", "ended early in bootstrap: no database"],
  ["src/extensions/upload/strapi-server.js", "is left out, and the plugin upload stays as it is: "],
  ["src/api/note/routes/02-broken", "is left out: Invalid route config: /x has the method FETCH"],
  ["GET /api/unchecked", "fails: GET /api/unchecked: Policy no-such-policy not found"],
  ["GET /api/unset", 'fails: Invalid config passed to "by-field" policy.'],
  ["GET /api/nobody", 'fails: GET /api/nobody: Handler not found "hello.nobody"'],
  ["config/broken", "is not used: config/broken.js: cannot be read (no file)"],
  ["config/middlewares", "answers without global::nowhere: "],
  ["config/middlewares", "answers without global::thrower: no key"],
])("%s is reported: %s", (file, message) => {
  expect(problems.some((problem) => problem.startsWith(`${file} ${message}`))).toBe(true);
});

test("without leaving anything out, the first problem is an error with its file and line", async () => {
  const { message } = await runProject(root, options).then(
    () => new Error("it started"),
    (error: Error) => error,
  );
  expect(message).toStartWith("src/api/page/controllers/page.js:2:16: ");
});

test("a middleware that does not exist is an error of the configuration, and stops the first start, too", async () => {
  const project = projectFolder({
    ...typeFile("note", {}),
    "config/middlewares.js": `module.exports = ["strapi::errors", "global::nowhere"];`,
    "src/middlewares/thrower.js": `module.exports = () => { throw new Error("no key"); };`,
  });
  const { message } = await runProject(project.root, { ...options, skipsFailingCode: true }).then(
    () => new Error("it started"),
    (error: Error) => error,
  );
  project.remove();
  expect(message).toBe('config/middlewares.js: 1: there is no middleware "global::nowhere"');
});
