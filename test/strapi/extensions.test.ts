/** Extensions of GraphQL, local plugins and tasks, as a project's own code brings them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { runProject } from "../../src/server/running.ts";
import { pngOf } from "../engine/media/samples.ts";
import { ADMIN, configFile, createCall, projectFolder, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({ roles: { public: ["api::note.note.*"] } }),
  ...typeFile("note", { title: { type: "string" } }),
  ...typeFile("hidden", { title: { type: "string" } }),
  "config/plugins.js":
    'module.exports = { local: { enabled: true, resolve: "./src/plugins/local", config: { word: "hi" } } };',
  "src/plugins/local/package.json": "{}",
  "src/plugins/local/strapi-server.js": `module.exports = ({ env }) => ({
    register({ strapi }) { strapi.localRegistered = env.bool("NONE", true); },
    contentTypes: { thing: { schema: { kind: "collectionType", collectionName: "things", info: { singularName: "thing", pluralName: "things", displayName: "Thing" }, options: { draftAndPublish: false }, attributes: { name: { type: "string" } } } } },
    services: { words: ({ strapi }) => ({ word: () => strapi.plugin("local").config("word") }) },
    controllers: { words: ({ strapi }) => ({ async find(ctx) {
      await strapi.documents("plugin::local.thing").create({ data: { name: "made" } });
      ctx.body = { word: strapi.plugin("local").service("words").word(), registered: strapi.localRegistered, things: await strapi.documents("plugin::local.thing").count() };
    } }) },
    routes: { "content-api": { type: "content-api", routes: [{ method: "GET", path: "/words", handler: "words.find", config: { auth: false } }] },
      admin: { type: "admin", routes: [{ method: "GET", path: "/secret", handler: "words.find" }] } },
  });`,
  "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
    const list = plugin.routes["content-api"];
    list.routes = list.routes.filter(({ path }) => !["/auth/local/register", "/auth/reset-password", "/users/count"].includes(path));
    return plugin;
  };`,
  "src/index.js": `module.exports = {
    register({ strapi }) {
      const extension = strapi.plugin("graphql").service("extension");
      extension.shadowCRUD("api::hidden.hidden").disable();
      extension.use(({ strapi }) => ({
        typeDefs: "type Query { noteCount(word: String): Int, closed: Int }",
        resolvers: { Query: {
          noteCount: { resolve: async (_parent, { word }) => strapi.documents("api::note.note").count(word ? { filters: { title: word } } : {}) },
          closed: () => 1,
        } },
        resolversConfig: { "Query.noteCount": { auth: false } },
      }));
    },
    async bootstrap({ strapi }) { await strapi.documents("api::note.note").create({ data: { title: "one" } }); },
  };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const ask = async (query: string) => (await app.call("POST", "/graphql", { query }, {})).body;

test("own fields of GraphQL answer, and need rights unless they say otherwise", async () => {
  expect(await ask('{ all: noteCount, one: noteCount(word: "one"), none: noteCount(word: "two") }')).toEqual({
    data: { all: 1, one: 1, none: 0 },
  });
  expect((await ask("{ closed }")).errors[0].message).toBe("Forbidden access");
});

test("a route that an extension takes out of its plugin is not there", async () => {
  const send = async (method: string, path: string) => {
    const body =
      method === "GET" ? null : JSON.stringify({ username: "ada", email: "ada@example.com", password: "Secret-1" });
    const headers = { "content-type": "application/json" };
    const response = await app.handle(new Request(`http://localhost/api${path}`, { method, headers, body }));
    return response.status;
  };
  expect([await send("POST", "/auth/local/register"), await send("POST", "/auth/reset-password")]).toEqual([405, 405]);
  expect(await send("POST", "/auth/local")).toBe(403);
  // the route of one user takes its place
  expect(await app.call("GET", "/api/users/count")).toMatchObject({ status: 204 });
});

test("types whose shadow CRUD is disabled are not in the schema", async () => {
  expect((await ask("{ hiddens { title } }")).errors[0].extensions.code).toBe("GRAPHQL_VALIDATION_FAILED");
  expect(await ask("{ notes { title } }")).toEqual({ data: { notes: [{ title: "one" }] } });
});

test("a local plugin has types, services, routes and configuration; what administrators call is theirs", async () => {
  expect((await app.call("GET", "/api/local/words", undefined, {})).body).toEqual({
    word: "hi",
    registered: true,
    things: 1,
  });
  expect((await app.call("GET", "/local/secret", undefined, {})).status).toBe(401);
});

test("extensions may wrap what belongs to the admin page", async () => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/content-manager/strapi-server.js": `module.exports = (plugin) => {
      const { create } = plugin.controllers["collection-types"];
      plugin.controllers["collection-types"].create = (ctx) => create(ctx);
      plugin.controllers.init.own = () => 1;
      plugin.routes.admin.routes.push({ method: "GET", path: "/own", handler: "init.own" });
      return plugin;
    };`,
    "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => {
      const { deleteOne } = plugin.controllers["admin-upload"];
      plugin.controllers["admin-upload"].deleteOne = deleteOne;
      return plugin;
    };`,
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      try { strapi.plugin("content-manager").controllers["collection-types"].create({}); }
      catch (error) { strapi.log.warn(error.message); strapi.wrapped = error.message; }
      if (!/collection-types.create belongs to the admin page/.test(strapi.wrapped)) throw new Error("it was called");
      if (strapi.plugin("content-manager").controllers.init.own() !== 1) throw new Error("it was not set");
    } };`,
  });
  expect((await app.call("GET", "/api/notes")).status).toBe(200);
  await app.close();
});

test("permissions of routes that extensions add can be granted by code", async () => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      plugin.controllers.user.word = (ctx) => { ctx.body = { word: "hi" }; };
      plugin.controllers.user.other = plugin.controllers.user.word;
      plugin.routes["content-api"].routes.push(
        { method: "GET", path: "/words/one", handler: "user.word", config: { prefix: "" } },
        { method: "GET", path: "/words/other", handler: "user.other", config: { prefix: "" } });
      return plugin;
    };`,
    "src/index.js": `module.exports = { async bootstrap({ strapi }) {
      const action = "plugin::users-permissions.user.word";
      if (!strapi.contentAPI.permissions.providers.action.keys().includes(action)) throw new Error("it is not known");
      const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "public" } });
      await strapi.db.query("plugin::users-permissions.permission").create({ data: { action, role: role.id } });
    } };`,
  });
  const get = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).status;
  expect([await get("/api/words/one"), await get("/api/words/other")]).toEqual([200, 403]);
  await app.close();
});

test("a route with a prefix of its own comes before the others of its router", async () => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => {
      const list = plugin.routes["content-api"];
      const isThere = list.routes.some(({ path, config }) => path === "/files/:id" && config === undefined);
      plugin.controllers.own = { find: (ctx) => ({ isThere, id: ctx.params.id ?? null }) };
      list.routes.push(
        { method: "POST", path: "/upload", handler: "own.find", config: { auth: false, prefix: "" } },
        { method: "GET", path: "/files/:id", handler: "own.find", config: { auth: false } });
      return plugin;
    };`,
  });
  const ask = async (method: string, path: string) => (await app.call(method, path, undefined, {})).body;
  expect(await ask("POST", "/api/upload")).toEqual({ isThere: true, id: null });
  expect((await ask("GET", "/api/upload/files/1")).error.status).toBe(403);
  await app.close();
});

test("an extension sees what the action throws that it wraps", async () => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      const make = plugin.controllers.auth;
      plugin.controllers.auth = (options) => {
        const auth = make(options);
        return { ...auth, async callback(ctx) { await auth.callback(ctx); ctx.body = { own: "entered" }; } };
      };
      return plugin;
    };`,
  });
  const { status, body } = await app.call("POST", "/api/auth/local", { identifier: "ada", password: "wrong one" });
  expect([status, body.error?.message]).toEqual([400, "Invalid identifier or password"]);
  await app.close();
});

const USERS = "src/extensions/users-permissions/strapi-server.js";
const account = { username: "ada", email: "ada@example.com", password: "Passw0rd!" };
const granted = configFile({
  roles: {
    public: ["plugin::users-permissions.auth.register", "plugin::users-permissions.auth.callback"],
    authenticated: ["plugin::users-permissions.user.me"],
  },
});

/** The statuses of registration, log-in and `me`. */
async function signIn({ call }: TestApp): Promise<number[]> {
  const register = await call("POST", "/api/auth/local/register", account, {});
  const login = await call("POST", "/api/auth/local", { identifier: "ada", password: account.password }, {});
  const me = await call("GET", "/api/users/me", undefined, { authorization: `Bearer ${login.body.jwt}` });
  return [register.status, login.status, me.status];
}

