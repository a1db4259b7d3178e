/** Authentication strategies of the code, scopes of routes, and policies for administrators. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configFile, relation, serviceFile, type TestApp, TOKEN, testApp, typeFile } from "../project.ts";

/** `config.auth` of each route, as source text. */
const routes: Readonly<Record<string, string>> = {
  accepted: "{ strategies: [mine(ok)] }",
  declined: "{ strategies: [mine({ authenticated: false })] }",
  nothing: "{ strategies: [mine(undefined)] }",
  refused: "{ strategies: [mine({ error: 'my words' })] }",
  throwing: "{ strategies: [mine(() => { throw new Error('boom'); })] }",
  forbidding: "{ strategies: [mine(ok, () => { throw new errors.ForbiddenError('hidden'); })] }",
  unauthorized: "{ strategies: [mine(ok, async () => { throw new errors.UnauthorizedError('hidden'); })] }",
  first: "{ strategies: [mine({ authenticated: false }), 'users-permissions'] }",
  second: "{ strategies: ['content-api-token', mine(ok)] }",
  invalid: "{ strategies: [{ name: 'mine' }] }",
  registered: "{ strategies: ['by-key'] }",
  unknown: "{ strategies: ['other'] }",
  verified:
    "{ strategies: [mine(ok, (auth, config) => { globalThis.verified = [auth.credentials, Object.keys(config)]; })] }",
  "find-scope": "{ scope: ['api::note.note.find'] }",
  "own-scope": "{ scope: ['nothing.at.all'] }",
};

const files = {
  ...configFile({
    roles: { public: ["api::note.note.find", "api::note.note.state"] },
    tokens: [
      { name: "full", key: TOKEN, type: "full-access" },
      { name: "finds", key: "custom-key-of-a-token", type: "custom", permissions: ["api::note.note.find"] },
    ],
  }),
  ...typeFile("tag", { name: { type: "string" } }),
  ...typeFile("note", { title: { type: "string" }, tag: relation("manyToOne", "tag") }),
  ...serviceFile("note"),
  ...Object.fromEntries(
    ["note", "tag"].map((name) => [
      `src/api/${name}/routes/${name}.js`,
      `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::${name}.${name}");`,
    ]),
  ),
  "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::query", "strapi::body", "global::set-auth"];`,
  "src/middlewares/set-auth.js": `module.exports = () => (ctx, next) => {
    const set = ctx.get("x-set");
    if (set) ctx.state.auth = set === "named" ? { strategy: { name: "public" } } : {};
    return next();
  };`,
  "src/index.js": `module.exports = { register({ strapi }) {
    strapi.get("auth").register("content-api", { name: "by-key",
      authenticate: async (ctx) => ({ authenticated: ctx.get("x-key") === "k", credentials: { key: 1 } }),
      verify: async () => {} });
    try { strapi.auth.register("content-api", { name: "bad" }); } catch (error) { globalThis.refusedStrategy = error.message; }
  } };`,
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", {
    state(ctx) {
      const { auth, user } = ctx.state;
      ctx.body = { strategy: auth?.strategy.name, credentials: auth?.credentials ?? null, user: user?.id ?? null };
    },
    async sanitized(ctx) {
      const note = await strapi.documents("api::note.note").findFirst({ populate: ["tag"] });
      ctx.body = await strapi.contentAPI.sanitize.output(note, strapi.contentType("api::note.note"), { auth: ctx.state.auth });
    },
    async verify(ctx) {
      const ends = async (scope) => { try { await strapi.auth.verify(ctx.state.auth, { scope }); return "passed"; } catch (error) { return error.name; } };
      ctx.body = [await ends("api::note.note.find"), await ends(["api::note.note.create"]), await ends(undefined)];
    } });`,
  "src/api/note/routes/own.js": `const { errors } = require("@strapi/utils");
    const ok = { authenticated: true, credentials: { id: 7 } };
    const mine = (outcome, verify) => ({ name: "mine", authenticate: async (ctx) => typeof outcome === "function" ? outcome(ctx) : outcome, ...(verify ? { verify } : {}) });
    const route = (path, handler, config) => ({ method: "GET", path, handler, config });
    module.exports = { routes: [
      ${Object.entries(routes)
        .map(([name, auth]) => `route("/${name}", "note.state", { auth: ${auth} })`)
        .join(",\n")},
      route("/verify", "note.verify", { auth: { scope: ["api::note.note.find"] } }),
      route("/empty-scope", "note.verify", { auth: { scope: [] } }),
      route("/populated", "note.find", { auth: { strategies: [mine(ok)] } }),
      route("/unpopulated", "note.find", { auth: { strategies: [mine(ok, async (_, { scope }) => { if (String(scope).includes("tag")) throw new errors.ForbiddenError(); })] } }),
      ...["note.find", "note.sanitized"].map((action) => route("/bound/" + action, action, { auth: { strategies: [
        { ...mine({ ...ok, ability: { can: () => true } }), hidden: "tag", verify(_, { scope }) { if (String(scope).includes(this.hidden)) throw new Error("refused"); } }] } })),
      route("/allowed", "note.sanitized", { auth: { strategies: [mine({ ...ok, ability: { can: () => false } }, () => {})] } }),
      route("/open", "note.find", { auth: false }),
      route("/sanitized", "note.sanitized", { auth: false }),
      route("/administrators", "note.state", { auth: false, policies: ["admin::isAuthenticatedAdmin"] }),
      route("/permitted", "note.state", { auth: false, policies: [{ name: "admin::hasPermissions", config: { actions: ["a.b"] } }] }),
    ] };`,
  "src/api/note/routes/admin.js": `module.exports = { type: "admin", routes: [
    { method: "GET", path: "/of-admin", handler: "note.state", config: { auth: false } }] };`,
};

