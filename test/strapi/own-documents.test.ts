/** Each place in a result has a document of its own, so that code may change it: two notes with the same author have two. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { componentFile, configFile, relation, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const UID = "api::note.note";
const documents = `strapi.documents("${UID}")`;

const reads: Readonly<Record<string, string>> = {
  documents: `await ${documents}.findMany({ populate: { author: { populate: { badge: true } }, parts: { populate: "*" } } })`,
  service: `(await strapi.service("${UID}").find({ populate: ["author.badge", "parts.author"] })).results`,
  entityService: `await strapi.entityService.findMany("${UID}", { populate: ["author.badge"] })`,
  query: `await strapi.db.query("${UID}").findMany({ populate: { author: { populate: ["badge"] } } })`,
};

const change = `for (const { author, parts } of rows) {
  author.name += "!";
  author.links.push("x");
  author.badge.name += "?";
  for (const part of parts ?? []) if (part.author) part.author.name += "+";
}`;

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["*"] } }),
    ...serviceFile("note"),
    ...typeFile("badge", { name: { type: "string" } }),
    ...typeFile("author", {
      name: { type: "string" },
      links: { type: "json" },
      badge: relation("manyToOne", "badge"),
    }),
    ...componentFile("page.part", { author: relation("oneToOne", "author") }),
    ...typeFile("note", {
      title: { type: "string" },
      author: relation("manyToOne", "author"),
      parts: { type: "dynamiczone", components: ["page.part"] },
    }),
    "src/index.js": `module.exports = { async bootstrap() {
      const create = async (name, data) => (await strapi.documents("api::" + name + "." + name).create({ data })).documentId;
      const badge = await create("badge", { name: "gold" });
      const author = await create("author", { name: "Kai", links: [], badge });
      for (const title of ["a", "b"]) await create("note", { title, author, parts: [{ __component: "page.part", author }] });
    } };`,
    "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("${UID}", {
      async find(ctx) {
        const response = await super.find(ctx);
        const rows = response.data;
        ${change}
        return response;
      },
      ${Object.entries(reads).map(([name, read]) => `async ${name}() { const rows = ${read}; ${change} return rows; }`)}
    });`,
    "src/api/note/routes/01-own.js": `module.exports = { routes: ${JSON.stringify(
      Object.keys(reads).map((name) => ({ method: "GET", path: `/own/${name}`, handler: `note.${name}` })),
    )} };`,
    "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("${UID}");`,
  });
});
afterAll(() => app.close());

const changed = { name: "Kai!", links: ["x"], badge: { name: "gold?" } };
const part = { author: { name: "Kai+" } };

// repeated reads are cached
for (const name of Object.keys(reads))
  test(`of ${name}`, async () => {
    for (const _ of [1, 2, 3]) {
      const { body } = await app.call("GET", `/api/own/${name}`);
      expect(body).toMatchObject([{ author: changed }, { author: changed }]);
      if (body[0].parts) expect(body).toMatchObject([{ parts: [part] }, { parts: [part] }]);
    }
  });

test("of a core action", async () => {
  for (const _ of [1, 2, 3]) {
    const { body } = await app.call("GET", "/api/notes?populate[author][populate]=badge&populate[parts][populate]=*");
    expect(body.data).toMatchObject([
      { author: changed, parts: [part] },
      { author: changed, parts: [part] },
    ]);
  }
});
