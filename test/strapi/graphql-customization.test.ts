/** Customizations of GraphQL as Strapi's documentation describes them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { configFile, createCall, projectFolder, serviceFile, type TestApp, typeFile } from "../project.ts";

const coreFiles = (name: string) => ({
  ...serviceFile(name),
  [`src/api/${name}/controllers/${name}.js`]: `module.exports = require("@strapi/strapi").factories.createCoreController("api::${name}.${name}");`,
  [`src/api/${name}/routes/${name}.js`]: `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::${name}.${name}");`,
});

const files = {
  ...configFile({ roles: { public: ["api::shop.shop.find", "api::hat.hat.find"] } }),
  ...typeFile("shop", { name: { type: "string" }, locked: { type: "boolean" }, sealed: { type: "boolean" } }),
  ...typeFile("hat", { name: { type: "string" } }),
  ...coreFiles("shop"),
  ...coreFiles("hat"),
  "src/policies/first-two.js": `module.exports = (context, config, { strapi }) => {
    const { state, http, args } = context;
    strapi.policyKeys = Object.keys(context).sort();
    if (!state.user && state.isAuthenticated && state.route.method === http.request.method) args.pagination = { limit: config.limit ?? 2 };
    return true;
  };`,
  "src/policies/not-b.js": `module.exports = ({ args }) => {
    args.filters = { ...args.filters, $or: [{ name: { $eq: "a" } }, { name: { eq: "c" }, id: { $gt: 0 } }] };
  };`,
  "src/policies/closed.js": `const { PolicyError } = require("@strapi/utils").errors;
    module.exports = () => { throw new PolicyError("not today", { day: 1 }); };`,
  "src/middlewares/bare.js":
    "module.exports = (next, parent, args, context, info) => next(parent, args, context, info);",
  "src/index.js": `module.exports = {
    register({ strapi }) {
      const extension = strapi.plugin("graphql").service("extension");
      extension.shadowCRUD("api::shop.shop").field("locked").disable();
      extension.shadowCRUD("api::shop.shop").field("sealed").disableOutput();
      extension.shadowCRUD("api::hat.hat").disableActions(["create", "update"]).disableMutations();
      extension.use(({ nexus, typeRegistry }) => {
        typeRegistry.register("Mood", nexus.enumType({ name: "Mood", members: ["HAPPY", "SAD"] }));
        return {
          types: [
            nexus.objectType({ name: "Book", definition(t) {
              t.string("title");
              t.nonNull.int("pages", { resolve: (book) => book.pages ?? 7 });
              t.field("mood", { type: "Mood", resolve: () => "SAD" });
            } }),
            nexus.extendType({ type: "Query", definition(t) {
              t.field("book", { type: "Book", args: { title: nexus.nonNull(nexus.stringArg()) }, resolve: (_, { title }) => ({ title }) });
              t.int("inLocale", { args: { locale: "I18NLocaleCode", status: "PublicationStatus", at: "Long", data: "JSON" }, resolve: () => 3 });
              t.field("refused", { type: "Book", resolve() { throw new (require("@strapi/utils").errors.ValidationError)("own", { a: 1 }); } });
            } }),
          ],
          plugins: [nexus.plugin({
            name: "Loud",
            onAfterBuild: (schema) => { strapi.builtType = schema.getType("Book").name; },
            onCreateFieldResolver: ({ parentTypeConfig, fieldConfig }) =>
              parentTypeConfig.name === "Book" && fieldConfig.name === "title"
                ? async (root, args, context, info, next) => (await next(root, args, context, info)) + "!"
                : undefined,
          })],
          typeDefs: "extend type Query { first: String, nested: String, failing: String, hinted: String }",
          resolvers: { Query: { first: () => "first", nested: () => "nested", failing: () => "never", hinted(root, args, context, info) {
            info.cacheControl.setCacheHint({ maxAge: 90, scope: "PRIVATE" });
            return JSON.stringify(info.cacheControl.cacheHint);
          } } },
          resolversConfig: {
            "Query.book": { auth: false },
            "Query.inLocale": { auth: false },
            "Query.refused": { auth: false },
            "Query.first": { auth: false },
            Query: { nested: { auth: false }, first: { auth: true } },
            Mutation: { deleteShop: { auth: false } },
            "Query.hinted": { auth: false },
            "Query.failing": { auth: false, middlewares: [() => { throw new (require("@strapi/utils").errors.ApplicationError)("stopped", { by: 1 }); }] },
            "Query.shops": { policies: [{ name: "global::first-two", config: {} }], middlewares: ["global::bare", (next, parent, args, context, info) => {
              info.cacheControl.setCacheHint({ maxAge: 60, scope: "PUBLIC" });
              return next(parent, args, context, info);
            }] },
            "Query.hats": { policies: ["global::closed"] },
            "Query.shops_connection": { policies: ["global::not-b"] },
            "Mutation.createShop": { policies: ["global::closed"], middlewares: [(next, ...args) => { strapi.hasReachedMiddleware = true; return next(...args); }] },
          },
        };
      });
      extension.use({ resolversConfig: { "Query.first": { auth: true, policies: [] } } });
    },
    async bootstrap({ strapi }) {
      for (const name of ["a", "b", "c"]) await strapi.documents("api::shop.shop").create({ data: { name } });
    },
  };`,
  "src/api/shop/controllers/see.js": `module.exports = {
    members(ctx) {
      const extension = strapi.plugin("graphql").service("extension");
      const { naming, attributes } = strapi.plugin("graphql").service("utils");
      const shop = strapi.contentType("api::shop.shop");
      const [locked, sealed] = ["locked", "sealed"].map((name) => extension.shadowCRUD("api::shop.shop").field(name));
      const hat = extension.shadowCRUD("api::hat.hat");
      ctx.body = {
        fields: [locked.isEnabled(), locked.hasInputEnabled(), sealed.isEnabled(), sealed.hasOutputEnabled(), sealed.hasFiltersEnabled()],
        hat: [hat.isEnabled(), hat.areQueriesEnabled(), hat.areMutationsDisabled(), hat.isActionDisabled("create"), hat.isActionEnabled("find")],
        names: [naming.getTypeName(shop), naming.getFindQueryName(shop), naming.getFindConnectionQueryName(shop), naming.getCreateMutationTypeName(shop), naming.getEntityResponseCollectionName(shop), naming.getEnumName(shop, "name"), naming.getFiltersInputTypeName(shop)],
        kinds: [attributes.isStrapiScalar({ type: "uid" }), attributes.isMorphRelation({ type: "relation", relation: "morphToOne" })],
        constants: strapi.plugin("graphql").service("constants").SCALARS_ASSOCIATIONS.biginteger,
        config: [strapi.plugin("graphql").config("maxLimit"), strapi.plugin("graphql").config("endpoint")],
        built: strapi.builtType, policyKeys: strapi.policyKeys,
      };
    },
    absent: () => strapi.plugin("graphql").service("content-api").buildSchema(),
  };`,
  "src/api/shop/routes/see.js": `module.exports = { routes: ["members", "absent"].map((name) => ({ method: "GET", path: "/see/" + name, handler: "see." + name, config: { auth: false } })) };`,
};

let app: TestApp;
let removeFolder: () => void;
beforeAll(async () => {
  const { root, remove } = projectFolder(files);
  removeFolder = remove;
  mkdirSync(join(root, "node_modules"));
  // installed as package managers without hoisting do it
  const plugin = join(root, "node_modules/.store/plugin-graphql/node_modules");
  mkdirSync(join(plugin, "@strapi/plugin-graphql"), { recursive: true });
  await Bun.write(join(plugin, "@strapi/plugin-graphql/package.json"), '{ "name": "@strapi/plugin-graphql" }');
  symlinkSync(join(import.meta.dir, "../../node_modules/nexus"), join(plugin, "nexus"));
  mkdirSync(join(root, "node_modules/@strapi"));
  symlinkSync(join(plugin, "@strapi/plugin-graphql"), join(root, "node_modules/@strapi/plugin-graphql"));
  const galley = await createGalley({ project: root, environment: {} });
  app = { ...galley, call: createCall(galley, {}) } as TestApp;
});
afterAll(async () => {
  await app.close();
  removeFolder();
});

const ask = async (query: string) => (await app.call("POST", "/graphql", { query })).body;

test("policies see the request and its state, and may change arguments", async () => {
  expect((await ask('{ shops(sort: "name") { name } }')).data.shops).toEqual([{ name: "a" }, { name: "b" }]);
});

test.each([
  ["{ hinted }", "max-age=90, private"],
  ["{ shops { name } }", "max-age=60, public"],
  ["{ ...own, __typename } fragment own on Query { all: shops { name } hinted }", "max-age=60, private"],
  ["{ hinted first }", "no-store"],
  ["{ shops { name } shops_connection { nodes { name } } }", "no-store"],
  ["{ shops { name } failing }", "no-store"],
])("clients may store %s as long as code allows for each of its objects", async (query, expected) => {
  const response = await app.handle(
    new Request("http://localhost/graphql", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    }),
  );
  expect(response.headers.get("cache-control")).toBe(expected);
});

test("policies may filter with the operators of REST", async () => {
  const { data } = await ask('{ shops_connection(sort: "name") { nodes { name } pageInfo { total } } }');
  expect(data.shops_connection).toEqual({ nodes: [{ name: "a" }, { name: "c" }], pageInfo: { total: 2 } });
});

test("errors of policies and middlewares have their name, message and details", async () => {
  const [hats, failing] = [await ask("{ hats { name } }"), await ask("{ failing }")];
  expect(hats.errors[0]).toMatchObject({
    message: "not today",
    extensions: { code: "FORBIDDEN", error: { name: "PolicyError", details: { day: 1 } } },
  });
  expect(failing.errors[0].extensions).toMatchObject({
    code: "STRAPI_APPLICATION_ERROR",
    error: { details: { by: 1 } },
  });
});

test("middlewares and policies run only for those who have the permission", async () => {
  const { errors } = await ask('mutation { createShop(data: { name: "d" }) { name } }');
  expect(errors[0]).toMatchObject({ message: "Forbidden access", extensions: { error: { name: "ForbiddenError" } } });
  expect(
    (globalThis as unknown as { strapi: { hasReachedMiddleware?: boolean } }).strapi.hasReachedMiddleware,
  ).toBeUndefined();
});

test("plugins of Nexus wrap resolvers, and see the finished schema", async () => {
  expect(await ask('{ book(title: "T") { title pages mood } }')).toEqual({
    data: { book: { title: "T!", pages: 7, mood: "SAD" } },
  });
});

test("errors of Nexus resolvers have the codes of their kinds", async () => {
  const { errors } = (await ask("{ refused { title } }")) as { errors: unknown[] };
  const error = { name: "ValidationError", message: "own", details: { a: 1 } };
  expect(errors).toEqual([{ message: "own", path: ["refused"], extensions: { code: "BAD_USER_INPUT", error } }]);
});

test("types of the project may refer to scalars that no generated field has", async () => {
  const { body } = await app.call("POST", "/graphql", { query: '{ inLocale(locale: "en", at: 5, data: { a: 1 }) }' });
  expect(body).toEqual({ data: { inLocale: 3 } });
});

test("configurations of the project's fields may be nested by type, and a path counts before them", async () => {
  expect(await ask("{ first nested }")).toEqual({ data: { first: "first", nested: "nested" } });
  const { errors } = await ask('mutation { deleteShop(documentId: "a") { documentId } }');
  expect(errors[0].message).toBe("Forbidden access");
});

test("of two configurations of a resolver the first counts", async () => {
  expect(await ask("{ first }")).toEqual({ data: { first: "first" } });
});

test("code reads what is disabled, and the names of generated types", async () => {
  await ask("{ shops { name } }");
  expect((await app.call("GET", "/api/see/members")).body).toEqual({
    fields: [false, false, true, false, true],
    hat: [true, true, true, true, true],
    names: [
      "Shop",
      "shops",
      "shops_connection",
      "createShop",
      "ShopEntityResponseCollection",
      "ENUM_SHOP_NAME",
      "ShopFiltersInput",
    ],
    kinds: [true, true],
    constants: "Long",
    config: [-1, "/graphql"],
    built: "Book",
    policyKeys: ["args", "context", "http", "info", "is", "parent", "state", "type"],
  });
  expect((await app.call("GET", "/api/see/absent")).status).toBe(500);
});