const row = '{ method: "GET", path: "/own", handler: "user.own", config: { auth: false, prefix: "" } }';
const own = "plugin.controllers.user.own = (ctx) => { ctx.body = { own: true }; };";

test.each([
  ["pushes to the list", `plugin.routes["content-api"].routes.push(${row});`],
  [
    "puts another list",
    `const api = plugin.routes["content-api"]; api.routes = [${row}, ...api.routes.map((route) => ({ ...route }))];`,
  ],
  [
    "wraps the function",
    `const make = plugin.routes["content-api"]; plugin.routes["content-api"] = (strapi) => { const router = make(strapi); router.routes.push(${row}); return router; };`,
  ],
  [
    "adds middlewares and policies to routes",
    `for (const route of plugin.routes["content-api"].routes.filter(({ path }) => path.startsWith("/auth/local"))) {
       route.config.middlewares.push((ctx, next) => next());
       route.config.policies = [...(route.config.policies ?? []), { name: "global::open" }];
       if (!("application/json" in route.request.body)) throw new Error("it has no schema");
     }
     plugin.routes["content-api"].routes.push(${row});`,
  ],
])("an extension of users-permissions that %s keeps log-in", async (_, change) => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    ...granted,
    "src/policies/open.js": "module.exports = () => true;",
    [USERS]: `module.exports = (plugin) => { ${own} ${change} return plugin; };`,
  });
  expect(await signIn(app)).toEqual([200, 200, 200]);
  expect((await app.call("GET", "/api/own", undefined, {})).body).toEqual({ own: true });
  await app.close();
});

