/** The order of middlewares that code adds with `strapi.server.use`, and of those of `config/middlewares`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;

const step = (name: string) =>
  `(ctx, next) => { (ctx.state.steps ??= []).push(["${name}", ctx.request.body === undefined ? "no body" : "body"]); return next(); }`;

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: [] } }),
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::body", { resolve: "src/shared/by-path" }, "global::named", "global::routing"];`,
    "src/shared/by-path.js": `module.exports = () => ${step("by path")};`,
    "src/middlewares/named.js": `module.exports = () => ${step("named")};`,
    "src/middlewares/routing.js": `module.exports = (config, { strapi }) => {
      strapi.server.routes([{ method: "GET", path: "/added", handler: (ctx) => ctx.redirect("/elsewhere"), config: { auth: false } }]);
    };`,
    "src/index.js": `module.exports = {
      register({ strapi }) { strapi.server.use(${step("register 1")}); strapi.server.use(${step("register 2")});
        strapi.server.api("content-api").routes([{ method: "GET", path: "/listed", handler: (ctx) => { ctx.body = "listed"; }, config: { auth: false } }]); },
      bootstrap({ strapi }) { strapi.server.use(${step("bootstrap 1")}); strapi.server.app.use(${step("bootstrap 2")});
        strapi.server.api("content-api").use(${step("api")}); strapi.server.api("admin").use(${step("admin")}); },
    };`,
    "src/api/note/routes/note.js": `module.exports = { routes: [{ method: "POST", path: "/steps", handler: "note.steps", config: { auth: false } }] };`,
    "src/api/note/controllers/note.js": `module.exports = { steps: (ctx) => ctx.state.steps };`,
  });
});
afterAll(() => app.close());

test("register comes first, bootstrap after the configured ones, when the body has been read", async () => {
  const { body } = await app.call("POST", "/api/steps", { a: 1 });
  expect(body).toEqual([
    ["register 1", "no body"],
    ["register 2", "no body"],
    ["by path", "body"],
    ["named", "body"],
    ["bootstrap 1", "body"],
    ["bootstrap 2", "body"],
    ["api", "body"],
  ]);
});

test("routes that a middleware adds when it is created are served", async () => {
  const response = await app.handle(new Request("http://localhost/added"));
  expect([response.status, response.headers.get("location")]).toEqual([302, "/elsewhere"]);
});

test("routes of an API are below its prefix", async () => {
  const statusOf = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).status;
  expect([await statusOf("/api/listed"), await statusOf("/listed")]).toEqual([200, 404]);
});

const removing = {
  ...configFile({ roles: { public: [] } }),
  "src/api/note/routes/note.js": `module.exports = { routes: [{ method: "GET", path: "/frame", handler: "note.frame", config: { auth: false } }] };`,
  "src/api/note/controllers/note.js": `module.exports = { frame(ctx) {
    ctx.remove("X-Frame-Options");
    ctx.response.remove("Content-Security-Policy");
    ctx.set("Content-Security-Policy", "frame-ancestors *");
    ctx.remove("X-Powered-By");
    ctx.body = { frame: 1 };
  } };`,
};
const NAMES = ["x-frame-options", "content-security-policy", "x-powered-by", "x-content-type-options"];

test.each([
  ["only its action", {}, "Galley"],
  [
    "a middleware outside of them",
    {
      "config/middlewares.js": `module.exports = [{ resolve: "src/shared/bare" }, "strapi::errors", "strapi::security", "strapi::poweredBy", "strapi::body"];`,
      "src/shared/bare.js": `module.exports = () => async (ctx, next) => { await next(); ctx.remove("X-Powered-By"); };`,
    },
    null,
  ],
])("headers of built-in middlewares that code removes are not sent: %s", async (_, added, poweredBy) => {
  const own = await testApp({ ...removing, ...added });
  const { headers } = await own.handle(new Request("http://localhost/api/frame"));
  expect(NAMES.map((name) => headers.get(name))).toEqual([null, "frame-ancestors *", poweredBy, "nosniff"]);
  await own.close();
});

test("headers of built-in middlewares that a middleware removes before the server answers are not sent either", async () => {
  const own = await testApp({
    ...configFile({ roles: { public: ["api::note.note.find"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::security", "strapi::poweredBy", "global::bare", "strapi::query", "strapi::body"];`,
    "src/middlewares/bare.js":
      'module.exports = () => (ctx, next) => { ctx.remove("X-Frame-Options"); ctx.remove("X-Powered-By"); return next(); };',
  });
  for (const path of ["/api/notes", "/api/none"]) {
    const { headers } = await own.handle(new Request(`http://localhost${path}`));
    expect(NAMES.map((name) => headers.get(name) && name)).toEqual([null, NAMES[1]!, NAMES[2]!, NAMES[3]!]);
  }
  await own.close();
});

/** A middleware that notes which of some headers it sees, and adds to one of them. */
const reader = (
  name: string,
) => `const see = (ctx) => ["x-frame-options", "vary", "x-powered-by"].filter((name) => ctx.response.get(name));
  module.exports = () => async (ctx, next) => {
    ctx.state.seen = { ...ctx.state.seen, ${name}: see(ctx) };
    if (ctx.query.deny) ctx.set("X-Frame-Options", "DENY");
    ctx.vary("Accept");
    await next();
    ctx.set("x-after-${name}", see(ctx).join());
  };`;
const readHeaders = {
  ...configFile({ roles: { public: ["api::note.note.find"] } }),
  ...typeFile("note", { title: { type: "string" } }),
  "src/middlewares/first.js": reader("first"),
  "src/middlewares/last.js": reader("last"),
  "src/api/note/routes/01-own.js": `module.exports = { routes: [
    { method: "GET", path: "/own", handler: "own.show", config: { auth: false, middlewares: ["global::last"] } }] };`,
  "src/api/note/controllers/own.js": `module.exports = { show(ctx) {
    ctx.body = { seen: ctx.state.seen, count: Object.keys(ctx.response.headers).length };
  } };`,
  "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
};

test("middlewares of the project see the headers of built-in ones before them", async () => {
  const own = await testApp({
    ...readHeaders,
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::security", "global::first", "strapi::cors",
      "strapi::poweredBy", "global::last", "strapi::query", "strapi::body"];`,
  });
  const frame = "x-frame-options";
  for (const path of ["/api/notes", "/api/notes?deny=1", "/api/own", "/api/none"]) {
    const { headers } = await own.handle(new Request(`http://localhost${path}`));
    expect([path, headers.get(frame)]).toEqual([path, path.includes("deny") ? "DENY" : "SAMEORIGIN"]);
    expect(headers.get("vary")).toBe("Accept, Origin");
    expect(headers.get("x-after-first")).toBe(`${frame},vary,x-powered-by`);
  }
  expect((await own.call("GET", "/api/own")).body.seen).toEqual({ first: [frame], last: [frame, "vary"] });
  await own.close();
});

test("actions and middlewares of routes see them without any around the route", async () => {
  const own = await testApp(readHeaders);
  const { headers } = await own.handle(new Request("http://localhost/api/own?deny=1"));
  expect([headers.get("x-frame-options"), headers.get("vary")]).toEqual(["DENY", "Origin, Accept"]);
  const { seen, count } = (await own.call("GET", "/api/own")).body;
  expect([seen, count > 8]).toEqual([{ last: ["x-frame-options", "vary"] }, true]);
  await own.close();
});
