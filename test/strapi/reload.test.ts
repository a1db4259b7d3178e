/** Code that changes, fails, never answers, or is not complete. */
import { describe, expect, spyOn, test } from "bun:test";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { ProjectError } from "../../src/lib/errors.ts";
import { runProject } from "../../src/server/running.ts";
import { CodeHandles } from "../../src/strapi/loader/handles.ts";
import { freePort } from "../free-port.ts";
import { configFile, projectFolder, typeFile, writeFiles } from "../project.ts";
import { until } from "../until.ts";

declare global {
  var ticks: string[] | undefined;
}

const controller = (body: string) => `module.exports = { hello: ${body} };`;
const limited = (timeout: number) =>
  configFile({ roles: { public: ["api::note.note.*"] }, code: { timeout, hookTimeout: 1 } });
const files = {
  ...limited(1),
  ...typeFile("note", { title: { type: "string" } }),
  "src/api/note/routes/a.js":
    'module.exports = { routes: [{ method: "GET", path: "/hello", handler: "hello.hello", config: { auth: false } }] };',
  "src/api/note/routes/note.js":
    'module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");',
  "src/api/note/controllers/hello.js": controller("() => ({ version: 1 })"),
};

async function running(given: Readonly<Record<string, string>> = {}) {
  const { root, remove } = projectFolder({ ...files, ...given });
  const reports: string[] = [];
  const report = (message: string | ProjectError) =>
    void reports.push(message instanceof ProjectError ? message.message : message);
  const options = { memory: true, publicRead: false, environment: {}, watch: false, report };
  const server = await runProject(root, options);
  const get = async (path: string, init?: RequestInit) => {
    const response = await server.handle(new Request(`http://localhost${path}`, init));
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const close = async () => {
    await server.close();
    remove();
  };
  return { root, server, get, reports, close };
}

const post = (title: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ data: { title } }),
});

test("a package that refuses to be set up again is loaded anew when code changes", async () => {
  const { server, get, reports, close } = await running({
    "node_modules/registry/index.js": `let isSetUp = false;
      module.exports = () => { if (isSetUp) throw new Error("already set up"); isSetUp = true; };`,
    "src/index.js": `module.exports = { register: require("registry") };`,
  });
  expect([await server.reload(), reports.at(-1)]).toEqual([
    true,
    "The project's files have changed and are served now",
  ]);
  expect((await get("/api/hello")).body).toEqual({ version: 1 });
  await close();
});

test("changed code is served; code that cannot be loaded leaves the last good one", async () => {
  const { root, server, get, reports, close } = await running();
  const write = (text: string) => writeFiles(root, { "src/api/note/controllers/hello.js": text });
  expect((await get("/api/hello")).body).toEqual({ version: 1 });
  write(controller("() => ({ version: 2 })"));
  expect(await server.reload()).toBe(true);
  expect((await get("/api/hello")).body).toEqual({ version: 2 });
  write("module.exports = {\n  hello: () => {,\n};");
  expect(await server.reload()).toBe(false);
  expect(reports.at(-1)).toContain("src/api/note/controllers/hello.js:2:");
  write('\nthrow new Error("at load");');
  expect(await server.reload()).toBe(false);
  expect(reports.at(-1)).toContain("src/api/note/controllers/hello.js:2:");
  expect((await get("/api/hello")).body).toEqual({ version: 2 });
  write(controller("() => ({ version: 3 })"));
  expect(await server.reload()).toBe(true);
  expect((await get("/api/hello")).body).toEqual({ version: 3 });
  rmSync(join(root, "src/api/note/controllers/hello.js"));
  expect(await server.reload()).toBe(false);
  expect((await get("/api/hello")).body).toEqual({ version: 3 });
  await close();
});

test("code that never answers is cut off, and so is a hook, whose write is rolled back", async () => {
  const { get, close } = await running({
    // the hook's limit comes first
    ...limited(2),
    "src/api/note/controllers/hello.js": controller("() => new Promise(() => {})"),
    "src/api/note/content-types/note/lifecycles.js":
      'module.exports = { afterCreate: ({ params }) => params.data.title === "slow" ? new Promise(() => {}) : undefined };',
  });
  expect((await get("/api/hello")).status).toBe(503);
  expect((await get("/api/notes", post("slow"))).status).toBe(500);
  expect((await get("/api/notes", post("quick"))).status).toBe(201);
  const { body } = await get("/api/notes");
  expect((body.data as { title: string }[]).map(({ title }) => title)).toEqual(["quick"]);
  await close();
});

