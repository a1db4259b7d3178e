/** Whatever becomes of a project's files and database while they are served: the last good state is, with one message. */
import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../../src/lib/errors.ts";
import { changeTables } from "../../src/server/change-tables.ts";
import type { ProjectOptions } from "../../src/server/project/project.ts";
import { type RunningOptions, type RunningProject, runProject } from "../../src/server/running.ts";
import { PROGRAM } from "../program.ts";
import { ADMIN, type Body, configFile, projectFolder, TOKEN, typeFile, writeFiles } from "../project.ts";
import { until } from "../until.ts";
import { brokenProjects, goodFiles } from "./broken-projects.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Started {
  readonly root: string;
  readonly running: RunningProject;
  readonly messages: (string | ProjectError)[];
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>;
}

async function start(
  more: Partial<RunningOptions> = {},
  files = goodFiles as Record<string, string>,
): Promise<Started> {
  const { root, remove } = projectFolder(files);
  const messages: (string | ProjectError)[] = [];
  const running = await runProject(root, {
    memory: false,
    publicRead: false,
    environment: {},
    watch: false,
    report: (message) => messages.push(message),
    ...more,
  });
  cleanups.push(remove, () => running.close());
  const call = async (method: string, path: string, body?: unknown) => {
    const init = { method, headers: { ...ADMIN, "content-type": "application/json" } };
    const request = new Request(`http://localhost${path}`, body ? { ...init, body: JSON.stringify(body) } : init);
    const response = await running.handle(request);
    return { status: response.status, body: (await response.json().catch(() => undefined)) as Body };
  };
  return { root, running, messages, call };
}

const size = typeFile("post", { title: { type: "string" }, size: { type: "integer" } });

describe("a change that cannot be served", () => {
  for (const { name, breakIt, tells } of brokenProjects) {
    test(`${name} is one message, and everything goes on`, async () => {
      const { root, running, messages, call } = await start();
      await call("POST", "/api/posts", { data: { title: "a" } });
      breakIt(root);
      expect(await running.reload()).toBe(false);
      expect(messages.length).toBe(1);
      expect(messages[0]).toBeInstanceOf(ProjectError);
      expect(String(messages[0])).toContain(tells);
      // the admin page shows it
      expect(running.project().reloader.problem?.()).toContain(tells);
      expect((await call("GET", "/api/posts")).body.data).toMatchObject([{ title: "a" }]);
      expect((await call("POST", "/api/posts", { data: { title: "b" } })).status).toBe(201);
      rmSync(join(root, "src"), { recursive: true });
      rmSync(join(root, "config"), { recursive: true });
      writeFiles(root, { ...goodFiles, ...size });
      expect(await running.reload()).toBe(true);
      expect(running.project().reloader.problem?.()).toBeUndefined();
      expect((await call("POST", "/api/posts", { data: { size: 4 } })).body.data.size).toBe(4);
    });
  }

  test("a database that another process keeps locked is named", async () => {
    const { root, running, messages, call } = await start();
    const other = new Database(join(root, ".galley/content.db"));
    other.run("BEGIN IMMEDIATE");
    writeFiles(root, size);
    expect(await running.reload()).toBe(false);
    expect(String(messages[0])).toMatch(/is locked by (?:another process|process \d+ \(.+\)); end that/);
    expect((await call("GET", "/api/posts")).status).toBe(200);
    other.run("COMMIT");
    other.close();
    expect(await running.reload()).toBe(true);
  });

  test("a project that is gone is not an empty one", async () => {
    const { root, running, messages, call } = await start();
    await call("POST", "/api/posts", { data: { title: "a" } });
    renameSync(join(root, "src"), join(root, "elsewhere"));
    expect(await running.reload()).toBe(false);
    expect(String(messages[0])).toContain("is gone; what was there is still served");
    expect((await call("GET", "/api/posts")).body.data).toMatchObject([{ title: "a" }]);
  });
});

test("warnings about changed files are printed, those of before are not repeated", async () => {
  const { root, running, messages } = await start();
  const broken = { slug: { type: "uid", targetField: "titel" } };
  writeFiles(root, typeFile("post", { title: { type: "string" }, ...broken }));
  expect(await running.reload()).toBe(true);
  const file = "src/api/post/content-types/post/schema.json";
  const warning = `warning: ${file}: attributes.slug.targetField: must name a string or text attribute`;
  expect(messages).toContain(warning);
  messages.length = 0;
  writeFiles(root, typeFile("post", { title: { type: "string" }, size: { type: "integer" }, ...broken }));
  expect(await running.reload()).toBe(true);
  expect(messages).not.toContain(warning);
});

