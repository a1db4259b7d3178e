/** Reads that a project's own code takes part in have the limits of their request: a few entries may lead to millions through relations. */
import { afterAll, describe, expect, test } from "bun:test";
import { configFile, relation, testApp, typeFile } from "../project.ts";

const ENTRIES = 12;
/** Tags of notes of tags …: 12⁶ documents. */
const NESTED = "populate[tags][populate][notes][populate][tags][populate][notes][populate][tags]=true";
const factories = 'require("@strapi/strapi").factories';

const inverse = (target: string, by: Record<string, string>) => ({ ...relation("manyToMany", target), ...by });
const types = {
  ...typeFile("note", { text: { type: "string" }, tags: inverse("tag", { inversedBy: "notes" }) }),
  ...typeFile("tag", { name: { type: "string" }, notes: inverse("note", { mappedBy: "tags" }) }),
};

const core = (name: string, body = ""): Record<string, string> => ({
  [`src/api/${name}/routes/${name}.js`]: `module.exports = ${factories}.createCoreRouter("api::${name}.${name}");`,
  [`src/api/${name}/controllers/${name}.js`]: `module.exports = ${factories}.createCoreController("api::${name}.${name}", ({ strapi }) => ({ ${body} }));`,
  [`src/api/${name}/services/${name}.js`]: `module.exports = ${factories}.createCoreService("api::${name}.${name}");`,
});
const reads = (read: string, sanitized = "this.sanitizeQuery(ctx)") => ({
  ...core("tag"),
  ...core("note", `async find(ctx) { const query = await ${sanitized}; return { data: await (${read}) }; },`),
});

const projects: Readonly<Record<string, Record<string, string>>> = {
  "hooks of reads": {
    "src/index.js":
      "module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ beforeFindMany() {}, beforeFindOne() {} }); } };",
  },
  "middlewares of documents": {
    "src/index.js": "module.exports = { register({ strapi }) { strapi.documents.use((context, next) => next()); } };",
  },
  "a service": reads('strapi.service("api::note.note").find(query)'),
  "what contentAPI sanitizes": reads(
    'strapi.documents("api::note.note").findMany(query)',
    'strapi.contentAPI.sanitize.query(ctx.query, strapi.contentType("api::note.note"), { auth: ctx.state.auth })',
  ),
  "documents, with a copy of the query": reads(
    'strapi.documents("api::note.note").findMany(require("lodash").cloneDeep({ ...query, limit: 10 }))',
  ),
};

for (const [name, files] of Object.entries(projects)) {
  describe(name, async () => {
    const actions = ["api::note.note.find", "api::tag.tag.find"];
    const app = await testApp({ ...configFile({ roles: { public: actions } }), ...types, ...files });
    afterAll(() => app.close());
    for (let at = 0; at < ENTRIES; at++) await app.documents("api::tag.tag").create({ data: { name: `tag ${at}` } });
    const tags = Array.from({ length: ENTRIES }, (_, at) => at + 1);
    for (const at of tags) await app.documents("api::note.note").create({ data: { text: `note ${at}`, tags } });

    test("a request for too much is refused", async () => {
      const { status, body } = await app.call("GET", `/api/notes?${NESTED}`, undefined, {});
      expect([status, body.error.message]).toEqual([400, expect.stringContaining("exceeds its limit")]);
    });

    test("others are answered", async () => {
      const { status, body } = await app.call("GET", "/api/notes?populate=tags", undefined, {});
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain("tag 11");
    });
  });
}
