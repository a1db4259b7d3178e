/** Routes of the type `admin` that plugins and code declare: for admin tokens and sessions of the page, with what Strapi 5.54 answered. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signInLink } from "../../src/admin/session/session.ts";
import { configFile, type TestApp, TOKEN, testApp, typeFile } from "../project.ts";

const KEY = "an-admin-token";
const SECRET = "a key for sessions";

const files = {
  ...configFile({
    tokens: [
      { name: "full", type: "full-access", key: TOKEN },
      { name: "admin", type: "admin", key: KEY },
      { name: "old", type: "admin", key: "expired", expiresAt: "2020-01-01T00:00:00.000Z" },
    ],
  }),
  ...typeFile("note", { title: { type: "string" } }),
  "config/plugins.js": 'module.exports = { own: { enabled: true, resolve: "./src/plugins/own" } };',
  "src/plugins/own/package.json": "{}",
  "src/plugins/own/strapi-server.js": `const route = (path, policies, auth, handler = "own.state") => ({ method: "GET", path, handler, config: { policies, ...(auth === undefined ? {} : { auth }) } });
  const may = (...actions) => [{ name: "admin::hasPermissions", config: { actions } }];
  module.exports = {
    async bootstrap({ strapi }) {
      const { actionProvider } = strapi.service("admin::permission");
      await actionProvider.registerMany([
        { section: "plugins", displayName: "Read", uid: "read", pluginName: "own" },
        { section: "plugins", displayName: "Settings", uid: "settings.read", subCategory: "settings", pluginName: "own" },
        { section: "contentTypes", displayName: "Check", uid: "types.check", subjects: ["api::note.note", "api::gone.gone"], options: { applyToProperties: ["fields"] }, pluginName: "own" },
      ]);
      strapi.refusedActions = [];
      for (const action of [{ uid: "read", pluginName: "own" }, { displayName: "no uid" }, null])
        await actionProvider.register(action).catch((error) => strapi.refusedActions.push(error.message));
      strapi.server.routes({ type: "admin", prefix: "/extra", routes: [{ method: "GET", path: "/one", handler: (ctx) => { ctx.body = { id: ctx.state.user.id }; } }] });
    },
    policies: { blocked: () => false, isFirst: (ctx) => ctx.state.user.id === 1 },
    controllers: { own: ({ strapi }) => ({
      state(ctx) {
        const { auth, isAuthenticated, session, user } = ctx.state;
        ctx.body = { strategy: auth?.strategy.name, roles: user?.roles.map(({ code }) => code), isAuthenticated, session: typeof session?.id, path: ctx.path, address: ctx.request.ip };
      },
      secrets(ctx) { ctx.body = JSON.stringify([ctx.state.user, ctx.state.auth.credentials]); },
      actions(ctx) { const { actionProvider } = strapi.service("admin::permission"); ctx.body = { keys: actionProvider.keys(), second: actionProvider.get("plugin::own.settings.read"), refused: strapi.refusedActions }; },
      async verify(ctx) { await strapi.auth.verify(ctx.state.auth, { scope: "api::note.note.find" }); ctx.body = { passed: true }; },
      echo: (ctx) => ({ params: ctx.params, query: ctx.query, body: ctx.request.body }),
    }) },
    routes: {
      admin: { type: "admin", routes: [
        route("/bare", []), route("/signed-in", ["admin::isAuthenticatedAdmin"]),
        route("/open", [], false), route("/open-signed-in", ["admin::isAuthenticatedAdmin"], false), route("/open-may", may("plugin::own.read"), false),
        route("/may", may("plugin::own.read")), route("/may-not", may("plugin::own.unknown")), route("/may-none", may()),
        route("/may-not-upload", may("plugin::upload.unknown")), route("/may-not-documentation", may("plugin::documentation.read")), route("/may-not-admin", may("admin::unknown")),
        route("/may-without-type", may("plugin::own.types.check")), route("/may-of-other-type", may(["plugin::content-manager.explorer.read", "api::gone.gone"])),
        route("/may-of-entry", may(["plugin::own.types.check", { __caslSubjectType__: "api::note.note", title: "a" }])),
        route("/may-of-other-entry", may(["plugin::own.types.check", { __caslSubjectType__: "api::gone.gone" }])), route("/may-of-unmarked", may(["plugin::own.types.check", {}])),
        route("/may-of-type", may(["plugin::own.types.check", "api::note.note"], { action: "plugin::content-manager.explorer.create", subject: "api::note.note" })),
        route("/may-many", may("plugin::own.settings.read", ["plugin::content-manager.explorer.read", "api::note.note"], { action: "admin::roles.read" })),
        route("/may-one", [{ name: "plugin::content-manager.hasPermissions", config: { actions: ["plugin::own.unknown", "plugin::own.read"], hasAtLeastOne: true } }]),
        route("/blocked", ["blocked"]), route("/first", ["isFirst"]),
        route("/session-only", [], { strategies: ["admin"] }), route("/token-only", [], { strategies: ["admin-token"] }), route("/users-only", [], { strategies: ["users-permissions"] }),
        route("/secrets", [], undefined, "own.secrets"), route("/actions", [], undefined, "own.actions"), route("/verify", [], undefined, "own.verify"),
        { method: "POST", path: "/echo/:id", handler: "own.echo" },
      ] },
      "content-api": { type: "content-api", routes: [route("/of-content", [], { strategies: ["admin"] })] },
    },
  };`,
};

let app: TestApp;
let cookie = "";
beforeAll(async () => {
  app = await testApp(files, { admin: true, environment: { ADMIN_JWT_SECRET: SECRET } });
  const token = signInLink("http://localhost", SECRET, Date.now()).split("#")[1];
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) };
  const response = await app.handle(new Request("http://localhost/admin/api/session", init));
  cookie = response.headers.get("set-cookie")!.split(";")[0]!;
});
afterAll(() => app.close());

const asToken = (path: string) => app.call("GET", path, undefined, { authorization: `Bearer ${KEY}` });
const page = (headers: Record<string, string> = {}) => ({ cookie, "x-galley-admin": "1", ...headers });
const asPage = (path: string) => app.call("GET", `/admin/api${path}`, undefined, page());

const MISSING = "Missing or invalid credentials";
const REFUSED = "Policy Failed";

/** By route: the status for a token, for a session, and for nobody. */
const statuses: Readonly<Record<string, readonly [token: number, session: number, nobody: number]>> = {
  "/own/bare": [200, 200, 401],
  "/own/signed-in": [200, 200, 401],
  "/own/open": [200, 200, 200],
  "/own/open-signed-in": [403, 403, 403],
  "/own/open-may": [500, 500, 500],
  "/own/may": [200, 200, 401],
  "/own/may-not": [403, 403, 401],
  "/own/may-none": [200, 200, 401],
  "/own/may-not-upload": [403, 403, 401],
  "/own/may-not-documentation": [403, 403, 401],
  "/own/may-not-admin": [403, 403, 401],
  "/own/may-without-type": [403, 403, 401],
  "/own/may-of-other-type": [403, 403, 401],
  "/own/may-of-type": [200, 200, 401],
  "/own/may-of-entry": [200, 200, 401],
  "/own/may-of-other-entry": [403, 403, 401],
  "/own/may-of-unmarked": [403, 403, 401],
  "/own/may-many": [200, 200, 401],
  "/own/may-one": [200, 200, 401],
  "/own/blocked": [403, 403, 401],
  "/own/first": [200, 200, 401],
  "/own/session-only": [401, 200, 401],
  "/own/token-only": [200, 401, 401],
  "/own/users-only": [401, 401, 401],
  "/own/verify": [200, 200, 401],
  "/own/missing": [404, 404, 404],
  "/extra/one": [200, 200, 401],
  "/api/own/of-content": [401, 404, 401],
};
for (const [path, expected] of Object.entries(statuses)) {
  test(`who may use ${path}`, async () => {
    const found = [await asToken(path), await asPage(path), await app.call("GET", path, undefined, {})];
    expect(found.map(({ status }) => status)).toEqual([...expected]);
    for (const { status, body } of found) {
      if (status === 401) expect(body.error.message).toBe(MISSING);
      if (status === 403) expect(body.error.message).toBe(REFUSED);
    }
  });
}