test("attributes may have the names of what objects inherit", async () => {
  const names = ["constructor", "toString", "valueOf", "hasOwnProperty"];
  const attributes = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const { root, running, call } = await start({}, { ...goodFiles, ...typeFile("odd", attributes) });
  const data = Object.fromEntries(names.map((name) => [name, `the ${name}`]));
  const made = await call("POST", "/api/odds", { data });
  expect(made.status).toBe(201);
  expect(made.body.data).toMatchObject(data);
  expect((await call("POST", "/api/odds", { data: {} })).body.data.constructor).toBeNull();
  const query = { query: "{ odds(filters: { valueOf: { notNull: true } }) { constructor toString } }" };
  expect((await call("POST", "/graphql", query)).body.data.odds).toEqual([
    { constructor: "the constructor", toString: "the toString" },
  ]);
  // they become new, and change their type
  writeFiles(
    root,
    typeFile("odd", { ...attributes, isPrototypeOf: { type: "string" }, constructor: { type: "text" } }),
  );
  expect(await running.reload()).toBe(true);
  expect((await call("GET", "/api/odds?sort=id")).body.data[0]).toMatchObject(data);
});

test("a changed `.env` is what code and configuration read", async () => {
  const route = { method: "GET", path: "/word", handler: "word.show", config: { auth: false } };
  const { root, running, call } = await start(
    {},
    {
      ...goodFiles,
      ".env": "RELOADED_WORD=one",
      "config/custom.js": "module.exports = () => ({ word: process.env.RELOADED_WORD });",
      "src/api/word/routes/word.js": `module.exports = ${JSON.stringify({ routes: [route] })};`,
      "src/api/word/controllers/word.js":
        'module.exports = { show: (ctx) => { ctx.body = [process.env.RELOADED_WORD, strapi.config.get("custom.word")]; } };',
    },
  );
  cleanups.push(() => delete process.env.RELOADED_WORD);
  expect((await call("GET", "/api/word")).body).toEqual(["one", "one"]);
  writeFiles(root, { ".env": "RELOADED_WORD=two" });
  expect(await running.reload()).toBe(true);
  expect((await call("GET", "/api/word")).body).toEqual(["two", "two"]);
});

describe("hooks of writes, which hold the lock while they wait", () => {
  const hooked = {
    ...goodFiles,
    "src/api/post/content-types/post/lifecycles.js":
      "module.exports = { beforeCreate: () => new Promise((resolve) => setTimeout(resolve, 300)) };",
  };
  const options: ProjectOptions = { memory: false, publicRead: false, environment: { ...process.env } };
  const inChild = (project: Parameters<typeof changeTables>[0]) =>
    changeTables(project, options, { command: [...PROGRAM, "migrate"], minBytes: 0 });

  test.each<[string, Partial<RunningOptions>]>([
    ["this process", {}],
    ["another one", { environment: options.environment, changeTables: inChild }],
  ])("are waited for before %s changes the tables, and later writes wait in turn", async (_, more) => {
    const { root, running, messages, call } = await start(more, hooked);
    const write = () => call("POST", "/api/posts", { data: { title: "a" } });
    const writes = [write(), write()];
    await Bun.sleep(100);
    writeFiles(root, size);
    const reloaded = running.reload();
    writes.push(write(), write());
    expect(await reloaded).toBe(true);
    expect(messages).toContain("schema: posts size is new");
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    // those that begin after the change were checked against the old schema
    expect(statuses.slice(0, 2)).toEqual([201, 201]);
    expect((await call("POST", "/api/posts", { data: { size: 4 } })).body.data.size).toBe(4);
  });
});

