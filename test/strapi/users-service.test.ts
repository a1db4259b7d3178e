/** Services of users-permissions: users are written by the document service, tokens are those that logins give. */
import { expect, test } from "bun:test";
import { ADMIN, configFile, type TestApp, TOKEN, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({ roles: { public: ["api::note.note.*"], authenticated: ["plugin::users-permissions.user.me"] } }),
  ...typeFile("note", { title: { type: "string" } }, { draftAndPublish: false }),
  "src/api/note/routes/01-own.js": `module.exports = { routes: [{ method: "POST", path: "/run", handler: "run.run", config: { auth: false } }] };`,
  "src/api/note/controllers/run.js": `module.exports = { async run(ctx) {
    const service = (name) => strapi.plugin("users-permissions").service(name);
    const { code } = ctx.request.body;
    try { ctx.body = { value: await new Function("strapi", "service", "user", "jwt", "return (async () => { " + code + " })()")(strapi, service, service("user"), service("jwt")) }; }
    catch (error) { ctx.body = { error: error.message }; }
  } };`,
  "src/index.js": `module.exports = { register({ strapi }) {
    strapi.seen = [];
    strapi.documents.use((context, next) => { if (context.uid.endsWith(".user")) strapi.seen.push(context.action); return next(); });
  } };`,
};

const run = async (app: TestApp, code: string) => (await app.call("POST", "/api/run", { code })).body;

test("users are added and changed by the document service", async () => {
  const app = await testApp(files);
  const added = await run(
    app,
    `const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "authenticated" } });
     const added = await user.add({ username: "ada", email: "ada@example.com", password: "a password", role: role.id });
     const edited = await user.edit(added.id, { username: "lovelace" });
     const read = await user.fetch(added.id, { populate: "role", fields: ["username"], filters: { username: "lovelace" } });
     return [added.role.type, added.password !== "a password", edited.username, read.role.type, read.email, await user.edit(99, {}), strapi.seen,
       await user.validatePassword("a password", added.password), await user.fetch(added.id, { filters: { username: "ada" } }), await user.count({ filters: { username: "nobody" } })];`,
  );
  expect(added.value).toEqual([
    "authenticated",
    true,
    "lovelace",
    "authenticated",
    null,
    null,
    ["create", "update"],
    true,
    null,
    0,
  ]);
  const refused = await run(app, `return user.add({ username: "xyz", email: "no address", password: "a password" });`);
  expect(refused.error).toBe("email must be a valid email");
  await app.close();
});

test("codes that own code writes set a password and confirm an address, once", async () => {
  const app = await testApp({
    ...files,
    ...configFile({ roles: { public: ["plugin::users-permissions.auth.*"] } }),
  });
  const { value } = await run(
    app,
    `const USER = "plugin::users-permissions.user";
     const { id } = await user.add({ username: "ada", email: "ada@example.com", password: "a password", confirmed: false });
     await strapi.db.query(USER).update({ where: { id }, data: { resetPasswordToken: "by query", confirmationToken: "confirm" } });
     return (await strapi.db.query(USER).findOne({ where: { id } })).resetPasswordToken;`,
  );
  expect(value).toBe("by query");
  const reset = async (code: string) => {
    const body = { code, password: "new password", passwordConfirmation: "new password" };
    return (await app.call("POST", "/api/auth/reset-password", body, {})).status;
  };
  expect(await reset("by query")).toBe(200);
  expect(await reset("by query")).toBe(400);
  await run(app, `return user.edit(1, { resetPasswordToken: "by service" });`);
  expect(await reset("by service")).toBe(200);
  const confirm = () => app.handle(new Request("http://localhost/api/auth/email-confirmation?confirmation=confirm"));
  expect([(await confirm()).status, (await confirm()).status]).toEqual([302, 400]);
  await app.close();
});

