/** What tests have beside a server: branches, documents that are made, failures, expected requests, mails. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGalley, type Galley } from "../src/index.ts";
import { processTime } from "./processor-time.ts";
import { configFile, projectFolder, relation, typeFile } from "./project.ts";

const { root, remove } = projectFolder({
  ...typeFile("category", { name: { type: "string", required: true, unique: true } }),
  ...typeFile(
    "post",
    {
      title: { type: "string", required: true },
      slug: { type: "uid", targetField: "title", required: true },
      code: { type: "string", required: true, regex: "^[A-Z]{3}-[0-9]{2}$" },
      category: { ...relation("manyToOne", "category"), required: true },
    },
    { draftAndPublish: true },
  ),
  ...configFile({
    roles: { public: ["api::post.post.find", "api::post.post.findOne", "plugin::users-permissions.auth.*"] },
    users: [{ username: "ada", email: "ada@example.org", password: "secret of Ada" }],
  }),
});

let galley: Galley;
beforeAll(async () => {
  galley = await createGalley({ project: root, seed: 1, now: "2026-01-01T00:00:00Z", environment: {} });
});
afterAll(async () => {
  await galley.close();
  remove();
});

const titles = async (of: Galley): Promise<unknown[]> => {
  const { data } = (await (await of.fetch("/api/posts?sort=title")).json()) as { data: { title: string }[] };
  return data.map(({ title }) => title);
};
const upload = (of: Galley, name: string): Promise<Response> => {
  const form = new FormData();
  form.set("files", new File([name], name, { type: "text/plain" }));
  return of.as("full-access").fetch("/api/upload", { method: "POST", body: form });
};

describe("branches", () => {
  test("have what was there, and nothing that is written elsewhere later", async () => {
    await using parent = await galley.branch();
    await parent.make("post", { title: "Before" });
    await using one = await parent.branch();
    await using two = await parent.branch();
    await one.make("post", { title: "One" });
    await parent.make("post", { title: "Parent" });
    expect([await titles(one), await titles(two), await titles(parent)]).toEqual([
      ["Before", "One"],
      ["Before"],
      ["Before", "Parent"],
    ]);
    await using inner = await one.branch();
    await inner.make("post", { title: "Inner" });
    expect([await titles(inner), await titles(one)]).toEqual([
      ["Before", "Inner", "One"],
      ["Before", "One"],
    ]);
    expect(await titles(galley)).toEqual([]);
  });

  test("have ports, files, users and sessions of their own", async () => {
    await upload(galley, "first.txt");
    await using one = await galley.branch();
    await using two = await galley.branch();
    expect(new Set([galley.serve(), one.serve(), two.serve()]).size).toBe(3);
    const { url } = ((await (await upload(one, "own.txt")).json()) as { url: string }[])[0]!;
    expect([(await one.fetch(url)).status, (await two.fetch(url)).status, (await galley.fetch(url)).status]).toEqual([
      200, 404, 404,
    ]);
    const login = (of: Galley, password: string) =>
      of.fetch("/api/auth/local", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ identifier: "ada", password }),
      });
    await one.documents("plugin::users-permissions.user").update({
      documentId: (await one.documents("plugin::users-permissions.user").findFirst())!.documentId,
      data: { blocked: true },
    });
    expect([(await login(one, "secret of Ada")).status, (await login(two, "secret of Ada")).status]).toEqual([
      400, 200,
    ]);
  });

  test("share files until one of them writes, and keep them when others are closed", async () => {
    const parent = await galley.branch();
    const { url, id } = ((await (await upload(parent, "shared.txt")).json()) as { url: string; id: number }[])[0]!;
    const branches = await Promise.all(Array.from({ length: 4 }, () => parent.branch()));
    const [writer, deleter] = branches as [Galley, Galley];
    await upload(writer, "written.txt");
    const response = await deleter.as("full-access").fetch(`/api/upload/files/${id}`, { method: "DELETE" });
    expect(response.status).toBe(200);
    await parent.close();
    const statuses = () => Promise.all(branches.map(async (branch) => (await branch.fetch(url)).status));
    expect(await statuses()).toEqual([200, 404, 200, 200]);
    await deleter.reset();
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await Promise.all(branches.map((branch) => branch.close()));
  });

  test("continue ids and times independently", async () => {
    await using one = await galley.branch();
    await using two = await galley.branch();
    const data = { name: "same" };
    const [first, second] = [
      await one.documents("api::category.category"),
      await two.documents("api::category.category"),
    ];
    expect(await first.create({ data })).toEqual(await second.create({ data }));
  });

  test("return to where they began, and close without closing others", async () => {
    const one = await galley.branch();
    await one.make("post", { title: "One" });
    await one.reset();
    expect(await titles(one)).toEqual([]);
    await one.close();
    await one.close();
    await galley.reset();
    expect(await titles(galley)).toEqual([]);
  });

  test("run side by side: random operations on eight of them are seen on none of the others", async () => {
    const branches = await Promise.all(Array.from({ length: 8 }, () => galley.branch()));
    const expected: string[][] = branches.map(() => []);
    await Promise.all(
      branches.map(async (branch, index) => {
        for (let step = 0; step < 12; step++) {
          const title = `${index}-${String(step).padStart(2, "0")}`;
          if (step % 5 === 4) {
            await branch.reset();
            expected[index]!.length = 0;
          }
          await branch.make("post", { title });
          expected[index]!.push(title);
          expect(await titles(branch)).toEqual(expected[index]!);
        }
      }),
    );
    await Promise.all(branches.map((branch) => branch.close()));
  });

  test("that are closed say so", async () => {
    const branch = await galley.branch();
    await branch.close();
    await expect(branch.snapshot()).rejects.toThrow("is closed");
    await expect(branch.reset()).rejects.toThrow("is closed");
  });

  test("are refused where they cannot be", async () => {
    const folder = projectFolder({ ...typeFile("note", {}), ...configFile() });
    await using onDisk = await createGalley({ project: folder.root, memory: false, environment: {} });
    await expect(onDisk.branch()).rejects.toThrow("Only a database in memory has branches");
    folder.remove();
  });
});

describe("branches of a project with own code", () => {
  const own = projectFolder({
    ...typeFile("note", { text: { type: "string" }, length: { type: "integer" } }),
    ...configFile({ roles: { public: ["api::note.note.find", "api::note.note.create", "api::note.note.count"] } }),
    "src/api/note/content-types/note/lifecycles.js": `module.exports = {
      beforeCreate({ params: { data } }) { data.length = data.text?.length ?? 0; },
    };`,
    "src/api/note/controllers/note.js": `
      const { createCoreController } = require("@strapi/strapi").factories;
      let requests = 0;
      module.exports = createCoreController("api::note.note", ({ strapi }) => ({
        async count() {
          const count = async (of) => of.documents("api::note.note").count({});
          await new Promise((resolve) => setTimeout(resolve, 5));
          return { requests: ++requests, given: await count(strapi), global: await count(globalThis.strapi), ticks: strapi.service("api::note.ticks").read() };
        },
      }));`,
    "src/api/note/routes/count.js": `module.exports = { routes: [{ method: "GET", path: "/notes/count", handler: "note.count" }] };`,
    "src/api/note/services/ticks.js": `module.exports = ({ strapi }) => { let ticks = 0; return { tick: () => { ticks++; }, read: () => ticks }; };`,
    "src/index.js": `module.exports = {
      async bootstrap({ strapi }) {
        if ((await strapi.documents("api::note.note").count({})) === 0)
          await strapi.documents("api::note.note").create({ data: { text: "made by bootstrap" } });
        globalThis.strapi.service("api::note.ticks").tick();
      },
      destroy: ({ strapi }) => { (globalThis.__destroyed ??= []).push(strapi === globalThis.strapi); },
    };`,
  });
  let project: Galley;
  beforeAll(async () => {
    project = await createGalley({ project: own.root, environment: {} });
  });
  afterAll(async () => {
    await project.close();
    own.remove();
  });
  const count = async (of: Galley) => (await of.fetch("/api/notes/count")).json();
  const notes = (of: Galley) => of.documents<{ text: string; length: number }>("api::note.note");

  test("run it once each, on their own content", async () => {
    const before = (globalThis as { strapi?: object }).strapi;
    await notes(project).create({ data: { text: "parent" } });
    const branches = await Promise.all(Array.from({ length: 4 }, () => project.branch()));
    expect((globalThis as { strapi?: object }).strapi).toBe(before);
    const inner = await branches[0]!.branch();
    const all = [project, ...branches, inner];
    await Promise.all(
      all.map(async (of, index) => {
        for (let made = 0; made < index; made++) await notes(of).create({ data: { text: "x".repeat(made) } });
        expect(await of.make("note", { text: "four" })).toMatchObject({ length: 4 });
      }),
    );
    const counted = await Promise.all(all.map(count));
    expect(counted).toEqual(all.map((_, index) => ({ requests: 1, given: 3 + index, global: 3 + index, ticks: 1 })));
    await branches[0]!.reset();
    expect(await count(branches[0]!)).toEqual({ requests: 1, given: 2, global: 2, ticks: 1 });
    expect(await count(branches[1]!)).toEqual({ requests: 2, given: 5, global: 5, ticks: 1 });
    await Promise.all([...branches, inner].map((branch) => branch.close()));
    // of a reset, and of five branches that are closed: each with its own global
    expect((globalThis as { __destroyed?: boolean[] }).__destroyed).toEqual(Array(6).fill(true));
    Reflect.deleteProperty(globalThis, "__destroyed");
    expect(await count(project)).toMatchObject({ requests: 2, given: 3 });
    await project.reset();
  });

  test("that fails to start leaves the project as it was, and no folder", async () => {
    const failing = projectFolder({
      ...typeFile("note", {}),
      ...configFile(),
      "src/index.js": `let starts = 0; module.exports = { bootstrap() { if ((globalThis.__starts = (globalThis.__starts ?? 0) + 1) > 1) throw new Error("once only"); } };`,
    });
    await using first = await createGalley({ project: failing.root, environment: {}, publicRead: true });
    const { strapi } = globalThis as { strapi?: object };
    // `rejects` waits in the middle of a turn, in which a start takes seconds
    const [started] = await Promise.allSettled([first.branch()]);
    expect(started).toMatchObject({ status: "rejected", reason: { message: "src/index.js: once only" } });
    expect((await first.fetch("/api/notes")).status).toBe(200);
    expect((globalThis as { strapi?: object }).strapi).toBe(strapi!);
    Reflect.deleteProperty(globalThis, "__starts");
    failing.remove();
  });

  test("snapshots see what it has written last", async () => {
    await project.snapshot();
    await notes(project).create({ data: { text: "later" } });
    const snapshot = await project.snapshot();
    await using branch = await project.branch();
    await project.reset();
    expect(await notes(project).count()).toBe(1);
    expect(await notes(branch).count()).toBe(2);
    await project.reset(snapshot);
    expect(await notes(project).count()).toBe(2);
  });
});

describe("documents that are made", () => {
  test("are valid, published, and have what they require", async () => {
    await using branch = await galley.branch();
    const post = await branch.make<{ title: string; code: string }>("post", { title: "Given" });
    expect(post.title).toBe("Given");
    expect(post.code).toMatch(/^[A-Z]{3}-[0-9]{2}$/);
    const response = await branch.as("full-access").fetch(`/api/posts/${post.documentId}?populate=category`);
    const { data } = (await response.json()) as { data: { category: { name: string } } };
    expect(data.category.name).toBeString();
    expect(await branch.makeMany("api::category.category", 20)).toHaveLength(20);
  });

  test("are the same in each run, and drafts where asked", async () => {
    const make = async (): Promise<unknown[]> => {
      await using branch = await galley.branch();
      return [...(await branch.makeMany("post", 3)), await branch.build("post")];
    };
    expect(await make()).toEqual(await make());
    await using branch = await galley.branch();
    await branch.make("post", {}, { status: "draft" });
    expect(await titles(branch)).toEqual([]);
  });

  test("of an unknown type, or with data that is refused, are errors", async () => {
    await expect(galley.make("pots")).rejects.toThrow('There is no content-type "pots"; did you mean post?');
    const refused = galley.make("post", { title: 7 });
    await expect(refused).rejects.toThrow("title must be a `string` type");
    await expect(refused).rejects.toMatchObject({ name: "ValidationError", status: 400 });
  });
});

describe("failures", () => {
  test("are answers that a browser's script of another origin can read, after its preflight", async () => {
    await using branch = await galley.branch();
    await branch.fail({ path: "/api/posts", status: 503, times: 1 });
    await branch.slow(1);
    const headers = { origin: "http://localhost:3000", "access-control-request-method": "GET" };
    expect((await branch.fetch("/api/posts", { method: "OPTIONS", headers })).status).toBe(204);
    const response = await branch.fetch("/api/posts", { headers: { origin: headers.origin } });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([503, headers.origin]);
    await branch.fail({ method: "OPTIONS", status: 500 });
    expect((await branch.fetch("/api/posts", { method: "OPTIONS", headers })).status).toBe(500);
  });

  test("answer some requests, as often as said, with Strapi's envelope or another body", async () => {
    await using branch = await galley.branch();
    await branch.fail({ path: "/api/posts", status: 503, message: "busy", after: 1, times: 2 });
    const status = async (path = "/api/posts") => (await branch.fetch(path)).status;
    expect([await status(), await status(), await status(), await status()]).toEqual([200, 503, 503, 200]);
    await branch.fail({ path: "/api/*", method: "get", status: 418, body: { short: true } });
    const response = await branch.fetch("/api/posts");
    expect([response.status, await response.json()]).toEqual([418, { short: true }]);
    expect(await status("/_health")).toBe(204);
    await branch.recover();
    expect(await status()).toBe(200);
    await branch.fail({ status: 500, message: "no" });
    expect(await (await branch.fetch("/api/posts")).json()).toEqual({
      data: null,
      error: { status: 500, name: "Error", message: "no", details: {} },
    });
  });

  test("of paths with many stars are found at once", async () => {
    await using branch = await galley.branch();
    const status = async (path: string) => (await branch.fetch(path)).status;
    await branch.fail({ path: `/api/${"*a".repeat(30)}*b`, status: 418 });
    const start = processTime();
    expect(await status(`/api/${"a".repeat(300)}`)).toBe(404);
    expect(await status(`/api/${"a".repeat(300)}b`)).toBe(418);
    expect(processTime() - start).toBeLessThan(1_000);
    await branch.recover();
    await branch.fail({ path: "/api/a*a", status: 418 });
    expect([
      await status("/api/a"),
      await status("/api/aa"),
      await status("/api/aba"),
      await status("/api/aab"),
    ]).toEqual([404, 418, 418, 404]);
  });

  test("delay, break off, and are errors of GraphQL", async () => {
    await using branch = await galley.branch();
    await branch.slow(60);
    const start = performance.now();
    expect((await branch.fetch("/api/posts")).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(55);
    await branch.recover();
    await branch.fail({ operation: "Posts", message: "down" });
    const ask = async (name: string) => {
      const body = JSON.stringify({ query: `query ${name} { posts { title } }` });
      const headers = { "Content-Type": "application/json" };
      return (await (await branch.fetch("/graphql", { method: "POST", headers, body })).json()) as object;
    };
    expect(await ask("Posts")).toMatchObject({ errors: [{ message: "down" }], data: null });
    expect(await ask("Others")).toEqual({ data: { posts: [] } });
    await branch.offline();
    const read = async () => (await fetch(`${branch.serve()}/api/posts`)).text();
    await expect(read()).rejects.toThrow();
    const error = await (await branch.fetch("/api/posts")).text().catch((error: Error) => error);
    // Bun prints all of it, which no test wants to see
    expect((error as Error).stack).toBe("Error: The connection was cut by a failure of the test");
  });

  test("of GraphQL leave long bodies to the server, also those that do not say how long they are", async () => {
    await using branch = await galley.branch();
    await branch.fail({ operation: "Posts", message: "down" });
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (sent++ === 0) controller.enqueue(Buffer.from('{"query":"query Posts { posts { title } } #'));
        else if (sent < 12) controller.enqueue(Buffer.alloc(50_000, "x"));
        else {
          controller.enqueue(Buffer.from('"}'));
          controller.close();
        }
      },
    });
    const headers = { "Content-Type": "application/json" };
    const response = await branch.fetch("/graphql", { method: "POST", headers, body, duplex: "half" } as RequestInit);
    expect(await response.json()).toEqual({ data: { posts: [] } });
    expect((await branch.requests())[0]?.operation).toBeUndefined();
  });

  test("with impossible numbers are refused", async () => {
    await expect(galley.fail({ status: 99 })).rejects.toThrow("status must be one of HTTP's");
    await expect(galley.fail({ times: -1 })).rejects.toThrow("times must be a number from 0");
    await expect(galley.fail({ times: null as never })).rejects.toThrow("times must be a number from 0, not null");
  });
});

test("requests are listed, and expected", async () => {
  await using branch = await galley.branch();
  await branch.fetch("/api/posts?populate[category][fields]=name&sort=title");
  await fetch(`${branch.serve()}/api/posts?populate=category`);
  expect(await branch.requests()).toMatchObject([
    { method: "GET", path: "/api/posts?populate[category][fields]=name&sort=title", status: 200 },
    { method: "GET", path: "/api/posts?populate=category", status: 200, operation: undefined },
  ]);
  await branch.expectRequests({
    "GET /api/posts": 2,
    "GET /api/posts?populate[category][fields]=name": 1,
    "GET /api/posts?populate=category": 1,
    "POST /api/posts": 0,
    "GraphQL Posts": 0,
  });
  await expect(branch.expectRequests({ "GET /api/posts?sort=name": 1 })).rejects.toThrow(
    "GET /api/posts?sort=name: 0 instead of 1\nThe requests were\n  GET /api/posts?populate",
  );
  await branch.reset();
  expect(await branch.requests()).toEqual([]);
});

test("mails are listed with their links", async () => {
  await using branch = await galley.branch();
  const url = branch.serve();
  const response = await branch.fetch("/api/auth/forgot-password", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "ada@example.org" }),
  });
  expect(response.status).toBe(200);
  const [mail, ...others] = await branch.mails();
  expect(others).toEqual([]);
  expect(mail).toMatchObject({
    to: "ada@example.org",
    links: [expect.stringContaining(`${url}/reset-password?code=`)],
  });
  expect(await galley.mails()).toEqual([]);
});