test("code sees the administrator, and by which strategy", async () => {
  const seen = { roles: ["strapi-super-admin"], isAuthenticated: true, path: "/own/bare", address: "127.0.0.1" };
  expect((await asToken("/own/bare")).body).toEqual({ ...seen, strategy: "admin-token", session: "undefined" });
  expect((await asPage("/own/bare")).body).toEqual({ ...seen, strategy: "admin", session: "string" });
  expect((await app.call("GET", "/own/open", undefined, {})).body.strategy).toBeUndefined();
});

test("what code sees of the administrator has neither keys nor hashes", async () => {
  const { body } = await asToken("/own/secrets");
  expect(JSON.stringify(body)).not.toMatch(/accessKey|password|hash|an-admin-token/i);
});

test("parameters, query and body arrive", async () => {
  const send = (path: string, headers: Record<string, string>) =>
    app.call("POST", `${path}/own/echo/a%20b?x[y]=1`, { a: [1] }, headers);
  const expected = { params: { id: "a b" }, query: { x: { y: "1" } }, body: { a: [1] } };
  expect((await send("", { authorization: `Bearer ${KEY}` })).body).toEqual(expected);
  expect((await send("/admin/api", page())).body).toEqual(expected);
});

test("actions are registered once, with an id, and stay what they are", async () => {
  const { keys, second, refused } = (await asToken("/own/actions")).body;
  expect(keys.slice(-3)).toEqual(["plugin::own.read", "plugin::own.settings.read", "plugin::own.types.check"]);
  expect(second).toEqual({
    ...{ options: { applyToProperties: null }, section: "plugins", displayName: "Settings" },
    ...{ subCategory: "settings", pluginName: "own", actionId: "plugin::own.settings.read" },
  });
  expect(refused).toHaveLength(3);
});

