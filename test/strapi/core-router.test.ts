/** Routers of `createCoreRouter` whose routes code picks from, changes, and adds to. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const router = (uid: string, change: string) => `
  const core = require("@strapi/strapi").factories.createCoreRouter("${uid}", { only: ["find", "findOne", "create"] });
  let routes;
  module.exports = { get prefix() { return core.prefix; }, get routes() { return (routes ??= ${change}); } };`;
const text = `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", () => ({
  mine: () => "mine",
  other: () => "other",
}));`;

const files = {
  ...configFile({ roles: { public: ["*"] }, tokens: [{ name: "admin", type: "admin", key: "an-admin-token" }] }),
  ...serviceFile("note"),
  ...typeFile("note", { title: { type: "string" } }),
  ...typeFile("page", { title: { type: "string" } }),
  ...typeFile("front", { title: { type: "string" } }, { kind: "singleType" }),
  ...typeFile("hidden", { title: { type: "string" } }),
  "src/api/note/controllers/note.js": text,
  "src/api/note/routes/note.js": router(
    "api::note.note",
    `[
      { method: "GET", path: "/notes/mine", handler: "note.mine", config: { policies: [], middlewares: [] } },
      { method: "GET", path: "/notes/scoped", handler: "note.mine", config: { auth: { scope: ["authenticated"] } } },
      ...core.routes,
    ]`,
  ),
  "src/api/page/routes/page.js": router(
    "api::page.page",
    `core.routes.map((route) => route.method === "POST" ? { ...route, handler: "api::note.note.other", config: { auth: false } } : route)`,
  ),
  "src/api/front/routes/front.js": router("api::front.front", "core.routes.concat([])"),
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files, { admin: true });
});
afterAll(() => app.close());

const send = async (method: string, path: string): Promise<readonly [number, string]> => {
  const body = method === "POST" ? JSON.stringify({ data: { title: "t" } }) : null;
  const headers = { "content-type": "application/json" };
  const response = await app.handle(new Request(`http://localhost/api${path}`, { method, headers, body }));
  return [response.status, await response.text()];
};

test("own routes stand before the core ones, and need a permission of their own", async () => {
  expect(await send("GET", "/notes/mine")).toEqual([200, "mine"]);
});

test("a scope that is not an action is granted to no role", async () => {
  expect((await send("GET", "/notes/scoped"))[0]).toBe(403);
});

test("the core ones answer as they do alone", async () => {
  const [status, made] = await send("POST", "/notes");
  expect(status).toBe(201);
  const { documentId } = JSON.parse(made).data;
  expect((await send("GET", `/notes/${documentId}`))[0]).toBe(200);
  expect(JSON.parse((await send("GET", "/notes"))[1]).meta.pagination.total).toBe(1);
  expect((await send("GET", "/front"))[0]).toBe(404);
});

test("an action without a route is granted to nobody, over GraphQL either", async () => {
  const ask = async (query: string) => (await app.call("POST", "/graphql", { query }, {})).body;
  expect((await ask("{ pages { documentId } }")).data).toEqual({ pages: [] });
  for (const query of ["{ hiddens { documentId } }", 'mutation { deletePage(documentId: "any") { documentId } }'])
    expect((await ask(query)).errors[0].message).toBe("Forbidden access");
});

test("those that are left out are not there", async () => {
  expect((await send("DELETE", "/notes/any"))[0]).toBe(405);
});

test("one that is led elsewhere answers from there", async () => {
  expect(await send("POST", "/pages")).toEqual([200, "other"]);
});

test("a type without routes is not served by a project that declares routes", async () => {
  expect((await send("GET", "/hiddens"))[0]).toBe(404);
  expect((await send("POST", "/hiddens"))[0]).toBe(405);
});

describe("the administration lists", () => {
  const listed = async (path: string) =>
    (await app.call("GET", path, undefined, { authorization: "Bearer an-admin-token" })).body;

  test("routes as they are declared, and no others", async () => {
    const { routes } = await listed("/users-permissions/routes");
    const info = { apiName: "note", type: "content-api" };
    const ofCore = (method: string, path: string, action: string) => ({
      method,
      path,
      handler: `api::note.note.${action}`,
      config: { auth: { scope: [`api::note.note.${action}`] } },
      info,
    });
    const method = "GET";
    expect(routes["api::note"]).toEqual([
      {
        method,
        path: "/api/notes/mine",
        handler: "note.mine",
        config: { policies: [], middlewares: [], auth: { scope: ["api::note.note.mine"] } },
        info,
      },
      { method, path: "/api/notes/scoped", handler: "note.mine", config: { auth: { scope: ["authenticated"] } }, info },
      ofCore("GET", "/api/notes", "find"),
      ofCore("GET", "/api/notes/:id", "findOne"),
      ofCore("POST", "/api/notes", "create"),
    ]);
    expect(routes["api::page"].find((row: Body) => row.method === "POST").config).toEqual({ auth: false });
    expect(routes["api::hidden"]).toBeUndefined();
    const ofUsers = routes["plugin::users-permissions"];
    expect(ofUsers[1]).toMatchObject({
      path: "/api/auth/local",
      handler: "auth.callback",
      config: { middlewares: ["plugin::users-permissions.rateLimit"] },
    });
    expect(ofUsers[3]).toMatchObject({ path: "/api/auth/:provider/callback", handler: "auth.callback" });
    expect(ofUsers[3].config.middlewares).toBeUndefined();
    expect((await listed("/admin/content-api/routes")).data).toEqual(routes);
  });

  test("actions that have a route", async () => {
    const { permissions } = await listed("/users-permissions/permissions");
    expect(Object.keys(permissions["api::note"].controllers.note)).toEqual(["find", "findOne", "create", "mine"]);
    expect(permissions["api::hidden"]).toBeUndefined();
    const { roles } = await listed("/users-permissions/roles");
    const { id } = roles.find(({ type }: Body) => type === "public");
    const { role } = await listed(`/users-permissions/roles/${id}`);
    expect(role.permissions["api::hidden"]).toBeUndefined();
  });
});