test("code behind the server's own routes is cut off", async () => {
  const { get, close } = await running({
    "src/index.js": `module.exports = { register({ strapi }) {
      const never = () => new Promise(() => {});
      strapi.documents.use(({ action }, next) => (action === "findOne" ? never() : next()));
      strapi.plugin("graphql").service("extension").use({
        typeDefs: "type Query { resolver: String policy: String middleware: String }",
        resolvers: { Query: { resolver: never, policy: () => "x", middleware: () => "x" } },
        resolversConfig: {
          "Query.resolver": { auth: false },
          "Query.policy": { auth: false, policies: [never] },
          "Query.middleware": { auth: false, middlewares: [never] },
        },
      });
    } };`,
  });
  const query = (text: string) => get("/graphql", { ...post(""), body: JSON.stringify({ query: text }) });
  const [read, { body }] = await Promise.all([get("/api/notes/x"), query("{ resolver policy middleware }")]);
  expect(read.status).toBe(503);
  const errors = body.errors as { extensions: { code: string } }[];
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(
    Array.from({ length: 3 }, () => "STRAPI_SERVICE_UNAVAILABLE_ERROR"),
  );
  await close();
});

test("a package that is not installed is reported and fails where it is used; the rest runs", async () => {
  const { server, get, close } = await running({
    "src/api/note/controllers/paid.js":
      'const pay = require("no-such-package"); module.exports = { pay: () => pay(), other: () => ({ other: true }) };',
    "src/api/note/routes/b.js": `module.exports = { routes: [
      { method: "GET", path: "/pay", handler: "paid.pay", config: { auth: false } },
      { method: "GET", path: "/other", handler: "paid.other", config: { auth: false } },
    ] };`,
  });
  expect(server.project().code?.missing).toEqual([
    {
      file: "src/api/note/controllers/paid.js",
      problem: "the package no-such-package is not installed (bun add no-such-package)",
    },
  ]);
  expect((await get("/api/other")).body).toEqual({ other: true });
  expect((await get("/api/pay")).status).toBe(500);
  await close();
});

test("reads go on while a hook waits", async () => {
  const { get, close } = await running({
    "src/api/note/content-types/note/lifecycles.js": `module.exports = { beforeCreate: () => globalThis.__waitForTest };`,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(globalThis, { __waitForTest: promise });
  const writing = get("/api/notes", post("later"));
  await Bun.sleep(20);
  expect((await get("/api/notes")).body.data).toEqual([]);
  resolve();
  expect((await writing).status).toBe(201);
  expect((await get("/api/notes")).body.data).toHaveLength(1);
  await close();
});

test("columns that a reload adds are written with SQL", async () => {
  const { root, server, reports, close } = await running({
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.reloadedCode = strapi; } };",
  });
  // biome-ignore lint/suspicious/noExplicitAny: the interface of the code
  const strapi = () => (globalThis as any).reloadedCode;
  await strapi()
    .documents("api::note.note")
    .create({ data: { title: "a" } });
  await strapi().db.connection("notes").update({ title: "b" });
  writeFiles(root, typeFile("note", { title: { type: "string" }, count: { type: "integer" } }));
  expect([await server.reload(), reports.at(-1)]).toEqual([
    true,
    "The project's files have changed and are served now",
  ]);
  expect(await strapi().db.connection("notes").update({ count: 3 })).toBe(1);
  expect(await strapi().documents("api::note.note").findFirst()).toMatchObject({ title: "b", count: 3 });
  await close();
});

test("generations that were replaced are not kept in memory", async () => {
  const { root, server, close } = await running();
  const generations: WeakRef<object>[] = [];
  Object.assign(globalThis, { generations });
  for (let version = 0; version < 5; version++) {
    writeFiles(root, {
      "src/index.js": `module.exports = { register({ strapi }) { generations.push(new WeakRef(strapi)); } }; // ${version}`,
    });
    expect(await server.reload()).toBe(true);
  }
  const living = () => generations.filter((generation) => generation.deref() !== undefined).length;
  for (let wait = 0; wait < 100 && living() > 3; wait++) {
    await Bun.sleep(10);
    Bun.gc(true);
  }
  // the current one, and those that the garbage collector still finds on the stack
  expect(living()).toBeLessThanOrEqual(3);
  await close();
});

test.each([
  ["fails", "throw new Error('not destroyed');"],
  ["rejects", "return Promise.reject(new Error('not destroyed'));"],
  ["never ends", "return new Promise(() => {});"],
])("a destroy that %s keeps no changed code from being served", async (_, body) => {
  const { root, server, get, close } = await running({ "src/index.js": `module.exports = { destroy() { ${body} } };` });
  const log = spyOn(console, "error").mockImplementation(() => {});
  writeFiles(root, { "src/api/note/controllers/hello.js": controller("() => ({ version: 2 })"), "src/index.js": "" });
  expect(await server.reload()).toBe(true);
  expect(log.mock.calls.flat().join()).toContain("src/index.js: destroy");
  log.mockRestore();
  expect((await get("/api/hello")).body).toEqual({ version: 2 });
  await close();
});

