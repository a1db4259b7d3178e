/** Schemas that `register` changes: followed by tables and both APIs, or named by a warning. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";
import { startProblems } from "./start-problems.ts";

const attributes = {
  name: { type: "string" },
  old: { type: "string" },
  leg: { type: "component", component: "part.leg" },
};
const files = {
  ...configFile({ roles: { public: ["*"] } }),
  ...typeFile("ant", attributes),
  ...typeFile("bee", attributes),
  ...typeFile("cat", attributes),
  ...typeFile("dog", { name: { type: "string" } }),
  "src/components/part/leg.json": JSON.stringify({
    collectionName: "components_part_legs",
    info: { displayName: "leg" },
    attributes: { length: { type: "integer" } },
  }),
  "config/plugins.js": "module.exports = { tail: { enabled: true, resolve: './src/plugins/tail' } };",
  "src/plugins/tail/package.json": "{}",
  "src/plugins/tail/strapi-server.js": `
    const extend = async (strapi2) => { strapi2.contentTypes["api::dog.dog"].attributes.tail = { type: "boolean", default: true }; };
    module.exports = { register: ({ strapi: strapi2 }) => { strapi2.documents.use((_, next) => next()); extend(strapi2); } };`,
  "src/index.js": `
    globalThis.registerCalls = 0;
    module.exports = {
      async register({ strapi }) {
        globalThis.registerCalls++;
        const ant = strapi.contentType("api::ant.ant");
        ant.attributes.size = { type: "integer", required: true };
        ant.attributes.bee = { type: "relation", relation: "manyToOne", target: "api::bee.bee" };
        delete ant.attributes.old;
        if (!ant.attributes.createdAt) throw new Error("no system attributes");
        await Promise.resolve();
        strapi.get("content-types").extend("api::bee.bee", (type) => {
          type.options.draftAndPublish = true;
          type.attributes.name.private = true;
          return type;
        });
        for (const component of Object.values(strapi.components)) component.attributes.side = { type: "string" };
        strapi.plugin("upload").contentTypes.file.attributes.credit = { type: "string" };
        strapi.server.use((ctx, next) => next());
        strapi.contentTypes["api::cat.cat"] = { ...strapi.contentTypes["api::cat.cat"], attributes: { name: { type: "string" } } };
      },
      bootstrap({ strapi }) { strapi.contentType("api::ant.ant").attributes.late = { type: "string" }; },
    };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

describe("changes of the objects", () => {
  test("may be those of a function that a plugin calls with strapi", async () => {
    const { body } = await app.call("POST", "/api/dogs", { data: { name: "c" } }, {});
    expect(body.data).toMatchObject({ name: "c", tail: true });
  });

  test("add attributes to types and components", async () => {
    const data = { name: "a", size: 3, leg: { length: 1, side: "left" } };
    const { status, body } = await app.call("POST", "/api/ants?populate=*", { data }, {});
    expect([status, body.data]).toMatchObject([201, { size: 3, bee: null, leg: { side: "left" } }]);
    const { body: missing } = await app.call("POST", "/api/ants", { data: { name: "b" } }, {});
    expect(missing.error.message).toBe("size must be defined.");
    const { body: found } = await app.call("GET", "/api/ants?filters[size][$gt]=2&sort=size", undefined, {});
    expect(found.data).toHaveLength(1);
  });

  test("remove attributes, and set options", async () => {
    const { body } = await app.call("POST", "/api/ants", { data: { size: 1, old: "x" } }, {});
    expect(body.error.message).toBe("Invalid key old");
    const { body: bee } = await app.call("POST", "/api/bees?status=draft", { data: { name: "hidden" } }, {});
    expect([bee.data.publishedAt, "name" in bee.data]).toEqual([null, false]);
  });

  test("are in the GraphQL schema", async () => {
    const { body } = await app.call("POST", "/graphql", { query: '{ __type(name: "Ant") { fields { name } } }' });
    const names = body.data.__type.fields.map(({ name }: { name: string }) => name);
    expect([names.includes("size"), names.includes("bee"), names.includes("old")]).toEqual([true, true, false]);
  });
});

test("the function runs once more when the code starts", () => {
  expect((globalThis as { registerCalls?: number }).registerCalls).toBe(2);
});

test("other changes have no effect, and are reported", async () => {
  expect(await startProblems(files)).toEqual([
    "src/index.js changes old, leg of api::cat.cat in register, which has no effect",
    "src/index.js changes late of api::ant.ant in bootstrap, which has no effect",
  ]);
});

test("components that a plugin adds to the registry are those of its types", async () => {
  const app = await testApp({
    ...configFile({ roles: { public: ["*"] } }),
    "config/plugins.js": "module.exports = { shop: { enabled: true, resolve: './src/plugins/shop' } };",
    "src/plugins/shop/package.json": "{}",
    "src/plugins/shop/strapi-server.js": `
      const zone = { collectionName: "zones", info: { singularName: "zone", pluralName: "zones", displayName: "zone" },
        attributes: { place: { type: "component", component: "plugin::shop.place" }, note: { type: "component", component: "shop.note" } } };
      const note = { collectionName: "components_shop_notes", info: { displayName: "note" }, attributes: { text: { type: "string" } } };
      module.exports = {
        register({ strapi }) {
          const components = strapi.get("components");
          components.set("plugin::shop.place", { uid: "plugin::shop.place", modelType: "component", category: "shop",
            collectionName: "components_shop_places", info: { displayName: "place" }, attributes: { town: { type: "string" } } });
          components.add({ "shop.note": note });
        },
        contentTypes: { zone: { schema: zone } },
        controllers: { zone: { make: async () => strapi.documents("plugin::shop.zone").create({
          data: { place: { town: "a" }, note: { text: "b" } }, populate: "*" }) } },
        routes: { "content-api": { type: "content-api", routes: [{ method: "GET", path: "/make", handler: "zone.make", config: { auth: false } }] } },
      };`,
  });
  expect((await app.call("GET", "/api/shop/make")).body).toMatchObject({ place: { town: "a" }, note: { text: "b" } });
  await app.close();
});
