/** `ctx.session`: values that code keeps in a signed cookie. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configFile, type TestApp, testApp } from "../project.ts";

const names = ["count", "read", "replace", "clear", "shorten", "save", "wrong"];

const files = (config: string) => ({
  ...configFile(),
  "config/server.js": "module.exports = { app: { keys: ['one', 'two'] } };",
  "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::body", ${config}];`,
  "src/api/own/routes/own.js": `module.exports = { routes: ${JSON.stringify(names)}.map((name) => (
    { method: "GET", path: "/" + name, handler: "own." + name, config: { auth: false } })) };`,
  "src/api/own/controllers/own.js": `module.exports = {
    count(ctx) { ctx.session.count = (ctx.session.count ?? 0) + 1; ctx.body = [ctx.session.count, ctx.session.isNew]; },
    read(ctx) { const { session } = ctx; ctx.body = session === undefined ? "none" : [session.isNew, session.length, session.toJSON(), session.maxAge]; },
    replace(ctx) { ctx.session = { a: { b: 1 } }; ctx.body = ctx.session.a; },
    clear(ctx) { ctx.session = null; ctx.body = [ctx.session]; },
    shorten(ctx) { ctx.session.maxAge = 5000; ctx.body = {}; },
    save(ctx) { ctx.session.save(); ctx.body = {}; },
    wrong(ctx) { try { ctx.session = 5; } catch (error) { ctx.body = { error: error.message }; } },
  };`,
});

const DAY_MS = 86_400_000;

async function visit(app: TestApp, path: string, cookie = "") {
  const response = await app.handle(new Request(`http://localhost/api/${path}`, { headers: { cookie } }));
  const set = response.headers.getSetCookie().map((line) => line.split("; "));
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text,
    /** What a browser sends with the next request. */
    cookie: set.map(([pair]) => pair).join("; "),
    options: set.map(([, ...options]) => options),
  };
}

describe("with the middleware", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp(files('"strapi::session"'));
  });
  afterAll(() => app.close());

  test("values are kept from request to request", async () => {
    const first = await visit(app, "count");
    expect([first.body, first.options.length]).toEqual([[1, true], 2]);
    const second = await visit(app, "count", first.cookie);
    expect(second.body).toEqual([2, false]);
    const read = await visit(app, "read", second.cookie);
    expect([read.body, read.cookie]).toEqual([[false, 1, { count: 2 }, DAY_MS], ""]);
  });

  test("they may be replaced and cleared", async () => {
    const { cookie } = await visit(app, "count");
    const replaced = await visit(app, "replace", cookie);
    expect((await visit(app, "read", replaced.cookie)).body).toEqual([false, 1, { a: { b: 1 } }, DAY_MS]);
    const cleared = await visit(app, "clear", replaced.cookie);
    expect(cleared.body).toEqual([null]);
    for (const options of cleared.options) expect(options).toContain("expires=Thu, 01 Jan 1970 00:00:00 GMT");
    // as koa-session does, also without a session
    expect((await visit(app, "clear")).cookie).toStartWith("koa.sess=; koa.sess.sig=");
    expect((await visit(app, "wrong")).body.error).toBe("this.session can only be set as null or an object.");
  });

  test("a session that is empty or only read sets no cookie, unless code saves it", async () => {
    expect((await visit(app, "read")).cookie).toBe("");
    expect((await visit(app, "save")).cookie).toContain("koa.sess=");
  });

  test("its time may be changed", async () => {
    const { cookie } = await visit(app, "count");
    const short = await visit(app, "shorten", cookie);
    expect((await visit(app, "read", short.cookie)).body[3]).toBe(5000);
  });

  const encoded = (values: object): string => Buffer.from(JSON.stringify(values)).toString("base64");
  const forged: Readonly<Record<string, string>> = {
    "without a signature": `koa.sess=${encoded({ count: 5 })}`,
    "with a wrong signature": `koa.sess=${encoded({ count: 5 })}; koa.sess.sig=wrong`,
    "that is not JSON": "koa.sess=%%%; koa.sess.sig=wrong",
  };
  for (const [name, cookie] of Object.entries(forged)) {
    test(`a cookie ${name} is ignored`, async () => {
      expect((await visit(app, "read", cookie)).body).toEqual([true, 0, {}, DAY_MS]);
    });
  }

  test("a changed value makes a cookie invalid", async () => {
    const { cookie } = await visit(app, "count");
    const changed = cookie.replace(/koa\.sess=[^;]+/, `koa.sess=${encoded({ count: 9 })}`);
    expect((await visit(app, "count", changed)).body).toEqual([1, true]);
  });
});

test("a session that must be secure is refused over plain connections", async () => {
  const app = await testApp(files('{ name: "strapi::session", config: { secure: true, key: "own" } }'));
  try {
    expect(await visit(app, "count")).toMatchObject({
      status: 500,
      body: { error: { name: "InternalServerError" } },
      cookie: "",
    });
    expect((await visit(app, "read")).status).toBe(200);
  } finally {
    await app.close();
  }
});

test("values of a cookie that is not signed do not become the prototype of the session", async () => {
  const app = await testApp(files('{ name: "strapi::session", config: { signed: false } }'));
  try {
    const cookie = `koa.sess=${btoa('{ "__proto__": { "count": 41, "save": 1 }, "kept": true }')}`;
    expect((await visit(app, "read", cookie)).body).toEqual([false, 1, { kept: true }, DAY_MS]);
    expect((await visit(app, "count", cookie)).body).toEqual([1, false]);
    expect((await visit(app, "save", cookie)).status).toBe(200);
  } finally {
    await app.close();
  }
});

test("there is no session without the middleware", async () => {
  const app = await testApp(files('"strapi::query"'));
  try {
    expect((await visit(app, "read")).body).toBe("none");
  } finally {
    await app.close();
  }
});
