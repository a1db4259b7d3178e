/** Arguments of GraphQL queries, as resolvers of a project convert them. The results are those of Strapi's plugin. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, componentFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
let note: Body;
let mappers: Body;
let builders: Body;

beforeAll(async () => {
  app = await testApp({
    ...typeFile("note", {
      title: { type: "string", unique: true },
      n: { type: "integer" },
      cover: { type: "media" },
      part: { type: "component", component: "a.part" },
      zone: { type: "dynamiczone", components: ["a.part"] },
      parents: relation("oneToMany", "note"),
    }),
    ...componentFile("a.part", { text: { type: "string" } }),
    "config/plugins.js": "module.exports = { graphql: { config: { defaultLimit: 7, maxLimit: 50 } } };",
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
  });
  const { ownCode } = globalThis as unknown as { ownCode: Body };
  const plugin = ownCode.plugin("graphql");
  note = ownCode.contentType("api::note.note");
  ({ mappers } = plugin.service("utils"));
  builders = plugin.service("builders");
});
afterAll(() => app.close());

const filters: readonly (readonly [name: string, given: unknown, expected: unknown])[] = [
  ["nothing", null, {}],
  ["operators", { title: { not: { contains: "a" }, in: ["x"] } }, { title: { $not: { $contains: "a" }, $in: ["x"] } }],
  ["ids", { id: { eq: 1 }, documentId: { eq: "d" } }, { id: { $eq: 1 }, documentId: { $eq: "d" } }],
  [
    "junctions",
    { and: [{ n: { gt: 1 } }, { or: [{ title: { null: true } }] }], not: { n: { between: [1, 2] } } },
    { $and: [{ n: { $gt: 1 } }, { $or: [{ title: { $null: true } }] }], $not: { n: { $between: [1, 2] } } },
  ],
  [
    "relations",
    { parents: { title: { eq: "p" }, and: [{ none: 1 }] } },
    { parents: { title: { $eq: "p" }, $and: [{}] } },
  ],
  [
    "components and files",
    { part: { text: { eq: "t" }, none: 1 }, cover: { name: { eqi: "c" } } },
    { part: { text: { $eq: "t" } }, cover: { name: { $eqi: "c" } } },
  ],
  ["times", { createdAt: { lt: new Date(0) } }, { createdAt: { $lt: new Date(0) } }],
  ["zones and unknown keys", { zone: { text: 1 }, none: { eq: 1 } }, {}],
  ["lists", [{ n: { eq: 1 } }], [{ n: { $eq: 1 } }]],
];

test.each(filters)("filters: %s", (_, given, expected) => {
  expect(mappers.graphQLFiltersToStrapiQuery(given, note)).toEqual(expected);
});

const transformed: readonly (readonly [name: string, given: object, expected: object])[] = [
  ["the default limit", {}, { start: 0, limit: 7 }],
  [
    "pages, filters and a status",
    { pagination: { page: 2, pageSize: 3 }, filters: { n: { eq: 1 } }, status: "DRAFT" },
    { start: 3, limit: 3, filters: { n: { $eq: 1 } }, status: "DRAFT" },
  ],
  ["an empty sort, which is left out", { sort: [], filters: {} }, { start: 0, limit: 7, filters: {} }],
  [
    "no limit, which is the highest one",
    { pagination: { start: 1, limit: -1 }, sort: ["title:asc"] },
    { start: 1, limit: 50, sort: ["title:asc"] },
  ],
  ["too high a limit", { pagination: { limit: 500 } }, { start: 0, limit: 50 }],
];

test.each(transformed)("arguments: %s", (_, given, expected) => {
  const { transformArgs } = builders.utils;
  expect(transformArgs(given, { contentType: note, usePagination: true })).toEqual(expected);
  const { start, limit, ...others } = expected as Body;
  expect(transformArgs(given, { contentType: note })).toEqual(others);
});

test("arguments have pages or offsets", () => {
  const both = { pagination: { page: 1, start: 1 } };
  expect(() => builders.utils.transformArgs(both, { contentType: note, usePagination: true })).toThrow(
    "Cannot use both page & offset pagination in the same query",
  );
});

test("attributes and operators have their names in GraphQL", () => {
  expect(["string", "json", "biginteger", "none"].map(mappers.strapiScalarToGraphQLScalar)).toEqual([
    "String",
    "JSON",
    "Long",
    undefined,
  ]);
  expect(Object.keys(builders.utils.getUniqueScalarAttributes(note.attributes))).toEqual(["title"]);
  expect(builders.utils.scalarAttributesToFiltersMap({ n: note.attributes.n })).toEqual({ n: "IntFilterInput" });
  expect(builders.filters.operators.notIn).toEqual({ fieldName: "notIn", strapiOperator: "$notIn" });
  expect(mappers.entitiesToResponseEntities([{ id: 1, a: 2 }])).toEqual([{ id: 1, attributes: { id: 1, a: 2 } }]);
});