test("tokens have lifespans as jsonwebtoken reads them, and are found in requests", async () => {
  const app = await testApp(files);
  const { value } = await run(
    app,
    `const spanOf = async (expiresIn) => { const { exp, iat } = await jwt.verify(jwt.issue({ id: 1 }, { expiresIn })); return exp - iat; };
     const refused = (call) => Promise.resolve().then(call).catch((error) => error.message);
     const request = (authorization) => ({ request: { header: { authorization } } });
     return [await spanOf("1h"), await spanOf("90000ms"), await spanOf("2 days"), await spanOf(60), await spanOf("60000"),
       await refused(() => jwt.issue({ id: 1 }, { expiresIn: "nonsense" })), await refused(() => jwt.issue("text")), await refused(() => jwt.verify()),
       (await jwt.getToken(request("Bearer " + jwt.issue({ id: 7 })))).id, await jwt.getToken(request("Basic x")), await jwt.getToken({ request: { header: {} } }),
       service("users-permissions").template("<%= USER.name %> <%= NONE %>", { USER: { name: "Ada" } })];`,
  );
  const span = '"expiresIn" should be a number of seconds or string representing a timespan eg: "1d", "20h", 60';
  expect(value).toEqual([
    ...[3600, 90, 172_800, 60, 60],
    ...[span, "The payload of a token must be an object", "Invalid token."],
    ...[7, null, null, "Ada <%= NONE %>"],
  ]);
  await app.close();
});

test("in refresh mode tokens are those of sessions", async () => {
  const app = await testApp({
    ...files,
    "config/plugins.json": JSON.stringify({ "users-permissions": { config: { jwtManagement: "refresh" } } }),
  });
  const { value } = await run(
    app,
    `const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "authenticated" } });
     const { id } = await user.add({ username: "ada", email: "ada@example.com", password: "a password", role: role.id });
     const token = await jwt.issue({ id });
     const claims = await jwt.verify(token);
     return { token, claims, id };`,
  );
  expect(value.claims).toEqual({ id: value.id, sessionId: expect.any(String) });
  const me = await app.call("GET", "/api/users/me", undefined, { authorization: `Bearer ${value.token}` });
  expect(me.body.username).toBe("ada");
  expect(await run(app, "return jwt.issue({});")).toEqual({ error: "Cannot issue token: missing user id" });
  expect(await run(app, 'return jwt.verify("x");')).toEqual({ error: "Invalid token." });
  await app.close();
});

test("a default role that code stores by its id is found by nobody, as in Strapi", async () => {
  const app = await testApp({
    ...files,
    "src/index.js": `module.exports = { async bootstrap({ strapi }) {
      const store = strapi.store({ type: "plugin", name: "users-permissions" });
      await store.set({ key: "advanced", value: { ...(await store.get({ key: "advanced" })), default_role: 1 } });
    } };`,
  });
  const { status, body } = await app.call("POST", "/api/auth/local/register", {
    username: "ada",
    email: "ada@example.com",
    password: "a password",
  });
  expect([status, body.error.message]).toEqual([400, "Impossible to find the default role"]);
  await app.close();
});

test("what code asks of the configuration, of roles and of the database without finding it", async () => {
  const app = await testApp({
    ...files,
    "config/plugins.json": JSON.stringify({ "users-permissions": { config: { jwt: { algorithm: "HS256" } } } }),
    "src/extensions/users-permissions/content-types/user/lifecycles.js":
      "module.exports = { beforeCreate() { throw new Error('extensions have no lifecycles'); } };",
  });
  const { value } = await run(
    app,
    `await user.add({ username: "ada", email: "ada@example.com", password: "a password" });
     const { attributes } = strapi.db.metadata.get("api::note.note");
     return [
       strapi.config.get("nothing", "default"), strapi.config.get("nothing.at.all", 1), strapi.config.has("nothing"),
       strapi.config.get("plugin::users-permissions.jwt"), strapi.config.get("plugin::upload.sizeLimit"),
       await user.validatePassword("a", "no hash"), Object.keys(attributes).slice(0, 3), Object.keys(strapi.contentType("api::note.note").attributes)[0],
     ];`,
  );
  expect(value).toEqual([
    "default",
    1,
    false,
    { expiresIn: "30d", algorithm: "HS256" },
    1_000_000_000,
    false,
    ["id", "documentId", "title"],
    "title",
  ]);
  await app.close();
});

test("tokens have the claims of their options, and no others", async () => {
  const app = await testApp({ ...files, "config/server.js": 'module.exports = { dirs: { public: "./static" } };' });
  const claims = await run(
    app,
    `const { aud, iss, sub, jti, nbf, iat, org } = await jwt.verify(await jwt.issue({ id: 1, org: { a: 1 } },
       { audience: "a", issuer: "i", subject: "s", jwtid: "j", notBefore: "-1s" }));
     return [aud, iss, sub, jti, iat - nbf, org];`,
  );
  expect(claims.value).toEqual(["a", "i", "s", "j", 1, { a: 1 }]);
  const refused = [{ algorithm: "RS256" }, { keyid: "k" }].map((options) =>
    run(app, `return jwt.issue({ id: 1 }, ${JSON.stringify(options)})`),
  );
  expect((await Promise.all(refused)).map(({ error }) => error)).toEqual([
    "Tokens are signed with HS256 only",
    "Tokens cannot be issued with the option keyid",
  ]);
  expect((await run(app, "return strapi.dirs.static.public")).value).toMatch(/\/[\w-]+\/static$/);
  await app.close();
});

