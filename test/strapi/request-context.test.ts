/** What hooks see of the request for which they run, on routes that the server answers by itself. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { ADMIN, type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({
    roles: {
      public: ["api::note.note.*", "plugin::users-permissions.auth.callback"],
      authenticated: ["api::note.note.*"],
    },
    users: [{ username: "anna", email: "anna@example.com", password: "Passw0rd!", role: "authenticated" }],
  }),
  ...typeFile("note", { title: { type: "string" } }),
  "src/api/note/routes/note.js": `
    const { factories } = require("@strapi/strapi");
    module.exports = factories.createCoreRouter("api::note.note");`,
  "src/api/note/controllers/note.js": `
    const { factories } = require("@strapi/strapi");
    module.exports = factories.createCoreController("api::note.note");`,
  "src/api/note/services/note.js": `
    const { factories } = require("@strapi/strapi");
    module.exports = factories.createCoreService("api::note.note");`,
  "src/index.js": `
    const { errors } = require("@strapi/utils");
    const refusals = {
      unauthorized: () => new errors.UnauthorizedError("who are you"),
      forbidden: () => new errors.ForbiddenError("not yours"),
      policy: () => new errors.PolicyError("no such policy"),
    };
    module.exports = { register({ strapi }) {
      strapi.documents.use((context, next) => {
        if (context.uid !== "api::note.note") return next();
        const { state, request } = strapi.requestContext.get();
        globalThis.contextTrace.push({
          user: state.user?.username, role: state.user?.role?.type, strategy: state.auth?.strategy.name,
          handler: state.route?.handler, body: request.body,
        });
        if (context.params.data?.title === "answered") strapi.requestContext.get().badRequest("of the hook");
        const refusal = refusals[context.params.data?.title];
        if (refusal) throw refusal();
        return next();
      });
      strapi.plugin("graphql").service("extension").use({
        typeDefs: "type Query { strategy: String }",
        resolvers: { Query: { strategy: async (parent, args, { state: { auth } }) => {
          await strapi.auth.verify(auth, { scope: "api::note.note.create" });
          return [auth.strategy.name, auth.credentials?.username].join(" ");
        } } },
        resolversConfig: { "Query.strategy": { auth: false } },
      });
    } };`,
};

const trace: Body[] = [];
(globalThis as unknown as { contextTrace: Body[] }).contextTrace = trace;
let app: TestApp;
let jwt: string;
beforeAll(async () => {
  app = await testApp(files);
  const { body } = await app.call("POST", "/api/auth/local", { identifier: "anna", password: "Passw0rd!" }, {});
  jwt = body.jwt;
});
afterAll(() => app.close());
beforeEach(() => {
  trace.length = 0;
});

const create = (title: string, headers = {}) => app.call("POST", "/api/notes", { data: { title } }, headers);

test("a hook sees the user, the route and the body of a core action", async () => {
  const { status, body } = await create("mine", { authorization: `Bearer ${jwt}` });
  expect([status, body.data.title]).toEqual([201, "mine"]);
  expect(trace[0]).toEqual({
    user: "anna",
    role: "authenticated",
    strategy: "users-permissions",
    handler: "api::note.note.create",
    body: { data: { title: "mine" } },
  });
});

test("a hook sees that nobody is signed in", async () => {
  expect((await create("theirs")).status).toBe(201);
  expect(trace[0]).toMatchObject({ user: undefined, strategy: "users-permissions" });
});

test("a hook sees the user of a GraphQL request", async () => {
  const query = "{ notes { title } }";
  const { status } = await app.call("POST", "/graphql", { query }, { authorization: `Bearer ${jwt}` });
  expect([status, trace[0]?.user]).toEqual([200, "anna"]);
});

test("a resolver sees the strategy of a GraphQL request, which verifies scopes", async () => {
  const strategyOf = async (headers: Record<string, string>) =>
    (await app.call("POST", "/graphql", { query: "{ strategy }" }, headers)).body.data.strategy;
  expect(await strategyOf({ authorization: `Bearer ${jwt}` })).toBe("users-permissions anna");
  expect(await strategyOf({})).toBe("users-permissions ");
  expect(await strategyOf(ADMIN)).toBe("content-api-token ");
});

test("invalid credentials reach no hook", async () => {
  expect((await create("mine", { authorization: "Bearer nonsense" })).status).toBe(401);
  expect(trace).toEqual([]);
});

test("a body that a hook sets is answered instead of what a core action returns", async () => {
  const { status, body } = await app.call("POST", "/api/notes", { data: { title: "answered" } }, {});
  expect([status, body.error]).toEqual([
    201,
    { status: 400, name: "BadRequestError", message: "of the hook", details: {} },
  ]);
  const stored = await app.call("GET", "/api/notes?filters[title]=answered", undefined, {});
  expect(stored.body.data).toHaveLength(1);
});

test("refusals about rights lose their messages over REST, those of policies do not", async () => {
  const refusals = await Promise.all(["unauthorized", "forbidden", "policy"].map((title) => create(title)));
  expect(refusals.map(({ body }) => body.error)).toEqual([
    { status: 401, name: "UnauthorizedError", message: "Unauthorized", details: {} },
    { status: 403, name: "ForbiddenError", message: "Forbidden", details: {} },
    { status: 403, name: "PolicyError", message: "no such policy", details: {} },
  ]);
});