let app: TestApp;
const get = (path: string, headers: Record<string, string> = {}) => app.call("GET", `/api/${path}`, undefined, headers);
const asToken = (path: string) => app.call("GET", `/api/${path}`);
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const mine = { strategy: "mine", credentials: { id: 7 }, user: null };
const anonymous = { strategy: "users-permissions", credentials: null, user: null };
const byKey = { strategy: "by-key", credentials: { key: 1 }, user: null };
const missing = "Missing or invalid credentials";

/** By route: the status, and the body or the error's message. */
const answers: Readonly<Record<string, readonly [status: number, answer: unknown]>> = {
  accepted: [200, mine],
  declined: [401, missing],
  nothing: [401, missing],
  refused: [401, "my words"],
  throwing: [500, "Internal Server Error"],
  forbidding: [403, "Forbidden"],
  unauthorized: [401, "Unauthorized"],
  first: [200, anonymous],
  second: [200, mine],
  invalid: [500, "Internal Server Error"],
  registered: [401, missing],
  unknown: [401, missing],
  verified: [200, mine],
  "find-scope": [200, anonymous],
  "own-scope": [403, "Forbidden"],
  administrators: [403, "Policy Failed"],
  permitted: [500, "Internal Server Error"],
  "of-admin": [200, { credentials: null, user: null }],
};
for (const [name, [status, answer]] of Object.entries(answers)) {
  test(`a route: ${name}`, async () => {
    const { status: sent, body } = await get(name);
    expect([sent, sent < 400 ? body : body.error.message]).toEqual([status, answer]);
  });
}

describe("strategies that are registered", () => {
  const keyed = { "x-key": "k" };

  test("apply where they are listed, and after those of the server", async () => {
    expect((await get("registered", keyed)).body).toEqual(byKey);
    expect((await get("find-scope", keyed)).body).toEqual(anonymous);
    const bad = { authorization: "Bearer bad" };
    expect((await get("find-scope", { ...keyed, ...bad })).body).toEqual(byKey);
    expect((await get("find-scope", bad)).status).toBe(401);
  });

  test("must be complete", () => {
    expect((globalThis as { refusedStrategy?: string }).refusedStrategy).toStartWith("Invalid auth strategy.");
  });
});

test("a strategy verifies the route's configuration", async () => {
  await get("verified");
  expect((globalThis as { verified?: unknown }).verified).toEqual([{ id: 7 }, ["strategies", "scope"]]);
});

test("a token comes before strategies that are listed later", async () => {
  const { body } = await asToken("second");
  expect(body.strategy).toBe("content-api-token");
});