test("actions that are registered are among the administrator's permissions", async () => {
  const { data } = (await asToken("/admin/users/me/permissions")).body;
  const own = data.filter(({ action }: { action: string }) => action.startsWith("plugin::own."));
  const permission = { id: expect.any(Number), actionParameters: {}, conditions: [] };
  expect(own).toEqual([
    { ...permission, action: "plugin::own.types.check", subject: "api::note.note", properties: { fields: ["title"] } },
    { ...permission, action: "plugin::own.read", subject: null, properties: {} },
    { ...permission, action: "plugin::own.settings.read", subject: null, properties: {} },
  ]);
  const permissions = [
    ...[{ action: "plugin::own.read" }, { action: "plugin::own.unknown" }, { action: "plugin::own.types.check" }],
    { action: "plugin::own.types.check", subject: "api::note.note", field: "title" },
    { action: "plugin::own.types.check", subject: "api::note.note", field: "unknown" },
  ];
  const checked = await app.call(
    "POST",
    "/admin/permissions/check",
    { permissions },
    { authorization: `Bearer ${KEY}` },
  );
  expect(checked.body).toEqual({ data: [true, false, false, true, false] });
});

describe("nobody else gets in", () => {
  const status = (path: string, headers: Record<string, string>) =>
    app.call("GET", path, undefined, headers).then((response) => response.status);

  test("with tokens and cookies that are not an administrator's", async () => {
    expect(await status("/own/bare", { authorization: `Bearer ${TOKEN}` })).toBe(401);
    expect(await status("/own/bare", { authorization: `Bearer ${KEY}x` })).toBe(401);
    expect(await status("/own/bare", { authorization: `Basic ${KEY}` })).toBe(401);
    // the cookie counts below the page's prefix only
    expect(await status("/own/bare", page())).toBe(401);
    expect(await status("/admin/api/own/bare", page({ cookie: `${cookie}x` }))).toBe(401);
    expect(await status("/admin/api/own/bare", { "x-galley-admin": "1", authorization: `Bearer ${KEY}` })).toBe(401);
  });

  test("from other sites and hosts", async () => {
    expect(await status("/admin/api/own/open", { cookie })).toBe(403);
    expect(await status("/admin/api/own/bare", page({ "sec-fetch-site": "cross-site" }))).toBe(403);
    expect(await status("/admin/api/own/bare", page({ origin: "http://evil.example" }))).toBe(403);
    expect(await status("/admin/api/own/bare", page({ host: "evil.example" }))).toBe(403);
  });

  test("and other sites cannot read what the page gets", async () => {
    const request = new Request("http://localhost/admin/api/own/bare", { headers: page() });
    const { headers } = await app.handle(request);
    expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("through detours of the path", async () => {
    for (const path of ["//own/bare", "/own/../own/bare", "/%6fwn/bare", "/own/bare/..", "/admin/api/own/bare"])
      expect(await status(`/admin/api${path}`, { "x-galley-admin": "1" })).not.toBe(200);
  });

  test("with a token that has expired", async () => {
    const { status: sent, body } = await app.call("GET", "/own/bare", undefined, { authorization: "Bearer expired" });
    expect([sent, body.error.message]).toEqual([401, "Token expired"]);
  });

  test("without the admin", async () => {
    const closed = await testApp(files, { admin: false });
    const headers = { authorization: `Bearer ${KEY}` };
    expect((await closed.call("GET", "/own/bare", undefined, headers)).status).toBe(401);
    expect((await closed.call("GET", "/own/open", undefined, headers)).status).toBe(200);
    await closed.close();
  });
});

test("global middlewares see a request of the page once: at the path of the code's route, or of the page's own", async () => {
  const wrapped = await testApp(
    {
      ...files,
      "config/middlewares.js": `module.exports = ["strapi::logger", "strapi::errors", "strapi::security", "strapi::cors", "strapi::poweredBy", "strapi::query",
        "strapi::body", "strapi::session", "strapi::favicon", "strapi::public", "global::seen"];`,
      "src/middlewares/seen.js":
        'module.exports = () => async (ctx, next) => { ctx.state.seen = true; await next(); ctx.append("x-seen", ctx.path); };',
      "src/index.js": `module.exports = { register({ strapi }) {
        strapi.server.routes({ type: "admin", routes: ["/webhooks", "/seen"].map((path) => ({ method: "GET", path, handler: (ctx) => { ctx.body = { seen: ctx.state.seen }; } })) });
      } };`,
    },
    { admin: true, environment: { ADMIN_JWT_SECRET: SECRET } },
  );
  const ask = async (path: string, headers = page()) => {
    const response = await wrapped.handle(new Request(`http://localhost${path}`, { headers }));
    return [response.status, response.headers.get("x-seen"), Object.keys((await response.json()) as object)];
  };
  expect(await ask("/admin/api/seen")).toEqual([200, "/seen", ["seen"]]);
  expect(await ask("/admin/api/webhooks")).toEqual([200, "/admin/api/webhooks", ["data", "events"]]);
  const settings = "/admin/api/users-permissions/advanced";
  expect(await ask(settings)).toEqual([200, settings, ["settings", "roles"]]);
  expect(await ask("/admin/api/seen", page({ cookie: "" }))).toEqual([401, null, ["data", "error"]]);
  await wrapped.close();
});
