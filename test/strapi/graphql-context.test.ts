/** The context of resolvers: that of the request, whose headers, cookies and status are sent. */
import { expect, test } from "bun:test";
import { type Body, configFile, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({
    roles: { public: ["plugin::users-permissions.auth.callback"] },
    users: [{ username: "ada", email: "ada@example.com", password: "Secret-1" }],
  }),
  ...typeFile("note", { title: { type: "string" } }),
  "src/index.js": `module.exports = { register({ strapi }) {
    strapi.plugin("graphql").service("extension").use({
      typeDefs: "type Query { tenant: String } type Mutation { enter(name: String): Boolean }",
      resolvers: {
        Query: { tenant: (_root, _args, { state, koaContext }) => [state.tenant, koaContext.state.tenant].join() },
        Mutation: { enter: (_root, { name }, { koaContext }) => {
          koaContext.cookies.set(name, "1", { signed: false });
          koaContext.set("x-own", name);
          koaContext.status = 202;
          return true;
        } },
      },
      resolversConfig: { "Query.tenant": { auth: false }, "Mutation.enter": { auth: false } },
    });
  } };`,
  "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
    const { auth } = plugin.controllers;
    plugin.controllers.auth = (context) => {
      const actions = auth(context);
      return { ...actions, async callback(ctx) { await actions.callback(ctx); ctx.cookies.set("entered", "yes", { signed: false }); } };
    };
    return plugin;
  };`,
};
const wrapped = {
  "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::security", "strapi::cors", "global::tenant", "strapi::body"];`,
  "src/middlewares/tenant.js": `module.exports = () => async (ctx, next) => {
    ctx.state.tenant = ctx.get("x-tenant");
    await next();
    ctx.set("x-seen", [ctx.status, ctx.response.get("x-own")].join());
  };`,
};

test.each([
  ["without middlewares of the project", {}],
  ["within them", wrapped],
])("what resolvers and replaced actions set is sent: %s", async (_, others) => {
  const app = await testApp({ ...files, ...others });
  const ask = async (query: string) => {
    const headers = { "content-type": "application/json", "x-tenant": "acme", origin: "https://site.example" };
    const request = new Request("http://localhost/graphql", {
      method: "POST",
      headers,
      body: JSON.stringify({ query }),
    });
    const response = await app.handle(request);
    return { response, body: (await response.json()) as Body, cookies: response.headers.getSetCookie() };
  };
  const isWrapped = others === wrapped;
  expect((await ask("{ tenant }")).body.data.tenant).toBe(isWrapped ? "acme,acme" : ",");
  const { response, cookies } = await ask('mutation { a: enter(name: "a"), b: enter(name: "b") }');
  expect([response.status, response.headers.get("x-own")]).toEqual([202, "b"]);
  expect(cookies).toEqual(["a=1; path=/; httponly", "b=1; path=/; httponly"]);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("x-seen")).toBe(isWrapped ? "202,b" : null);
  const login = await ask(
    'mutation { login(input: { identifier: "ada", password: "Secret-1" }) { user { username } } }',
  );
  expect(login.body.data.login.user).toEqual({ username: "ada" });
  expect(login.cookies).toEqual(["entered=yes; path=/; httponly"]);
  await app.close();
});
