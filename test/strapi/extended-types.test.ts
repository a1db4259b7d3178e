/** Extensions that change content-types in code, before the project is opened. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...configFile({
      roles: { public: ["*"] },
      users: [{ username: "ann", email: "ann@example.com", password: "Passw0rd!" }],
    }),
    ...typeFile("note", {
      title: { type: "string" },
      author: {
        type: "relation",
        relation: "manyToOne",
        target: "plugin::users-permissions.user",
        inversedBy: "notes",
      },
    }),
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      strapi.db.lifecycles.subscribe({ models: ["plugin::users-permissions.user"] });
      const { register } = plugin.controllers.auth;
      plugin.controllers.auth.register = (ctx) => register(ctx);
      for (const route of plugin.routes["content-api"].routes) route.seen = true;
      plugin.contentTypes.user.schema.attributes.nickname = { type: "string", minLength: 3 };
      plugin.contentTypes.user.schema.attributes.notes = { type: "relation", relation: "oneToMany", target: "api::note.note", mappedBy: "author" };
      globalThis.extendedTypesCalls = (globalThis.extendedTypesCalls ?? 0) + 1;
      return plugin;
    };`,
    "src/extensions/upload/strapi-server.ts": `export default async (plugin: any) => {
      plugin.contentTypes.file.schema.attributes.blur = { type: "text", configurable: false };
      plugin.services.blurring = { blur: () => "blurred" };
    };`,
    "src/extensions/i18n/strapi-server.js": `module.exports = (plugin) => plugin; // contentTypes`,
  });
});
afterAll(() => app.close());

describe("attributes that extensions add", () => {
  test("are stored, checked and populated", async () => {
    const short = await app.call("PUT", "/api/users/1", { nickname: "x" });
    expect([short.status, short.body.error.message]).toEqual([400, "nickname must be at least 3 characters"]);
    const { body: note } = await app.call("POST", "/api/notes", { data: { title: "a", author: 1 } });
    expect((await app.call("PUT", "/api/users/1", { nickname: "Annie" })).body).toMatchObject({ nickname: "Annie" });
    const { body } = await app.call("GET", "/api/users/1?populate=notes");
    expect(body).toMatchObject({ nickname: "Annie", notes: [{ documentId: note.data.documentId }] });
    expect((await app.call("GET", "/api/notes?filters[author][nickname]=Annie")).body.data.length).toBe(1);
  });

  test("are in the GraphQL schema", async () => {
    const query = '{ __type(name: "UsersPermissionsUser") { fields { name } } }';
    const { body } = await app.call("POST", "/graphql", { query });
    expect(body.data.__type.fields.map(({ name }: { name: string }) => name)).toContain("nickname");
  });

  test("of files", async () => {
    const form = new FormData();
    form.append("files", new File(["x"], "x.txt", { type: "text/plain" }));
    const request = new Request("http://localhost/api/upload", { method: "POST", body: form });
    const [file] = (await (await app.handle(request)).json()) as { blur?: unknown }[];
    expect(file).toMatchObject({ blur: null });
  });
});

test("the function runs once more when the code starts", () => {
  expect((globalThis as { extendedTypesCalls?: number }).extendedTypesCalls).toBe(2);
});

test("schema files of extensions change and add content-types of local plugins, which keep a locale that code sets", async () => {
  const schema = (name: string, attributes: object) => ({
    kind: "collectionType",
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options: { draftAndPublish: false },
    attributes,
  });
  const users = { type: "relation", relation: "manyToMany", target: "plugin::users-permissions.user" };
  const file = (name: string) => `src/extensions/kennel/content-types/${name}/schema.json`;
  const own = await testApp({
    ...configFile({ roles: { public: ["*"] }, tokens: [{ name: "all", type: "full-access", key: "all" }] }),
    "config/plugins.js": `module.exports = { kennel: { enabled: true, resolve: "./src/plugins/kennel" } };`,
    "src/plugins/kennel/package.json": JSON.stringify({
      name: "kennel",
      strapi: { kind: "plugin", name: "kennel" },
      exports: { "./strapi-server": { require: "./server.js" } },
    }),
    "src/plugins/kennel/server.js": `module.exports = {
      register({ strapi }) {
        strapi.customFields.register({ name: "pedigree", plugin: "kennel", type: "json" });
      },
      contentTypes: { breeder: { schema: ${JSON.stringify(schema("breeder", { town: { type: "string" } }))} } },
    };`,
    [file("breeder")]: JSON.stringify({
      attributes: {
        name: { type: "string" },
        parents: { type: "customField", customField: "plugin::kennel.pedigree" },
        owners: { ...users, mappedBy: "breeders" },
      },
    }),
    [file("litter")]: JSON.stringify({ ...schema("litter", { title: { type: "string" } }), collectionName: undefined }),
    ...typeFile("shelter", { breeders: { type: "relation", relation: "oneToMany", target: "plugin::kennel.breeder" } }),
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      plugin.contentTypes.user.schema.attributes.breeders = ${JSON.stringify({ ...users, target: "plugin::kennel.breeder", inversedBy: "owners" })};
      return plugin;
    };`,
    "src/index.js": `module.exports = {
      async bootstrap({ strapi }) {
        globalThis.kennel = [strapi.contentType("plugin::kennel.litter").collectionName, strapi.contentType("plugin::kennel.litter").options, strapi.get("custom-fields").getAll(), Object.keys(strapi.contentTypes).filter((uid) => /kennel|shelter/.test(uid))];
        const breeder = await strapi.documents("plugin::kennel.breeder").create({ data: { name: "Ann", parents: ["a"] } });
        await strapi.documents("api::shelter.shelter").create({ data: { breeders: [breeder.documentId] } });
        const litters = strapi.documents("plugin::kennel.litter");
        const { documentId } = await litters.create({ data: { title: "first", locale: "fr" } });
        const read = async () => {
          const [{ locale }] = await strapi.db.connection("kennel_litter").select("locale");
          return [(await litters.findOne({ documentId })).locale, locale, await litters.count({ filters: { locale: "fr" } })];
        };
        globalThis.locales = [await read()];
        await litters.update({ documentId, data: { locale: "de" } });
        globalThis.locales.push(await read(), (await strapi.db.query("plugin::kennel.litter").create({ data: { locale: "it" } })).locale);
      },
    };`,
  });
  const { body } = await own.call("GET", "/api/shelters?populate=breeders", undefined, { authorization: "Bearer all" });
  expect(body.data[0].breeders[0]).toMatchObject({ name: "Ann", parents: ["a"] });
  expect(body.data[0].breeders[0]).not.toHaveProperty("town");
  const pedigree = { name: "pedigree", plugin: "kennel", type: "json" };
  expect((globalThis as { kennel?: unknown }).kennel).toEqual([
    "kennel_litter",
    { draftAndPublish: false },
    { "plugin::kennel.pedigree": pedigree },
    ["plugin::kennel.breeder", "plugin::kennel.litter", "api::shelter.shelter"],
  ]);
  expect((globalThis as { locales?: unknown }).locales).toEqual([["fr", "fr", 1], ["de", "de", 0], "it"]);
  await own.close();
});

test("a replaced schema does not name its plugin, so that its GraphQL types have no prefix", async () => {
  const schema = {
    kind: "collectionType",
    collectionName: "up_users",
    info: { singularName: "user", pluralName: "users", displayName: "User" },
    attributes: {
      username: { type: "string", required: true },
      email: { type: "email", required: true },
      provider: { type: "string" },
      password: { type: "password", private: true },
      confirmed: { type: "boolean" },
      blocked: { type: "boolean" },
      role: { type: "relation", relation: "manyToOne", target: "plugin::users-permissions.role", inversedBy: "users" },
      channel: { type: "enumeration", enum: ["mail", "phone"] },
    },
  };
  const own = await testApp({
    ...configFile({ roles: { public: ["*"] } }),
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      globalThis.namesBefore ??= [plugin.contentTypes.user.schema.plugin, plugin.contentTypes.user.schema.globalId];
      plugin.contentTypes.user = { schema: ${JSON.stringify(schema)} };
      return plugin;
    };`,
  });
  const before = (globalThis as { namesBefore?: unknown }).namesBefore;
  expect(before).toEqual(["users-permissions", "UsersPermissionsUser"]);
  const ask = async (query: string) => (await own.call("POST", "/graphql", { query })).body.data;
  const data = '{ username: "ann", email: "ann@example.com", password: "Passw0rd!", role: 1, channel: mail }';
  expect(await ask(`mutation { createUser(data: ${data}) { __typename data { __typename username } } }`)).toEqual({
    createUser: { __typename: "UserEntityResponse", data: { __typename: "User", username: "ann" } },
  });
  expect(await ask("{ users { channel } }")).toEqual({ users: [{ channel: "mail" }] });
  const { __schema } = await ask("{ __schema { types { name } } }");
  const names = __schema.types.map(({ name }: { name: string }) => name);
  expect(names).toContain("ENUM_USER_CHANNEL");
  expect(names).toContain("UsersPermissionsRole");
  expect(names).not.toContain("UsersPermissionsUser");
  await own.close();
});

test("an extension and src/index may have other files change types", async () => {
  const app = await testApp({
    ...configFile({ roles: { public: ["*"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    "src/extensions/users-permissions/strapi-server.js": `const extend = require("./user");
      module.exports = async (plugin) => { await extend(plugin); return plugin; };`,
    "src/extensions/users-permissions/user.js": `module.exports = async (own) => {
      await null;
      own.contentTypes.user.schema.attributes.age = { type: "integer", default: 3 };
    };`,
    "src/index.js": `const extend = require("./register/types");
      module.exports = { async register({ strapi }) { await extend({ strapi }); } };`,
    "src/register/types.js": `module.exports = async ({ strapi: s }) => {
      const note = s.contentType("api::note.note");
      note.attributes.word = { type: "string", default: "w" };
    };`,
  });
  const account = { username: "bob", email: "bob@example.com", password: "Secret-1", role: 1 };
  expect((await app.call("POST", "/api/users", account, {})).body).toMatchObject({ age: 3 });
  expect((await app.call("POST", "/api/notes", { data: {} }, {})).body.data).toMatchObject({ word: "w" });
  await app.close();
});
