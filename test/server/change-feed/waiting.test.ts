/** Clients that wait for changes: long polls and server-sent events; and what own code changes. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createGalley, type Galley } from "../../../src/index.ts";
import { ADMIN, projectFolder, serviceFile, type TestApp } from "../../project.ts";
import { ARTICLE, AUTHOR, entries, feed, feedApp, files, token, VAULT } from "./feed-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await feedApp();
});
afterAll(() => app.close());

const create = async (uid: string, name: string): Promise<string> =>
  (await app.documents(uid).create({ data: { name } })).documentId as string;

/** Whether a promise is pending after a wait in which a poll is due. */
const isPending = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => false), Bun.sleep(600).then(() => true)]);

describe("a long poll", () => {
  test("is answered once something changes that the caller may read", async () => {
    const since = await token(app);
    const waiting = feed(app, `since=${since}&wait=30`);
    await create(VAULT, "hidden");
    expect(await isPending(waiting)).toBe(true);
    const shown = await create(AUTHOR, "shown");
    expect(entries(await waiting)).toEqual([`${AUTHOR} ${shown} - published create`]);
  });

  test("is answered at once if something has changed, or if there is no token", async () => {
    const since = await token(app);
    await create(AUTHOR, "shown");
    expect(entries(await feed(app, `since=${since}&wait=30`)).length).toBe(1);
    expect((await feed(app, "wait=30")).body.changes).toEqual([]);
  });

  test("is answered without changes when its time is over", async () => {
    const since = await token(app);
    const start = performance.now();
    const { body } = await feed(app, `since=${since}&wait=1`);
    expect(body.changes).toEqual([]);
    expect(performance.now() - start).toBeGreaterThan(950);
  });
});

describe("requests that wait", () => {
  let proxied: TestApp;
  beforeAll(async () => {
    proxied = await feedApp({ "config/server.js": "module.exports = { proxy: { koa: true } };" });
  });
  afterAll(() => proxied.close());

  test("of one client leave room for others", async () => {
    const since = await token(proxied);
    const wait = (client: string) => feed(proxied, `since=${since}&wait=30`, { "x-forwarded-for": client });
    const greedy = Array.from({ length: 1_000 }, () => wait("192.0.2.1"));
    expect(await isPending(greedy[0]!)).toBe(true);
    expect((await wait("192.0.2.1")).status).toBe(503);
    const other = wait("192.0.2.2");
    expect(await isPending(other)).toBe(true);
    expect(await greedy[0]).toMatchObject({ status: 200, body: { changes: [] } });
    expect(await isPending(greedy[1]!)).toBe(true);
    await proxied.documents(AUTHOR).create({ data: { name: "shown" } });
    expect(entries(await other)).toHaveLength(1);
    await Promise.all(greedy);
  });
});

describe("an event stream", () => {
  const open = async (query = "", headers: Record<string, string> = {}) => {
    const request = new Request(`http://localhost/galley/changes?${query}`, {
      headers: { accept: "text/event-stream", ...headers },
    });
    const response = await app.handle(request);
    const reader = response.body!.getReader();
    const next = async () => {
      const { value, done } = await reader.read();
      if (done) return undefined;
      const lines = new TextDecoder().decode(value).trim().split("\n");
      const fields = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      return { id: fields.id!, event: fields.event, data: JSON.parse(fields.data!) };
    };
    return { response, next, close: () => reader.cancel() };
  };

  test("begins now, and continues where a client was", async () => {
    const stream = await open();
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.response.headers.get("cache-control")).toContain("no-transform");
    const first = await stream.next();
    expect([first!.event, first!.data.changes]).toEqual(["changes", []]);
    const coming = stream.next();
    await create(VAULT, "hidden");
    expect(await isPending(coming)).toBe(true);
    const one = await create(AUTHOR, "one");
    const second = await coming;
    expect(second!.data.changes.map(({ documentId }: { documentId: string }) => documentId)).toEqual([one]);
    await stream.close();
    const two = await create(AUTHOR, "two");
    const again = await open("", { "last-event-id": second!.id });
    expect((await again.next())!.data.changes).toMatchObject([{ documentId: two, kind: "create" }]);
    await again.close();
  });

  test("ends when the caller's permissions change", async () => {
    const stream = await open();
    await stream.next();
    const coming = stream.next();
    const roles = await app.call("GET", "/api/users-permissions/roles", undefined, ADMIN);
    const { id } = roles.body.roles.find(({ type }: { type: string }) => type === "public");
    const permissions = { "api::author": { controllers: { author: { find: { enabled: true } } } } };
    const changed = await app.call(
      "PUT",
      `/api/users-permissions/roles/${id}`,
      { name: "Public", description: "x", permissions },
      ADMIN,
    );
    expect(changed.status).toBe(200);
    expect(await coming).toMatchObject({ event: "error", data: { status: 410, details: { reason: "otherScope" } } });
    expect(await stream.next()).toBeUndefined();
  });

  test("with a wrong token is refused", async () => {
    const { response } = await open("since=x");
    expect(response.status).toBe(400);
  });
});