test("a change is served while one write after the other waits in hooks", async () => {
  const { root, running, messages, call } = await start(
    {},
    {
      ...goodFiles,
      "src/api/post/content-types/post/lifecycles.js":
        "module.exports = { beforeCreate: () => new Promise((resolve) => setTimeout(resolve, 100)) };",
    },
  );
  const writes: ReturnType<typeof call>[] = [];
  const timer = setInterval(() => writes.push(call("POST", "/api/posts", { data: { title: "a" } })), 50);
  await Bun.sleep(200);
  writeFiles(root, size);
  expect(await running.reload()).toBe(true);
  clearInterval(timer);
  expect(messages).toContain("schema: posts size is new");
  // those that began before it were checked against the old schema
  for (const { status } of await Promise.all(writes)) expect([201, 503]).toContain(status);
}, 30_000);

test("schemas that are no longer served release their memory", async () => {
  const { root, running, call } = await start();
  const earlier: WeakRef<object>[] = [];
  for (const round of [1, 2, 3, 4, 5, 6]) {
    const { documentId } = (await call("POST", "/api/posts", { data: { title: "a" } })).body.data;
    await call("DELETE", `/api/posts/${documentId}`);
    earlier.push(new WeakRef(running.project().model.types.get("api::post.post")!));
    writeFiles(root, typeFile("post", { title: { type: "string" }, [`a${round}`]: { type: "string" } }));
    expect(await running.reload()).toBe(true);
  }
  await until("most are collected", () => {
    Bun.gc(true);
    return earlier.filter((schema) => schema.deref()).length < 3;
  });
});

describe("tables of a large database", () => {
  const options: ProjectOptions = { memory: false, publicRead: false, environment: { ...process.env } };
  const command = [...PROGRAM, "migrate"];
  const text = typeFile("post", { title: { type: "string" }, size: { type: "string" } });

  test("change while the old application reads on; writes that wait for it are refused", async () => {
    let during: Promise<unknown> | undefined;
    const { root, running, messages, call } = await start(
      {
        environment: options.environment,
        changeTables: (project) =>
          changeTables(project, options, {
            command,
            minBytes: 0,
            beforeChange: async () => {
              // when the storage is pinned
              setTimeout(() => {
                during = whileChanging();
              }, 1);
            },
          }),
      },
      { ...goodFiles, ...size },
    );
    for (const number of [1, 2, 3]) await call("POST", "/api/posts", { data: { title: "a", size: number } });
    let write: ReturnType<typeof call> | undefined;
    let statuses: number[] = [];
    async function whileChanging(): Promise<void> {
      write = call("POST", "/api/posts", { data: { title: "late" } });
      for (let reads = 0; reads < 5; reads++) {
        const { status, body } = await call("GET", `/api/posts?sort=id&filters[size][$gt]=${reads % 2}`);
        statuses = [...statuses, status];
        // the old type, whatever the tables are now
        expect(body.data.every((post: Body) => typeof post.size === "number")).toBe(true);
      }
    }
    writeFiles(root, text);
    expect(await running.reload()).toBe(true);
    await during;
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    // it was checked against the old schema
    expect(await write).toMatchObject({ status: 503, body: { error: { name: "ServiceUnavailableError" } } });
    const { body } = await call("GET", "/api/posts?sort=id");
    expect(body.data.map((post: Body) => post.size)).toEqual(["1", "2", "3"]);
    expect(messages).toContain("schema: posts size is string instead of integer: 3 of 3 values converted");
    expect((await call("PUT", `/api/posts/${body.data[0].documentId}`, { data: { size: "big" } })).body.data.size).toBe(
      "big",
    );
  }, 30_000);

  test("do not wait for writes of own code, which wait for them", async () => {
    let writes: ReturnType<typeof call>[] = [];
    const { root, running, call } = await start(
      {
        environment: options.environment,
        changeTables: async (project) => {
          const changes = await changeTables(project, options, { command, minBytes: 0 });
          writes = [1, 2].map(() => call("POST", "/api/posts", { data: { title: "late" } }));
          await Bun.sleep(50);
          return changes;
        },
      },
      {
        ...goodFiles,
        "src/api/post/content-types/post/lifecycles.js": "module.exports = { beforeCreate() {} };",
      },
    );
    writeFiles(root, size);
    const started = performance.now();
    expect(await running.reload()).toBe(true);
    // the queue of writes refuses one after 10 s
    expect(performance.now() - started).toBeLessThan(9_000);
    // they were checked against the old schema
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([503, 503]);
    expect((await call("POST", "/api/posts", { data: { size: 4 } })).status).toBe(201);
  }, 30_000);

  test("stay as they are when the change fails, and writes go on", async () => {
    const failing = [process.execPath, "-e", 'console.error("galley: no room"); process.exit(1)'];
    const { root, running, messages, call } = await start({
      changeTables: (project) => changeTables(project, options, { command: failing, minBytes: 0 }),
    });
    writeFiles(root, size);
    expect(await running.reload()).toBe(false);
    expect(String(messages[0])).toContain("its tables could not be changed: no room");
    expect((await call("POST", "/api/posts", { data: { title: "a" } })).status).toBe(201);
  }, 30_000);

  test("are none of another process's business for other changes", async () => {
    const { root, running } = await start({
      changeTables: (project) => changeTables(project, options, { command: ["/nowhere"], minBytes: 0 }),
    });
    writeFiles(root, typeFile("post", { title: { type: "string", required: true } }));
    expect(await running.reload()).toBe(true);
  });
});