test("code sees the row of an API token, without its key", async () => {
  const { credentials } = (await asToken("second")).body;
  expect(Object.keys(credentials)).toEqual([
    "id",
    "kind",
    "name",
    "description",
    "lastUsedAt",
    "lifespan",
    "expiresAt",
    "createdAt",
    "updatedAt",
    "type",
    "permissions",
  ]);
  const row = { kind: "content-api", description: "", lifespan: null, expiresAt: null };
  expect(credentials).toMatchObject({ ...row, type: "full-access", permissions: [] });
  const custom = await app.call("GET", "/api/find-scope", undefined, { authorization: "Bearer custom-key-of-a-token" });
  const permissions = ["api::note.note.find"];
  expect(custom.body.credentials).toMatchObject({ ...row, name: "finds", type: "custom", permissions });
});

test("a route with an empty scope requires the permission of its handler", async () => {
  expect((await get("empty-scope")).status).toBe(403);
  expect((await asToken("empty-scope")).status).toBe(200);
});

test("code verifies the permissions of callers", async () => {
  expect((await get("verify")).body).toEqual(["passed", "ForbiddenError", "UnauthorizedError"]);
  expect((await asToken("verify")).body).toEqual(["passed", "passed", "passed"]);
});

test("relations show what a strategy verifies", async () => {
  const tag = await app.call("POST", "/api/tags", { data: { name: "a" } });
  await app.call("POST", "/api/notes", { data: { title: "n", tag: tag.body.data.documentId } });
  expect((await get("populated?populate=tag")).body.data[0].tag.name).toBe("a");
  expect((await get("unpopulated?populate=tag")).body.data[0]).not.toHaveProperty("tag");
  expect((await get("bound/note.find?populate=tag")).body.data[0]).not.toHaveProperty("tag");
  expect((await get("bound/note.sanitized")).body).not.toHaveProperty("tag");
  expect((await get("allowed")).body.tag.name).toBe("a");
});

test("relations show what a strategy that code has set in `ctx.state.auth` verifies", async () => {
  const headers = (set: string) => ({ "x-set": set });
  expect((await get("open?populate=tag")).body.data[0]).not.toHaveProperty("tag");
  expect((await get("open?populate=tag", headers("named"))).body.data[0].tag.name).toBe("a");
  expect((await get("open?populate=tag", headers("none"))).body.data[0]).not.toHaveProperty("tag");
  expect((await get("sanitized", headers("named"))).body.tag.name).toBe("a");
  expect((await get("sanitized", headers("none"))).body).not.toHaveProperty("tag");
});

const GRAPHQL = { "config/plugins.js": "module.exports = { graphql: { enabled: true } };" };