test("writes of another process are in the feed", async () => {
  const { root, remove } = projectFolder(files);
  const galley: Galley = await createGalley({ project: root, environment: {}, memory: false });
  const { documentId } = await galley.documents(AUTHOR).create({ data: { name: "a" } });
  const since = await token(galley);
  const waiting = feed(galley, `since=${since}&wait=30`);
  using db = new Database(join(root, ".galley/content.db"));
  db.run("UPDATE authors SET name = 'b'");
  expect(entries(await waiting)).toEqual([`${AUTHOR} ${documentId} - published update`]);
  await galley.close();
  remove();
});

const routes = (config: string): string =>
  `module.exports = require("@strapi/strapi").factories.createCoreRouter("${ARTICLE}", { config: { ${config} } });`;
const controller = `module.exports = require("@strapi/strapi").factories.createCoreController("${ARTICLE}");`;
const articleCode = (config: string): Record<string, string> => ({
  "src/api/article/routes/article.js": routes(config),
  "src/api/article/controllers/article.js": controller,
  ...serviceFile("article"),
  "src/api/author/routes/author.js": routes("").replace(ARTICLE, AUTHOR),
  "src/api/author/controllers/author.js": controller.replace(ARTICLE, AUTHOR),
  ...serviceFile("author"),
});

/** Own code by what it does to reads of articles. */
const codes: Readonly<Record<string, readonly [files: Record<string, string>, isListed: boolean]>> = {
  "that only declares core routes": [articleCode(""), true],
  "with a policy": [articleCode("find: { policies: [() => true] }"), false],
  "with a policy of a write": [articleCode("update: { policies: [() => true] }"), true],
  "with a middleware": [articleCode("find: { middlewares: [(ctx, next) => next()] }"), false],
  "with a controller of its own": [
    {
      ...articleCode(""),
      "src/api/article/controllers/article.js": controller.replace(
        '");',
        '", () => ({ find: (ctx) => ctx.send([]) }));',
      ),
    },
    false,
  ],
  "with a hook of reads": [
    {
      ...articleCode(""),
      "src/api/article/content-types/article/lifecycles.js": "module.exports = { afterFindMany() {} };",
    },
    false,
  ],
  "with a hook of writes": [
    {
      ...articleCode(""),
      "src/api/article/content-types/article/lifecycles.js": "module.exports = { afterCreate() {} };",
    },
    true,
  ],
};
describe("own code", () => {
  for (const [name, [code, isListed]] of Object.entries(codes))
    test(`${name}: ${isListed ? "its type is listed" : "its type is not listed"}`, async () => {
      const own = await feedApp(code);
      const since = (await feed(own)).body;
      expect(since.types).toEqual(isListed ? [ARTICLE, AUTHOR] : [AUTHOR]);
      await own.documents(ARTICLE).create({ data: { title: "x" }, status: "published" });
      expect(entries(await feed(own, `since=${since.token}`)).length).toBe(isListed ? 1 : 0);
      await own.close();
    });
});