test.each([
  [
    "fails after changes",
    'plugin.routes["content-api"].routes.length = 0; plugin.controllers = {}; throw new Error("no key");',
  ],
  ["makes routes that fail", 'plugin.routes["content-api"] = () => { throw new Error("no key"); };'],
])("an extension that %s leaves the plugin as it was", async (_, change) => {
  const { root, remove } = projectFolder({
    ...typeFile("note", { title: { type: "string" } }),
    ...granted,
    [USERS]: `module.exports = (plugin) => { ${change} return plugin; };`,
  });
  const server = await runProject(root, {
    ...{ memory: true, publicRead: false, environment: {}, watch: false, report: () => {} },
    skipsFailingCode: true,
  });
  const { problems } = server.project().code!;
  expect(problems.map(({ file, message }) => `${file}: ${message}`).join()).toMatch(/users-permissions.*no key/);
  const call = createCall(server as never, {});
  expect(await signIn({ call } as TestApp)).toEqual([200, 200, 200]);
  await server.close();
  remove();
});

test("an extension that copies the members of an image service keeps uploads", async () => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => {
      plugin.services["image-manipulation"] = { ...plugin.services["image-manipulation"], generateThumbnail: async () => null };
      return plugin;
    };`,
  });
  const body = new FormData();
  body.append("files", new File([await pngOf({ width: 300, height: 200 })], "a.png", { type: "image/png" }));
  const response = await app.handle(
    new Request("http://localhost/api/upload", { method: "POST", headers: ADMIN, body }),
  );
  const [file] = (await response.json()) as { formats: unknown }[];
  expect([response.status, file?.formats]).toEqual([201, null]);
  await app.close();
});

test("actions of the server answer at other paths, methods and routes that an extension gives them", async () => {
  const app = await testApp({
    ...configFile({ users: [{ username: "ada", email: "ada@example.com", password: "Secret-1" }] }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      const { routes } = plugin.routes["content-api"];
      Object.assign(routes.find(({ handler }) => handler === "user.update"), { method: "PATCH", path: "/people/:id" });
      routes.find(({ handler }) => handler === "user.count").handler = "user.find";
      routes.push({ method: "GET", path: "/people", handler: "user.find", config: { prefix: "" } });
      return plugin;
    };`,
  });
  expect((await app.call("PATCH", "/api/people/1", { username: "lovelace" })).body).toMatchObject({ id: 1 });
  expect((await app.call("GET", "/api/people")).body).toMatchObject([{ username: "lovelace" }]);
  expect((await app.call("GET", "/api/users/count")).body).toMatchObject([{ username: "lovelace" }]);
  const put = new Request("http://localhost/api/users/1", { method: "PUT", headers: ADMIN, body: "{}" });
  expect((await app.handle(put)).status).toBe(405);
  await app.close();
});