test("registrations and log-ins call members that an extension replaces", async () => {
  const own = await testApp({
    ...configFile({
      roles: { public: ["plugin::users-permissions.auth.*", "plugin::users-permissions.user.create"] },
      auth: { emailConfirmation: true },
    }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      const { user, jwt } = plugin.services;
      globalThis.userCalls = [];
      plugin.services.jwt = (context) => {
        const members = jwt(context);
        return { ...members, issue: (claims, options) => members.issue({ ...claims, own: true }, options) };
      };
      plugin.services.user = (context) => {
        const members = user(context);
        return { ...members,
          add: async (values) => { userCalls.push(["add", values.email]); return { ...(await members.add({ ...values, username: values.username + "!" })), added: true }; },
          sendConfirmationEmail: async (row) => { userCalls.push(["mail", row.id, row.password]); await members.sendConfirmationEmail(row); },
        };
      };
      return plugin;
    };`,
  });
  const post = (path: string, body: object) => own.call("POST", path, body, {});
  const ada = { username: "ada", email: "Ada@example.com", password: "Secret-1" };
  const { body } = await post("/api/auth/local/register", ada);
  expect([body.user.username, body.user.email, body.user.confirmed]).toEqual(["ada!", "ada@example.com", false]);
  expect([body.user.added, body.user.password, body.user.role]).toEqual([true, undefined, undefined]);
  const bob = { username: "bob", email: "bob@example.com", password: "Secret-1", confirmed: true, role: 1 };
  expect((await post("/api/users", bob)).body).toMatchObject({ username: "bob!" });
  const { jwt } = (await post("/api/auth/local", { identifier: "bob!", password: "Secret-1" })).body;
  expect(JSON.parse(atob(jwt.split(".")[1]))).toMatchObject({ id: 2, own: true });
  expect((globalThis as unknown as { userCalls: unknown }).userCalls).toEqual([
    ["add", "ada@example.com"],
    ["mail", 1, undefined],
    ["add", "bob@example.com"],
  ]);
  await own.close();
});

const steps = {
  ...configFile({
    roles: {
      authenticated: ["plugin::users-permissions.user.*", "plugin::users-permissions.auth.*", "api::note.run.who"],
    },
    users: ["ada", "bob"].map((username) => ({ username, email: `${username}@example.com`, password: "Secret-1" })),
  }),
  ...typeFile("note", { title: { type: "string" } }),
  "src/index.js": `module.exports = { register({ strapi }) {
    strapi.plugin("graphql").service("extension").use({
      typeDefs: "type Query { team: String }",
      resolvers: { Query: { team: (_root, _args, context) => context.state.user.team } },
      resolversConfig: { "Query.team": { auth: false } },
    });
  } };`,
  "src/api/note/routes/01-own.js": `module.exports = { routes: [{ method: "GET", path: "/who", handler: "run.who" }] };`,
  "src/api/note/controllers/run.js": "module.exports = { who(ctx) { ctx.body = [ctx.state.user.team]; } };",
  "src/extensions/users-permissions/strapi-server.js": `const { errors } = require("@strapi/utils");
    module.exports = (plugin) => {
      const { user } = plugin.services;
      plugin.services.user = (context) => {
        const members = user(context);
        return { ...members,
          edit: async (id, values) => {
            if (values.username === "taken") throw new errors.ApplicationError("Name is reserved", { id });
            const row = await members.edit(id, { ...values, username: values.username + "!" });
            return values.username === "silent" ? undefined : { ...row, changed: true };
          },
          remove: ({ id }) => id === 99 ? undefined : members.edit(id, { username: "former", blocked: true }),
          fetch: async (id, params) => ({ ...(await members.fetch(id, params)), seen: true, password: "secret" }),
          fetchAll: (params) => members.fetchAll({ ...params, filters: { username: { $ne: "bob" } } }),
          count: () => 42,
          validatePassword: (password, hash) => password === "ldap" || members.validatePassword(password, hash),
          fetchAuthenticatedUser: async (id) => {
            const row = await members.fetchAuthenticatedUser(id);
            if (row.username === "gone!") return null;
            return { ...row, team: "ours" };
          },
        };
      };
      return plugin;
    };`,
};

test("requests about users call members that an extension replaces", async () => {
  const app = await testApp(steps);
  const login = await app.call("POST", "/api/auth/local", { identifier: "ada", password: "ldap" }, {});
  const headers = { authorization: `Bearer ${login.body.jwt}` };
  const call = (method: string, path: string, body?: object) => app.call(method, `/api${path}`, body, headers);
  expect((await call("GET", "/who")).body).toEqual(["ours"]);
  const asked = await app.call("POST", "/graphql", { query: "{ team }" }, headers);
  expect(asked.body.data).toEqual({ team: "ours" });
  expect((await call("GET", "/users")).body).toMatchObject([{ username: "ada" }]);
  expect((await call("GET", "/users/count")).body).toBe(42);
  expect((await call("GET", "/users?filters[password]=x")).status).toBe(400);
  const { body: me } = await call("GET", "/users/me?fields=username");
  expect(me).toEqual({ id: 1, documentId: expect.any(String), username: "ada", seen: true });
  const { body: changed } = await call("PUT", "/users/2", { username: "bo" });
  expect(changed).toMatchObject({ username: "bo!", changed: true });
  expect("password" in changed).toBe(false);
  expect((await call("PUT", "/users/2", { username: "silent" })).status).toBe(204);
  expect((await call("PUT", "/users/2", { username: "taken" })).body.error).toEqual({
    ...{ status: 400, name: "ApplicationError", message: "Name is reserved", details: { id: 2 } },
  });
  expect((await call("DELETE", "/users/2")).body).toMatchObject({ username: "former", blocked: true });
  expect((await call("DELETE", "/users/99")).status).toBe(204);
  expect((await call("PUT", "/users/1", { username: "gone" })).status).toBe(200);
  expect((await call("GET", "/users/me")).status).toBe(401);
  await app.close();
});

test("requests call members for tokens and roles that an extension replaces", async () => {
  const app = await testApp({
    ...configFile({
      roles: {
        public: ["plugin::users-permissions.role.*", "plugin::users-permissions.permissions.*", "api::note.note.find"],
        authenticated: ["plugin::users-permissions.user.me", "api::note.run.who"],
      },
      users: [{ username: "ada", email: "ada@example.com", password: "Secret-1" }],
    }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
    "src/api/note/routes/01-own.js": `module.exports = { routes: [{ method: "GET", path: "/who", handler: "run.who" }] };`,
    "src/api/note/controllers/run.js": "module.exports = { who(ctx) { ctx.body = [ctx.state.user.username]; } };",
    "src/extensions/users-permissions/strapi-server.js": `const { errors } = require("@strapi/utils");
      module.exports = (plugin) => {
        const { jwt, role } = plugin.services;
        plugin.services.jwt = (context) => {
          const members = jwt(context);
          return { ...members,
            getToken(ctx) {
              const cookie = ctx.cookies.get("token");
              return cookie ? this.verify(cookie) : members.getToken.call(this, ctx);
            },
            verify: (token) => {
              if (token === "none") throw new Error("plain");
              return { own: { id: 1 }, gone: { id: 99 }, empty: {} }[token] ?? members.verify(token);
            },
          };
        };
        plugin.services.role = (context) => {
          const members = role(context);
          return { ...members,
            find: async () => [...(await members.find()).slice(0, 1), { name: "own", locale: "en", localizations: [] }],
            findOne: async (id) => (id === "7" ? null : { ...(await members.findOne(id)), id }),
            createRole: (values) => members.createRole({ ...values, name: values.name + "!" }),
            updateRole: () => { throw new errors.ApplicationError("not changed"); },
            deleteRole: (id, publicRole) => { throw new errors.ApplicationError([id, publicRole].join()); },
          };
        };
        const actions = plugin.services["users-permissions"];
        plugin.services["users-permissions"] = (context) => ({ ...actions(context), getActions: () => ({ own: {} }) });
        return plugin;
      };`,
  });
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const { status, body } = await app.call("GET", path, undefined, headers);
    return status === 200 ? body : [status, body.error.message];
  };
  for (const headers of [{ cookie: "token=own" }, { authorization: "Bearer own" }] as Record<string, string>[]) {
    expect(await ask("/api/who", headers)).toEqual(["ada"]);
    expect(await ask("/api/users/me", headers)).toMatchObject({ username: "ada" });
    const asked = await app.call("POST", "/graphql", { query: "{ me { username } }" }, headers);
    expect(asked.body.data.me).toEqual({ username: "ada" });
  }
  expect((await ask("/api/notes")).data).toEqual([]);
  expect(await ask("/api/notes", { cookie: "token=gone" })).toEqual([401, "Invalid credentials"]);
  for (const token of ["none", "empty", "unknown"])
    expect(await ask("/api/notes", { cookie: `token=${token}` })).toEqual([401, "Missing or invalid credentials"]);
  expect((await ask("/api/notes", ADMIN)).data).toEqual([]);

  const roles = "/api/users-permissions/roles";
  expect((await ask(roles)).roles).toMatchObject([{ type: "authenticated" }, { name: "own" }]);
  expect(Object.keys((await ask(roles)).roles[1])).toEqual(["name"]);
  expect((await ask(`${roles}/1`)).role).toMatchObject({ id: "1", type: "authenticated" });
  expect(await ask(`${roles}/7`)).toEqual([404, "Not Found"]);
  const change = async (method: string, path: string, body?: object) =>
    (await app.call(method, `${roles}${path}`, body, {})).body.error?.message;
  expect(await change("POST", "", { name: "Boss" })).toBeUndefined();
  expect((await ask(`${roles}/3`)).role.name).toBe("Boss!");
  expect(await change("POST", "", {})).toBe("Request body cannot be empty");
  expect(await change("PUT", "/3", { name: "Other" })).toBe("not changed");
  expect(await change("DELETE", "/3")).toBe("3,2");
  expect(await change("DELETE", "/2")).toBe("Cannot delete public role");
  expect((await ask("/api/users-permissions/permissions")).permissions).toEqual({ own: {} });
  await app.close();
});

test("hooks on users that are found see what clients read", async () => {
  const own = await testApp({
    ...configFile({
      roles: { authenticated: ["plugin::users-permissions.user.me", "plugin::users-permissions.user.findOne"] },
    }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      strapi.db.lifecycles.subscribe({ models: ["plugin::users-permissions.user"], afterFindOne({ result }) { if (result) result.greeting = "hello " + result.username; } });
    } };`,
  });
  const person = { username: "ada", email: "ada@example.com", password: "a password" };
  const { body } = await own.call("POST", "/api/auth/local/register", person, {});
  const headers = { authorization: `Bearer ${body.jwt}` };
  for (const path of ["me", body.user.id, "me?fields=username"])
    expect((await own.call("GET", `/api/users/${path}`, undefined, headers)).body.greeting).toBe("hello ada");
  expect((await own.call("GET", "/api/users/99", undefined, headers)).status).toBe(204);
  await own.close();
});

