/** `strapi.config.set`, for settings that the server reads with each request. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
let config: { readonly get: (path: string) => unknown; readonly set: (path: string, value: unknown) => unknown };

beforeAll(async () => {
  app = await testApp({
    ...configFile({
      roles: { public: ["*"] },
      users: [{ username: "ann", email: "ann@example.org", password: "password1" }],
    }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/index.js": `module.exports = { register({ strapi }) {
      strapi.config.set("api.rest.defaultLimit", 4);
      globalThis.configuring = strapi.config;
    } };`,
  });
  config = (globalThis as Body).configuring;
  for (const title of ["a", "b", "c", "d", "e"]) await app.call("POST", "/api/notes", { data: { title } });
});
afterAll(() => app.close());

const count = async (query = ""): Promise<number> => (await app.call("GET", `/api/notes${query}`)).body.data.length;

test("limits of lists, also of cached responses", async () => {
  for (let read = 0; read < 3; read++) expect(await count()).toBe(4);
  config.set("api.rest.defaultLimit", 2);
  expect(await count()).toBe(2);
  config.set("api.rest", { maxLimit: 3 });
  expect(await count("?pagination[limit]=5")).toBe(3);
  // a missing value is the default
  config.set("api.rest", {});
  expect(await count()).toBe(5);
  config.set("api.rest.withCount", false);
  expect((await app.call("GET", "/api/notes")).body.meta).toEqual({ pagination: { page: 1, pageSize: 25 } });
});

test("limits of GraphQL", async () => {
  const list = async (limits = ""): Promise<number> =>
    (await app.call("POST", "/graphql", { query: `{ notes${limits} { title } }` })).body.data.notes.length;
  for (let read = 0; read < 3; read++) expect(await list()).toBe(5);
  config.set("plugin::graphql.defaultLimit", 1);
  expect(await list()).toBe(1);
  config.set("plugin::graphql.maxLimit", 2);
  expect(await list("(pagination: { limit: 5 })")).toBe(2);
});

test("the size and types of uploads", async () => {
  const upload = async (): Promise<number> => {
    const form = new FormData();
    form.append("files", new File(["a text"], "a.txt", { type: "text/plain" }));
    return (await app.handle(new Request("http://localhost/api/upload", { method: "POST", body: form }))).status;
  };
  expect(await upload()).toBe(201);
  config.set("plugin::upload.sizeLimit", 3);
  expect(await upload()).toBe(413);
  config.set("plugin::upload.sizeLimit", 1000);
  expect(await upload()).toBe(201);
  config.set("plugin::upload.security", { deniedTypes: ["text/*"] });
  expect(await upload()).toBe(400);
  config.set("plugin::upload.security.deniedTypes", undefined);
  expect(await upload()).toBe(201);
});

test("the lifespan of tokens; an invalid one is ignored", async () => {
  const lifespan = async (): Promise<number> => {
    const { jwt } = (await app.call("POST", "/api/auth/local", { identifier: "ann", password: "password1" })).body;
    const { exp, iat } = JSON.parse(Buffer.from(jwt.split(".")[1], "base64url").toString()) as Body;
    return exp - iat;
  };
  config.set("plugin::users-permissions.jwt.expiresIn", "1h");
  expect(await lifespan()).toBe(3600);
  config.set("plugin::users-permissions.jwt", { expiresIn: 90 });
  expect(await lifespan()).toBe(90);
  config.set("plugin::users-permissions.jwt.expiresIn", "soon");
  expect(await lifespan()).toBe(90);
});