test("what plugins generate in their extensions is no change", async () => {
  const { root, messages, call } = await start({ watch: true });
  await call("GET", "/api/posts");
  const extension = "src/extensions/documentation";
  writeFiles(root, { [`${extension}/strapi-server.js`]: "module.exports = (plugin) => plugin;" });
  await until("an extension is a change", () => messages.length > 0);
  await Bun.sleep(300);
  const before = messages.length;
  const generated = { "documentation/1.0.0/full_documentation.json": "{}", "public/index.html": "" };
  for (const [file, text] of Object.entries(generated)) writeFiles(root, { [`${extension}/${file}`]: text });
  await Bun.sleep(500);
  expect(messages.length).toBe(before);
});

test("files that code writes again while it starts, as they were, are no change", async () => {
  const index = (start: number): string => `module.exports = { bootstrap() {
    const fs = require("node:fs");
    fs.mkdirSync(__dirname + "/generated", { recursive: true });
    fs.writeFileSync(__dirname + "/generated/types.ts", "export type Post = object;");
  } }; // ${start}`;
  const { root, messages, call } = await start({ watch: true }, { ...goodFiles, "src/index.js": index(0) });
  await call("GET", "/api/posts");
  for (const change of [1, 2]) {
    const before = messages.length;
    writeFiles(root, { "src/index.js": index(change) });
    await until("the change is served", () => messages.length > before);
    await Bun.sleep(800);
    // what is written the first time is a change itself
    expect(messages.length - before).toBeLessThanOrEqual(2);
  }
  // those of others are
  const before = messages.length;
  writeFiles(root, { "src/index.js": index(2) });
  await until("the saved file is served", () => messages.length > before);
});

test("files that the admin has written are served once", async () => {
  const config = configFile({ tokens: [{ name: "admin", type: "admin", key: TOKEN }] });
  const code = { "src/index.js": "module.exports = { bootstrap: () => void globalThis };" };
  const files = { ...goodFiles, ...code, ...config };
  const { root, messages, call } = await start({ watch: true, admin: () => true }, files);
  await call("GET", "/admin/information");
  await Bun.sleep(300);
  for (const [index, code] of ["fr", "de"].entries()) {
    expect((await call("POST", "/i18n/locales", { code, name: code, isDefault: false })).status).toBe(200);
    await Bun.sleep(800);
    expect(messages).toHaveLength(index + 1);
  }
  // those of others are
  writeFiles(root, config);
  await until("the restored file is served", () => messages.length > 2);
});

test("a watched project that was replaced by another folder is followed", async () => {
  const { root, messages, call } = await start({ watch: true });
  const next = projectFolder({ ...goodFiles, ...size });
  cleanups.push(next.remove);
  await Bun.sleep(100);
  renameSync(join(root, "src"), join(root, "old"));
  renameSync(join(next.root, "src"), join(root, "src"));
  await until("the other folder is served", async () => {
    const { body } = await call("POST", "/api/posts", { data: { size: 1 } });
    return body.data?.size === 1;
  });
  // what is in it is watched from now on
  writeFiles(root, typeFile("tag", { label: { type: "string" } }));
  await until("a later change is served", async () => (await call("GET", "/api/tags")).status === 200);
  expect(messages.some((message) => message instanceof ProjectError && !message.message.includes("is gone"))).toBe(
    false,
  );
}, 30_000);
