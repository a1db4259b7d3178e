/** What own code answers has no cache tags: nobody knows what it depends on. */
import { afterEach, expect, test } from "bun:test";
import { CacheTags } from "../../src/lib/cache-tags.ts";
import { ADMIN, configFile, relation, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const core = (kind: string, change = "") =>
  `module.exports = require("@strapi/strapi").factories.createCore${kind}("api::note.note"${change && `, ${change}`});`;
const types = {
  ...typeFile("note", { text: { type: "string" }, author: relation("manyToOne", "author") }),
  ...typeFile("author", { name: { type: "string" } }),
};
const controller = (change = "") => ({
  ...serviceFile("note"),
  "src/api/note/controllers/note.js": core("Controller", change),
  "src/api/note/routes/note.js": core("Router"),
});
const OTHERS = 'strapi.documents("api::author.author").findMany()';
const route = (handler: string) => `module.exports = { routes: [
  { method: "GET", path: "/own", handler: "${handler}", config: { auth: false } },
] };`;

/** Each reads authors for an answer about notes, in its own way. */
const projects: Readonly<Record<string, readonly [path: string, files: Record<string, string>]>> = {
  "a controller": [
    "/api/notes",
    controller(
      `({ strapi }) => ({ async find(ctx) { return { ...(await super.find(ctx)), more: await ${OTHERS} }; } })`,
    ),
  ],
  "a service": [
    "/api/notes",
    {
      ...controller(),
      "src/api/note/services/note.js": core(
        "Service",
        `({ strapi }) => ({ async find(params) { return { results: await ${OTHERS}, pagination: {} }; } })`,
      ),
    },
  ],
  "a route": [
    "/api/own",
    {
      "src/api/own/controllers/own.js": `module.exports = { async read(ctx) { ctx.body = await ${OTHERS}; } };`,
      "src/api/own/routes/own.js": route("own.read"),
    },
  ],
  "a policy": [
    "/api/notes",
    {
      ...controller(),
      "src/api/note/routes/note.js": core("Router", '{ config: { find: { policies: ["global::some"] } } }'),
      "src/policies/some.js": `module.exports = async (ctx, config, { strapi }) => {
        ctx.query = { filters: { text: (await ${OTHERS})[0].name } };
        return true;
      };`,
    },
  ],
  "a middleware": [
    "/api/notes",
    {
      "config/middlewares.js": 'module.exports = ["strapi::errors", "strapi::query", "strapi::body", "global::more"];',
      "src/middlewares/more.js": `module.exports = (config, { strapi }) => async (ctx, next) => {
        await next();
        ctx.body = { ...ctx.body, more: await ${OTHERS} };
      };`,
    },
  ],
  "a middleware of documents": [
    "/api/notes",
    {
      "src/index.js": `module.exports = { register({ strapi }) {
        strapi.documents.use(async (context, next) => {
          const result = await next();
          return context.uid === "api::note.note" && Array.isArray(result) ? [...result, ...(await ${OTHERS})] : result;
        });
      } };`,
    },
  ],
  "a resolver": [
    "/graphql?query={notes{text}}",
    {
      "src/index.js": `module.exports = { register({ strapi }) {
        strapi.plugin("graphql").service("extension").use(() => ({
          resolvers: { Query: { notes: async () => (await ${OTHERS}).map(({ name }) => ({ text: name })) } },
        }));
      } };`,
    },
  ],
};

let app: TestApp;
afterEach(() => app.close());
const headers = { ...ADMIN, "content-type": "application/json" };
const get = (path: string): Promise<Response> => app.handle(new Request(`http://localhost${path}`, { headers }));

test.each(Object.entries(projects))("%s", async (_, [path, files]) => {
  app = await testApp({ ...types, ...files, ...configFile() });
  await app.documents("api::author.author").create({ data: { name: "Ann" } });
  await app.documents("api::note.note").create({ data: { text: "Ann" } });
  const first = await get(path);
  expect(await first.text()).toContain("Ann");
  // the second answer is kept, the third may be from a cache
  for (const { status, headers } of [first, await get(path), await get(path)])
    expect([status, headers.get("cache-tag"), headers.get("surrogate-key")]).toEqual([200, null, null]);
});

test("tags that code sets itself stay, and are not taken for what it has read", async () => {
  const controllers = {
    "src/api/own/controllers/own.js": `module.exports = { read(ctx) {
    ctx.set("Cache-Tag", "mine");
    ctx.body = {};
  } };`,
  };
  app = await testApp({ ...types, ...controllers, "src/api/own/routes/own.js": route("own.read"), ...configFile() });
  const { headers } = await get("/api/own");
  expect(headers.get("cache-tag")).toBe("mine");
  expect(CacheTags.create({})!.read(headers)).toBeUndefined();
});
