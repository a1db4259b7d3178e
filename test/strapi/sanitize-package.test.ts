/** `sanitize` and `validate` of `@strapi/utils`, as actions call them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, relation, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const FILTERS =
  "{ secret: 1, title: { $eq: 'a', $no: 1 }, author: { name: 'x', no: 1 }, $and: [{ secret: 1 }, { title: 'b' }] }";
const KEPT = { title: { $eq: "a" }, author: { name: "x" }, $and: [{ title: "b" }] };
const refusal = (key: string, more = {}) => ({ message: `Invalid key ${key}`, details: { key, ...more } });

/** By expression of an action. */
const cases: Readonly<Record<string, Body>> = {
  [`sanitizers.defaultSanitizeFilters(own, ${FILTERS})`]: KEPT,
  [`sanitizers.defaultSanitizeFilters(own)(${FILTERS})`]: KEPT,
  "sanitizers.defaultSanitizeSort(own, ['title:desc', 'secret', 'author.name:asc', 'author', 'no'])": [
    "title:desc",
    "author.name:asc",
  ],
  // Strapi's own, which skips what follows a removed name
  "sanitizers.defaultSanitizeFields(own, ['secret', 'title'])": ["title"],
  "sanitizers.defaultSanitizePopulate(own, '*')": { author: true },
  "sanitizers.defaultSanitizeOutput(own, { title: 'a', secret: 's' })": { title: "a" },
  "api.query({ sort: 'secret,title', fields: ['title', 'secret'], populate: 'author', foo: 1 }, own.schema, { auth })":
    {
      sort: "title",
      fields: ["title"],
      foo: 1,
    },
  "api.filters([{ secret: 1 }, { title: 'a' }], own.schema)": [{}, { title: "a" }],
  "api.output([{ title: 'a', secret: 's', author: { name: 'x' } }], own.schema, { auth })": [{ title: "a" }],
  "api.input({ id: 1, title: 'a', more: 1 }, own.schema)": { title: "a", more: 1 },
  "strapi.contentAPI.sanitize.sort('title,secret', own.schema)": "title",
  "validators.defaultValidateFilters(own, { title: 'a' })": { title: "a" },
  "validators.validateSort(own, 'title', ['private'])": "title",
  "validators.defaultValidateSort(own, 'secret')": refusal("secret", { path: "secret" }),
  "checks.filters({ no: 1 }, own.schema)": refusal("no", { path: null, source: "query", param: "filters" }),
  "checks.input({ no: 1 }, own.schema)": refusal("no", { source: "body" }),
};
const sources = Object.keys(cases);

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::note.note.*"] } }),
    ...serviceFile("note"),
    ...typeFile("note", {
      title: { type: "string" },
      secret: { type: "string", private: true },
      author: relation("manyToOne", "author"),
    }),
    ...typeFile("author", { name: { type: "string" } }),
    "src/api/note/controllers/note.js": `
      const { sanitize, validate } = require("@strapi/utils");
      const { sanitizers } = sanitize, { validators } = validate;
      const getModel = (uid) => strapi.getModel(uid);
      const api = sanitize.createAPISanitizers({ getModel }), checks = validate.createAPIValidators({ getModel });
      module.exports = ({ strapi }) => ({ ${sources
        .map((source, at) => {
          const own = `const auth = ctx.state.auth, own = { schema: strapi.contentType("api::note.note"), getModel };`;
          return `case${at}: async (ctx) => { ${own} return { left: await ${source} }; }`;
        })
        .join(",\n")} });`,
    "src/api/note/routes/note.js": `module.exports = { routes: ${JSON.stringify(
      sources.map((_, at) => ({ method: "GET", path: `/case-${at}`, handler: `note.case${at}` })),
    )} };`,
  });
});
afterAll(() => app.close());

for (const [at, source] of sources.entries()) {
  test(source, async () => {
    const { body } = await app.call("GET", `/api/case-${at}`, undefined, {});
    const expected = cases[source]!;
    if (typeof expected === "object" && "message" in expected) expect(body.error).toMatchObject(expected);
    else expect(body.left).toEqual(expected);
    if (source.startsWith("validators") && body.error) expect(body.error.details.source).toBeUndefined();
  });
}