test("GraphQL's fields for sessions call the actions that an extension replaces", async () => {
  const app = await testApp({
    ...configFile({ users: [{ username: "ada", email: "ada@example.com", password: "Secret-1" }] }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/users-permissions/strapi-server.js": `const { errors } = require("@strapi/utils");
    module.exports = (plugin) => {
      const { auth } = plugin.controllers;
      plugin.controllers.auth = (context) => {
        const actions = typeof auth === "function" ? auth(context) : auth;
        return { ...actions,
          async register(ctx) {
            if (ctx.request.body.username === "spam") throw new errors.ValidationError("no spam");
            await actions.register(ctx);
          },
          async callback(ctx) {
            await actions.callback(ctx);
            ctx.body.user.username += "!";
          },
        };
      };
      return plugin;
    };`,
  });
  const ask = async (field: string) =>
    (await app.call("POST", "/graphql", { query: `mutation { ${field} { user { username } } }` }, {})).body;
  const register = (name: string) =>
    ask(`register(input: { username: "${name}", email: "${name}@example.com", password: "Secret-1" })`);
  expect((await register("spam")).errors[0].message).toBe("no spam");
  expect((await register("bob")).data.register).toEqual({ user: { username: "bob" } });
  const { data } = await ask('login(input: { identifier: "ada", password: "Secret-1" })');
  expect(data.login).toEqual({ user: { username: "ada!" } });
  await app.close();
});

test("a route that an extension opens, or gives another scope, has its action run for those who may pass it", async () => {
  const app = await testApp({
    ...granted,
    ...typeFile("note", { title: { type: "string" } }),
    "src/middlewares/as-user.js": `module.exports = () => async (ctx, next) => {
      if (ctx.query.as) ctx.state.user = { id: Number(ctx.query.as) };
      await next();
    };`,
    [USERS]: `module.exports = (plugin) => {
      const route = (key) => plugin.routes["content-api"].routes.find(({ method, path }) => key === method + " " + path);
      route("GET /users").config.auth = false;
      route("GET /users/me").config = { prefix: "", auth: false, middlewares: ["global::as-user"] };
      route("GET /users/count").config.auth = { scope: ["plugin::users-permissions.auth.callback"] };
      return plugin;
    };`,
  });
  await app.call("POST", "/api/auth/local/register", account, {});
  const ask = async (path: string, headers = {}) => await app.call("GET", `/api${path}`, undefined, headers);
  // as in Strapi, nothing restricts the relations of users then
  expect((await ask("/users?populate=role")).body).toMatchObject([
    { username: "ada", role: { type: "authenticated" } },
  ]);
  expect((await ask("/users", { authorization: "Bearer unknown" })).status).toBe(200);
  expect((await ask("/users?filters[password]=x")).status).toBe(400);
  expect((await ask("/users/me")).status).toBe(401);
  expect((await ask("/users/me?as=1")).body).toMatchObject({ username: "ada" });
  expect((await ask("/users/count")).body).toBe(1);
  expect((await ask("/users/1")).status).toBe(403);
  await app.close();
});

test("GraphQL's fields for users and roles call the actions that an extension replaces", async () => {
  const app = await testApp({
    ...configFile({
      roles: { public: ["plugin::users-permissions.user.*", "plugin::users-permissions.role.*"] },
      users: [{ username: "ada", email: "ada@example.com", password: "Secret-1" }],
    }),
    ...typeFile("note", { title: { type: "string" } }),
    [USERS]: `const { errors } = require("@strapi/utils");
    module.exports = (plugin) => {
      const { auth, user, role } = plugin.controllers;
      plugin.controllers.auth = (context) => ({ ...auth(context),
        emailConfirmation(ctx, next, returnUser) {
          ctx.body = { jwt: "own", user: { id: 1, username: [ctx.query.confirmation, next, returnUser].join() } };
        },
      });
      const { create, update } = user;
      user.create = async (ctx) => { ctx.request.body.username += "!"; await create(ctx); ctx.body.email = "own@example.com"; };
      user.update = async (ctx) => {
        if (ctx.request.body.username === "taken") throw new errors.ApplicationError("reserved", { id: ctx.params.id });
        if (ctx.request.body.username === "plain") throw new Error("plain");
        await update(ctx);
      };
      user.destroy = (ctx) => { ctx.body = { id: Number(ctx.params.id), username: "kept" }; };
      role.updateRole = (ctx) => { globalThis.changedRole = [ctx.params, ctx.request.body]; };
      role.deleteRole = () => { throw new errors.ForbiddenError("not this one"); };
      return plugin;
    };`,
  });
  const change = async (field: string) =>
    (await app.call("POST", "/graphql", { query: `mutation { ${field} }` }, {})).body;
  const data = 'username: "bob", email: "bob@example.com", password: "Secret-1", role: "1"';
  const created = await change(
    `createUsersPermissionsUser(data: { ${data} }) { data { username email role { type } } }`,
  );
  expect(created.data.createUsersPermissionsUser.data).toEqual({
    ...{ username: "bob!", email: "own@example.com", role: { type: "authenticated" } },
  });
  const update = (username: string) =>
    change(`updateUsersPermissionsUser(id: 2, data: { username: "${username}" }) { data { username } }`);
  expect((await update("carl")).data.updateUsersPermissionsUser.data).toEqual({ username: "carl" });
  expect((await update("taken")).errors[0].extensions.error).toMatchObject({
    message: "reserved",
    details: { id: "2" },
  });
  expect((await update("plain")).errors[0].message).toBe("plain");
  const removed = await change("deleteUsersPermissionsUser(id: 2) { data { username email } }");
  expect(removed.data.deleteUsersPermissionsUser.data).toEqual({ username: "kept", email: "bob@example.com" });
  const confirmed = await change('emailConfirmation(confirmation: "abc") { jwt user { username } }');
  expect(confirmed.data.emailConfirmation).toEqual({ jwt: "own", user: { username: "abc,,true" } });
  await change('updateUsersPermissionsRole(id: 1, data: { name: "Boss" }) { ok }');
  expect((globalThis as unknown as { changedRole: unknown }).changedRole).toEqual([
    { role: "1" },
    { name: "Boss", role: "1" },
  ]);
  expect((await change("deleteUsersPermissionsRole(id: 1) { ok }")).errors[0].message).toBe("not this one");
  await app.close();
});

test("an action of the server has no user where code has removed the one of the request", async () => {
  const app = await testApp({
    ...granted,
    [USERS]: `module.exports = (plugin) => {
      const { me } = plugin.controllers.user;
      plugin.controllers.user.me = (ctx) => {
        if (ctx.get("x-anonymous")) ctx.state.user = undefined;
        return me(ctx);
      };
      return plugin;
    };`,
  });
  const { body } = await app.call("POST", "/api/auth/local/register", account, {});
  const headers = { authorization: `Bearer ${body.jwt}` };
  expect((await app.call("GET", "/api/users/me", undefined, headers)).body).toMatchObject({ username: "ada" });
  expect((await app.call("GET", "/api/users/me", undefined, { ...headers, "x-anonymous": "1" })).status).toBe(401);
  await app.close();
});

test("an open action of the server leads to no other, whatever parameters code sets", async () => {
  const app = await testApp({
    ...granted,
    "src/middlewares/set-id.js": `module.exports = () => (ctx, next) => {
      ctx.params.id = ctx.get("x-id");
      return next();
    };`,
    [USERS]: `module.exports = (plugin) => {
      const open = plugin.routes["content-api"].routes.find(({ method, path }) => method === "GET" && path === "/users/:id");
      open.config = { prefix: "", auth: false, middlewares: ["global::set-id"] };
      return plugin;
    };`,
  });
  await app.call("POST", "/api/auth/local/register", account, {});
  const ask = (id: string) => app.call("GET", "/api/users/1", undefined, { "x-id": id });
  expect((await ask("1")).body).toMatchObject({ username: "ada" });
  for (const id of ["", ".", "..", "count", "me", "../users"]) expect((await ask(id)).status).toBe(204);
  await app.close();
});