test("code may replace the strategy of users with one that calls it, for all routes and GraphQL", async () => {
  const wrapped = await testApp({
    ...configFile({
      tokens: [{ name: "full", key: TOKEN, type: "full-access" }],
      roles: { authenticated: ["api::note.note.find", "plugin::users-permissions.user.me"] },
    }),
    ...GRAPHQL,
    ...typeFile("note", { title: { type: "string" } }),
    ...serviceFile("note"),
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      const { register } = plugin;
      plugin.register = ({ strapi }) => {
        const auth = strapi.get("auth");
        const add = auth.register.bind(auth);
        auth.register = (type, strategy) => add(type, strategy.name !== "users-permissions" ? strategy : {
          ...strategy,
          authenticate: async (ctx) => {
            const result = await strategy.authenticate(ctx);
            return result.credentials && ctx.get("x-session") !== "open" ? { authenticated: false, error: new Error("ended") } : result;
          },
        });
        register({ strapi });
        auth.register = add;
      };
      return plugin;
    };`,
  });
  const account = { username: "ada", email: "ada@example.com", password: "Secret-1" };
  const { jwt } = (await wrapped.call("POST", "/api/auth/local/register", account, {})).body;
  const ask = async (path: string, headers: Record<string, string>) =>
    (await wrapped.call("GET", path, undefined, headers)).status;
  const open = { authorization: `Bearer ${jwt}`, "x-session": "open" };
  const ended = { authorization: `Bearer ${jwt}` };
  expect([await ask("/api/users/me", open), await ask("/api/users/me", ended)]).toEqual([200, 401]);
  expect([await ask("/api/notes", open), await ask("/api/notes", ended), await ask("/api/notes", {})]).toEqual([
    200, 401, 403,
  ]);
  expect(await ask("/api/notes", { authorization: `Bearer ${TOKEN}` })).toBe(200);
  const query = async (headers: Record<string, string>) =>
    (await wrapped.call("POST", "/graphql", { query: "{ notes { title } }" }, headers)).body;
  expect(await query(open)).toEqual({ data: { notes: [] } });
  expect(await query({ authorization: `Bearer ${TOKEN}` })).toEqual({ data: { notes: [] } });
  expect((await query({})).errors[0].message).toBe("Forbidden access");
  const error = { status: 401, name: "UnauthorizedError", message: "ended", details: {} };
  expect(await query(ended)).toEqual({ data: null, error });
  await wrapped.close();
});

test("strategies of code find the callers of GraphQL, and verify what they may do", async () => {
  const own = await testApp({
    ...GRAPHQL,
    ...typeFile("tag", { name: { type: "string" } }),
    ...typeFile("note", { title: { type: "string" }, tag: relation("manyToOne", "tag") }),
    "src/index.js": `const { errors } = require("@strapi/utils");
    module.exports = { register({ strapi }) {
      strapi.get("auth").register("content-api", { name: "by-key",
        authenticate: async (ctx) => {
          if (ctx.get("authorization") !== "Bearer k") return { authenticated: false };
          ctx.state.user = { id: 7 };
          return { authenticated: true, credentials: ctx.state.user };
        },
        verify: async (auth, { scope }) => {
          if (auth.credentials.id !== 7 || !String(scope).startsWith("api::note.")) throw new errors.ForbiddenError();
        } });
      strapi.plugin("graphql").service("extension").use({
        typeDefs: "type Query { caller: Int }",
        resolvers: { Query: { caller: (_, __, { state }) => state.user.id } },
        resolversConfig: { "Query.caller": { auth: { scope: ["api::note.note.find"] } } },
      });
    } };`,
  });
  const ask = async (query: string, key: string) =>
    (await own.call("POST", "/graphql", { query }, { authorization: `Bearer ${key}` })).body;
  const note = 'mutation { createNote(data: { title: "n" }) { title tag { name } } }';
  expect(await ask(note, "k")).toMatchObject({ data: { createNote: { title: "n", tag: null } } });
  expect(await ask("{ caller notes { title } }", "k")).toEqual({ data: { caller: 7, notes: [{ title: "n" }] } });
  expect((await ask("{ tags { name } }", "k")).errors[0].message).toBe("Forbidden access");
  expect(await ask("{ notes { title } }", "other")).toMatchObject({ error: { status: 401 } });
  await own.close();
});

const bySso = (name: string) => `strapi.get("auth").register("content-api", { name: "${name}",
  async authenticate(ctx) {
    if (ctx.get("x-user") === "") return { authenticated: false };
    const users = strapi.db.query("plugin::users-permissions.user");
    ctx.state.user = await users.findOne({ where: { username: ctx.get("x-user") }, populate: ["role"] });
    return ctx.state.user ? { authenticated: true, credentials: ctx.state.user } : { error: "unknown" };
  },
  verify() {} });`;

test.each([
  ["of plugins come before that of users", "plugin", [401, 200]],
  ["of src/index come after it", "index", [200, 403]],
])("strategies without credentials in the header: those %s", async (_, place, statuses) => {
  const own = await testApp({
    ...configFile({
      roles: { public: ["api::note.note.find"] },
      users: [{ username: "ada", email: "ada@example.com", password: "Secret-1" }],
    }),
    ...typeFile("note", { title: { type: "string" } }),
    ...(place === "plugin"
      ? {
          "config/plugins.js": `module.exports = { sso: { enabled: true, resolve: "./src/plugins/sso" } };`,
          "src/plugins/sso/package.json": "{}",
          "src/plugins/sso/strapi-server.js": `module.exports = { register({ strapi }) { ${bySso("sso")} } };`,
        }
      : { "src/index.js": `module.exports = { register({ strapi }) { ${bySso("sso")} } };` }),
  });
  const ask = async (path: string, user: string) =>
    (await own.call("GET", path, undefined, user === "" ? {} : { "x-user": user })).status;
  expect(await ask("/api/notes", "")).toBe(200);
  expect([await ask("/api/notes", "eve"), await ask("/api/users/me", "ada")]).toEqual(statuses);
  await own.close();
});
