/** Functions that code adds to `strapi.sanitizers` and `strapi.validators`. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PathRegistry } from "../../src/strapi/data/sanitizers.ts";
import { type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const project = {
  ...configFile({
    roles: { public: ["*"], authenticated: ["*"] },
    users: [{ username: "ann", email: "ann@example.org", password: "password1" }],
  }),
  ...typeFile("note", { title: { type: "string" }, hidden: { type: "string" } }),
  ...typeFile("front", { title: { type: "string" }, hidden: { type: "string" } }, { kind: "singleType" }),
};

const index = `const { errors } = require("@strapi/utils");
module.exports = { register({ strapi }) {
  strapi.sanitizers.add("content-api.output", (schema) => (data) => {
    if (!data) return data;
    if (data.title === "broken") throw new Error("broken");
    if (data.title === "refused") throw new errors.ApplicationError("refused", { by: schema.uid });
    const { hidden, email, hash, ...rest } = data;
    return rest;
  });
  strapi.sanitizers.add("content-api.output", (schema) => async (data) => {
    await Promise.resolve();
    return data && { ...data, seen: schema.uid };
  });
  strapi.sanitizers.add("content-api.input", (schema) => (data) => (data.title === "raw" ? { ...data, title: "changed" } : data));
  strapi.validators.add("content-api.input", (schema) => async (data) => {
    if (data.title === "bad") throw new errors.ValidationError("No bad titles", { why: schema.uid });
  });
} };`;

const factory = (kind: string, uid: string): string =>
  `module.exports = require("@strapi/strapi").factories.create${kind}("${uid}");`;
const ownFiles = Object.fromEntries(
  ["note", "front"].flatMap((name) => [
    [`src/api/${name}/routes/${name}.js`, factory("CoreRouter", `api::${name}.${name}`)],
    [`src/api/${name}/controllers/${name}.js`, factory("CoreController", `api::${name}.${name}`)],
    ...Object.entries(serviceFile(name)),
  ]),
);

describe.each([
  ["types without code", {}],
  ["types with core routes, controllers and services", ownFiles],
])("%s", (_, files) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ ...project, ...files, "src/index.js": index });
  });
  afterAll(() => app.close());

  const shown = { title: "one", seen: "api::note.note" };

  test("documents pass the output sanitizers, also when they are read again", async () => {
    const { status, body } = await app.call("POST", "/api/notes", { data: { title: "one", hidden: "h" } });
    expect(status).toBe(201);
    expect(body.data).toMatchObject(shown);
    for (let read = 0; read < 3; read++) {
      for (const path of ["/api/notes", `/api/notes/${body.data.documentId}`]) {
        const { data } = (await app.call("GET", path)).body;
        const document = [data].flat()[0] as Body;
        expect(document).toMatchObject(shown);
        expect(document).not.toHaveProperty("hidden");
      }
    }
    await app.call("DELETE", `/api/notes/${body.data.documentId}`);
  });

  test("single types pass them as well, also a missing one", async () => {
    expect((await app.call("GET", "/api/front")).status).toBe(404);
    await app.call("PUT", "/api/front", { data: { title: "raw", hidden: "h" } });
    const { data } = (await app.call("GET", "/api/front")).body;
    expect(data).toMatchObject({ title: "changed", seen: "api::front.front" });
    expect(data).not.toHaveProperty("hidden");
  });

  test("their errors are the response", async () => {
    const { documentId } = (await app.call("POST", "/api/notes", { data: { title: "one" } })).body.data;
    const refused = await app.call("PUT", `/api/notes/${documentId}`, { data: { title: "refused" } });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({ name: "ApplicationError", message: "refused" });
    expect(refused.body.error.details).toEqual({ by: "api::note.note" });
    expect((await app.call("GET", "/api/notes")).status).toBe(400);
    await app.call("PUT", `/api/notes/${documentId}`, { data: { title: "broken" } });
    expect((await app.call("GET", `/api/notes/${documentId}`)).status).toBe(500);
    await app.call("DELETE", `/api/notes/${documentId}`);
  });

  test("input passes the validators and sanitizers", async () => {
    const created = await app.call("POST", "/api/notes", { data: { title: "raw" } });
    expect(created.body.data.title).toBe("changed");
    const path = `/api/notes/${created.body.data.documentId}`;
    for (const [method, target] of [
      ["POST", "/api/notes"],
      ["PUT", path],
    ] as const) {
      const { status, body } = await app.call(method, target, { data: { title: "bad" } });
      expect(status).toBe(400);
      expect(body.error.message).toBe("No bad titles");
      expect(body.error.details).toEqual({ why: "api::note.note", source: "body" });
    }
    const unknown = await app.call("PUT", path, { data: { title: "bad", other: 1 } });
    expect(unknown.body.error.message).toBe("Invalid key other");
    await app.call("DELETE", path);
  });
});

test("users, files and locales pass the output sanitizers", async () => {
  const app = await testApp({ ...project, "src/index.js": index });
  const login = await app.call("POST", "/api/auth/local", { identifier: "ann", password: "password1" });
  const user = { username: "ann", seen: "plugin::users-permissions.user" };
  expect(login.body.user).toMatchObject(user);
  expect(login.body.user).not.toHaveProperty("email");
  const headers = { authorization: `Bearer ${login.body.jwt}` };
  for (const path of ["/api/users/me", "/api/users", "/api/users/1"]) {
    const { body } = await app.call("GET", path, undefined, headers);
    expect([body].flat()[0]).toMatchObject(user);
    expect([body].flat()[0]).not.toHaveProperty("email");
  }
  const form = new FormData();
  form.append("files", new File(["text"], "a.txt", { type: "text/plain" }));
  const url = "http://localhost/api/upload";
  const uploaded = (await (await app.handle(new Request(url, { method: "POST", body: form, headers }))).json()) as Body;
  const page = (await app.call("GET", "/api/upload/files/page")).body.data;
  for (const files of [uploaded, page, (await app.call("GET", "/api/upload/files")).body]) {
    expect(files).toMatchObject([{ name: "a.txt", seen: "plugin::upload.file" }]);
    expect(files[0]).not.toHaveProperty("hash");
  }
  const locales = (await app.call("GET", "/api/i18n/locales")).body;
  expect(locales).toMatchObject([{ code: "en", isDefault: true, seen: "plugin::i18n.locale" }]);
  await app.close();
});

const ownActions = {
  ...serviceFile("note"),
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", {
    async validateInput(data, ctx) { globalThis.checked = data; return super.validateInput(data, ctx); },
    async sanitizeInput(data, ctx) { return { ...(await super.sanitizeInput(data, ctx)), hidden: "set" }; },
    async own(ctx) {
      const schema = strapi.contentType("api::note.note");
      const tried = async (work) => { try { return await work(); } catch (error) { return error.details; } };
      ctx.body = [
        await strapi.contentAPI.sanitize.output([{ title: "one" }], schema),
        await strapi.contentAPI.sanitize.input({ title: "raw" }, schema),
        await tried(() => strapi.contentAPI.validate.input({ title: "bad" }, schema)),
        await this.sanitizeOutput({ title: "one" }, ctx),
        await this.sanitizeInput({ title: "raw" }, ctx),
      ];
    } });`,
  "src/api/note/routes/note.js": factory("CoreRouter", "api::note.note"),
  "src/api/note/routes/own.js": `module.exports = { routes: [{ method: "GET", path: "/own", handler: "note.own", config: { auth: false } }] };`,
};

test("functions that are added while the server runs apply from then on", async () => {
  const app = await testApp({
    ...project,
    ...ownFiles,
    // a route with a policy, whose responses are cached as well
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note", {
      config: { find: { policies: [() => true] } } });`,
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.registering = strapi; } };",
  });
  const { registering } = globalThis as Body;
  await app.call("POST", "/api/notes", { data: { title: "one" } });
  const title = async (): Promise<unknown> => (await app.call("GET", "/api/notes")).body.data[0].title;
  // often enough for the response to be cached
  for (let read = 0; read < 3; read++) expect(await title()).toBe("one");
  let count = 0;
  registering.sanitizers.add("content-api.output", () => (data: Body) => ({ ...data, title: ++count }));
  expect([await title(), await title(), await title()]).toEqual([1, 2, 3]);
  registering.sanitizers.set("content-api.output", []);
  expect(await title()).toBe("one");
  await app.close();
});

test("contentAPI and the helpers of controllers call them, and core actions call overridden helpers", async () => {
  const app = await testApp({ ...project, ...ownActions, "src/index.js": index });
  expect((await app.call("GET", "/api/own")).body).toEqual([
    [{ title: "one", seen: "api::note.note" }],
    { title: "changed" },
    { why: "api::note.note", source: "body" },
    { title: "one", seen: "api::note.note" },
    { title: "changed", hidden: "set" },
  ]);
  expect((await app.call("POST", "/api/notes", {})).body.error.message).toBe(
    'Missing "data" payload in the request body',
  );
  await app.call("POST", "/api/notes", { data: { title: "one" } });
  expect((globalThis as Body).checked).toEqual({ title: "one" });
  await app.close();
});

test("registries find lists by path, and set replaces branches", () => {
  const registry = new PathRegistry({ "content-api": { output: [] } });
  expect(registry.has("content-api.output")).toBe(true);
  expect(registry.has("content-api.other")).toBe(false);
  expect(registry.get("content-api.other.deep")).toEqual([]);
  expect(registry.add("content-api.other", 1).get("content-api.other")).toEqual([]);
  expect(registry.add("content-api.output", 1).get("content-api.output")).toEqual([1]);
  expect(registry.set("own.list").add("own.list", 2).get("own")).toEqual({ list: [2] });
  registry.set("content-api", { input: [] });
  expect(registry.has("content-api.output")).toBe(false);
  registry.set("constructor.prototype.polluted", [1]);
  expect(({} as Body).polluted).toBeUndefined();
});

test("sanitizeOutput without a context removes what is private, and relations, as for callers without permissions", async () => {
  const app = await testApp({
    ...typeFile("author", { name: { type: "string" } }),
    ...typeFile("note", {
      title: { type: "string" },
      secret: { type: "string", private: true },
      author: { type: "relation", relation: "manyToOne", target: "api::author.author" },
    }),
    "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", {
      async find() {
        return this.transformResponse(await this.sanitizeOutput({ title: "one", secret: "x", author: { name: "a" } }));
      },
    });`,
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
  });
  expect((await app.call("GET", "/api/notes")).body.data).toEqual({ title: "one" });
  await app.close();
});