describe("what code opens while it starts", () => {
  const bootstrap = (text: string, port: number) => `
    const server = require("http").createServer((_, response) => response.end(${JSON.stringify(text)}));
    module.exports = { async bootstrap({ strapi }) {
      await new Promise((resolve, reject) => server.on("error", reject).listen(${port}, "127.0.0.1", resolve));
      const tick = () => (globalThis.ticks ??= []).push(${JSON.stringify(text)});
      setInterval(tick, 1);
      for (const name of ["on", "once", "addListener", "prependListener"]) process[name]("own event", tick);
      const again = () => { tick(); setTimeout(again, 1); };
      again();
    } };`;
  const middleware = (text: string) =>
    `module.exports = () => { setInterval(() => (globalThis.ticks ??= []).push("middleware of ${text}"), 1); return (_, next) => next(); };`;
  const seen = async () => {
    globalThis.ticks = [];
    await until("timers run", () => globalThis.ticks!.length > 20);
    return [...new Set(globalThis.ticks)].sort();
  };

  test("ends when the next code has started, whose servers get the ports", async () => {
    const port = freePort();
    const ask = async () => (await fetch(`http://127.0.0.1:${port}`)).text();
    const { root, server, reports, close } = await running({
      "config/middlewares.js": 'module.exports = ["strapi::errors", "global::own"];',
      "src/middlewares/own.js": middleware("first"),
      "src/index.js": bootstrap("first", port),
    });
    expect(await ask()).toBe("first");
    expect(await seen()).toEqual(["first", "middleware of first"]);

    writeFiles(root, {
      "src/index.js": `${bootstrap("failing", port)}; module.exports.bootstrap = (own => async (args) => { await own(args); throw new Error("no"); })(module.exports.bootstrap);`,
    });
    expect(await server.reload()).toBe(false);
    expect(reports.at(-1)).toContain("no");
    expect(await ask()).toBe("first");
    expect(await seen()).toEqual(["first", "middleware of first"]);

    writeFiles(root, { "src/middlewares/own.js": middleware("second"), "src/index.js": bootstrap("second", port) });
    expect(await server.reload()).toBe(true);
    expect(await ask()).toBe("second");
    expect(await seen()).toEqual(["middleware of second", "second"]);
    expect(process.listenerCount("own event")).toBe(4);
    await close();
    expect(ask()).rejects.toThrow();
    expect(process.listenerCount("own event")).toBe(0);
  });

  test("stays open while the next code has a route without a handler", async () => {
    const port = freePort();
    const ask = async () => (await fetch(`http://127.0.0.1:${port}`)).text();
    const { root, server, close } = await running({ "src/index.js": bootstrap("first", port) });
    writeFiles(root, {
      "src/api/note/controllers/hello.js": "module.exports = {};",
      "src/index.js": bootstrap("second", port),
    });
    expect(await server.reload()).toBe(false);
    expect(await ask()).toBe("first");
    expect(await seen()).toEqual(["first"]);
    await close();
  });

  test("ends where the next code declares a content-type that cannot be served", async () => {
    const { root, server, reports, close } = await running({ "src/index.js": "" });
    writeFiles(root, {
      "src/index.js": 'setInterval(() => (globalThis.ticks ??= []).push("failing"), 1);',
      "config/plugins.js": 'module.exports = { own: { enabled: true, resolve: "./src/plugins/own" } };',
      "src/plugins/own/strapi-server.js":
        'module.exports = { contentTypes: { thing: { schema: { info: {}, attributes: { a: { type: "string" } } } } } };',
      "src/extensions/own/content-types/thing/schema.json": "{",
    });
    expect(await server.reload()).toBe(false);
    expect(reports.at(-1)).toContain("schema.json");
    globalThis.ticks = [];
    await Bun.sleep(20);
    expect(globalThis.ticks).toEqual([]);
    await close();
  });

  test("ends at once where the code has been replaced", async () => {
    const handles = new CodeHandles();
    handles.release();
    const server = createServer();
    handles.run(() => {
      process.on("own event", () => {});
      server.listen(0, "127.0.0.1");
    });
    await once(server, "close");
    expect(process.listenerCount("own event")).toBe(0);
  });

  test("is removed by what adds and removes listeners of uncaught errors", () => {
    const handles = new CodeHandles();
    const before = process.listenerCount("uncaughtException");
    const listener = (): void => {};
    handles.run(() => {
      for (const add of ["on", "once"] as const) {
        process[add]("uncaughtException", listener);
        expect(process.listenerCount("uncaughtException")).toBe(before + 1);
        process.off("uncaughtException", listener);
        expect(process.listenerCount("uncaughtException")).toBe(before);
      }
    });
    handles.release();
  });

  test("is not kept in memory once it has ended", () => {
    const handles = new CodeHandles();
    const added = handles.run(() =>
      Array.from({ length: 1000 }, () => {
        const listener = (): void => {};
        process.on("own event", listener);
        process.off("own event", listener);
        return new WeakRef(listener);
      }),
    );
    Bun.gc(true);
    expect(added.filter((listener) => listener.deref()).length).toBeLessThan(300);
    handles.release();
  });
});
