/** `this.sanitizeQuery` and `strapi.contentAPI.sanitize.query`: what is left of parameters, as Strapi leaves it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  type Body,
  componentFile,
  configFile,
  relation,
  serviceFile,
  type TestApp,
  testApp,
  typeFile,
} from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::note.note.sanitized", "api::author.author.find"] } }),
    ...typeFile("note", {
      title: { type: "string" },
      secret: { type: "string", private: true },
      author: relation("manyToOne", "author"),
      hidden: relation("manyToOne", "hidden"),
      zone: { type: "dynamiczone", components: ["block.part"] },
      parts: { type: "component", component: "block.part", repeatable: true },
    }),
    ...typeFile("author", { name: { type: "string" } }),
    ...typeFile("hidden", { name: { type: "string" } }),
    ...componentFile("block.part", {
      word: { type: "string" },
      author: relation("manyToOne", "author"),
      hidden: relation("manyToOne", "hidden"),
    }),
    // an action that no route leads to is nobody's
    ...serviceFile("author"),
    "src/api/author/controllers/author.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::author.author");`,
    "src/api/author/routes/author.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::author.author");`,
    "src/api/note/routes/note.js": `module.exports = { routes: [{ method: "GET", path: "/sanitized", handler: "note.sanitized" }] };`,
    "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", () => ({
      async sanitized(ctx) { ctx.body = { query: await this.sanitizeQuery(ctx) }; } }));`,
  });
});
afterAll(() => app.close());

const cases: Readonly<Record<string, Body>> = {
  // names that are no attributes are left to what checks them
  "populate=nothing": { populate: "nothing" },
  "populate[0]=nothing&populate[1]=author": { populate: ["nothing", "author"] },
  "populate[nothing]=true": { populate: { nothing: "true" } },
  "populate=author.nothing": { populate: "author.nothing" },
  "populate[author][populate]=x": { populate: { author: { populate: "x" } } },
  // what the caller may not see is not
  "populate=author,hidden": { populate: "author" },
  "populate[hidden]=true": { populate: {} },
  // the same paths as the check and the reader see
  "populate[0]=author,hidden": { populate: ["author"] },
  "populate=.hidden": {},
  "populate=zone.hidden": {},
  "populate=zone.author": { populate: "zone.author" },
  "populate=createdBy": {},
  "populate=*": { populate: { author: true, zone: true, parts: true } },
  "populate[parts][populate]=*": { populate: { parts: { populate: { author: true } } } },
  "populate[author][fields]=zzz": { populate: { author: {} } },
  "fields=title,secret": { fields: ["title"] },
  "fields=title": { fields: "title" },
  "fields[0]=title&fields[1]=secret": { fields: ["title"] },
  "sort=title:desc,nothing": { sort: "title:desc" },
  "sort=author,author.name,title": { sort: "author.name,title" },
  "sort[0]=secret&sort[1]=title": { sort: ["title"] },
  "sort[author][name]=asc&sort[author][nothing]=asc&sort[parts]=asc": { sort: { author: { name: "asc" } } },
  "fields=title,author,id": { fields: ["title", "id"] },
  "filters[$or][0][secret]=1&filters[$or][1][title]=a": { filters: { $or: [{ title: "a" }] } },
  "filters[nothing]=1": { filters: {} },
  "filters[title][$nothing]=1": { filters: {} },
  "filters[author][nothing]=1": { filters: {} },
  "filters[title][$nothing]=1&filters[title][$eq]=a": { filters: { title: { $eq: "a" } } },
  "populate[zone][on][block.part][populate]=*": {
    populate: { zone: { on: { "block.part": { populate: { author: true } } } } },
  },
  "locale=en&foo=bar&status=draft": { locale: "en", foo: "bar", status: "draft" },
};
for (const [query, left] of Object.entries(cases)) {
  test(query, async () => {
    const { body } = await app.call("GET", `/api/sanitized?${query}`, undefined, {});
    expect(body.query).toEqual(left);
  });
}