test("requests about users call lifecycles, and not the middlewares of documents", async () => {
  const users = "plugin::users-permissions.user";
  const own = await testApp({
    ...configFile({ tokens: [{ name: "full", type: "full-access", key: TOKEN }] }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/index.js": `module.exports = {
      register({ strapi }) { strapi.seen = []; strapi.documents.use(({ action }, next) => { strapi.seen.push(action); return next(); }); },
      bootstrap({ strapi }) {
        const see = ({ action }) => { strapi.seen.push(action); };
        strapi.db.lifecycles.subscribe({ models: ["${users}"], afterFindMany: see, afterCount: see, afterDelete: see });
        strapi.eventHub.on("entry.delete", () => { strapi.seen.push("event"); });
      },
    };`,
    "src/api/seen/routes/seen.js": `module.exports = { routes: [{ method: "GET", path: "/seen", handler: () => strapi.seen.splice(0), config: { auth: false } }] };`,
  });
  const seenBy = async (method: string, path: string, body?: object) => {
    expect((await own.call(method, `/api/users${path}`, body)).status).toBeLessThan(300);
    return (await own.call("GET", "/api/seen")).body;
  };
  const person = { username: "ada", email: "ada@example.com", password: "a password", role: 1 };
  expect(await seenBy("POST", "", person)).toEqual(["create"]);
  expect(await seenBy("GET", "?populate=role")).toEqual(["afterFindMany"]);
  expect(await seenBy("GET", "/count")).toEqual(["afterCount"]);
  expect(await seenBy("DELETE", "/1")).toEqual(["afterDelete"]);
  await own.close();
});
