/** `traverse` of `@strapi/utils` and its visitors: what is visited, and what is left, as the reference has it. */
import { describe, expect, test } from "bun:test";
import { utilsPackage } from "../../src/project-code/packages/utils/index.ts";
import type { Body } from "../project.ts";

// as code sees it: without types
const { traverse, traverseEntity, sanitize, validate } = utilsPackage as Body;

const relation = (target: string) => ({ type: "relation", relation: "manyToOne", target });
const models: Body = {
  page: {
    modelType: "contentType",
    attributes: {
      title: { type: "string" },
      secret: { type: "string", private: true },
      word: { type: "password" },
      owner: relation("owner"),
      parent: relation("page"),
      morph: { type: "relation", relation: "morphToMany" },
      seo: { type: "component", component: "seo" },
      zone: { type: "dynamiczone", components: ["seo"] },
      filters: { type: "component", component: "seo" },
    },
  },
  owner: { modelType: "contentType", attributes: { name: { type: "string" }, secret: { type: "string" } } },
  seo: { modelType: "component", attributes: { text: { type: "string" }, owner: relation("owner") } },
};
const options = { schema: models.page, getModel: (uid: string) => models[uid] };

type Visitor = (visited: Body, tools: Body) => unknown;
const withoutSecrets: Visitor = ({ key }, { remove }) => key === "secret" && remove(key);
const log = () => {
  const seen: unknown[] = [];
  const visitor: Visitor = ({ key, path, parent }) => {
    seen.push([key, path.raw, path.attribute, parent?.key]);
  };
  return { seen, visitor };
};

const visits: readonly [walk: string, given: unknown, seen: unknown][] = [
  [
    "traverseQueryFilters",
    { $and: [{ title: { $eq: 1 } }, { owner: { name: "x" } }] },
    [
      ["$and", "$and", null, undefined],
      ["title", "$and[0].title", "title", "$and"],
      ["owner", "$and[1].owner", "owner", "$and"],
      ["$eq", "$and[0].title.$eq", "title", "title"],
      ["name", "$and[1].owner.name", "owner.name", "owner"],
    ],
  ],
  [
    "traverseQueryFilters",
    { title: { $null: { any: 1 } } },
    [
      ["title", "title", "title", undefined],
      ["$null", "title.$null", "title", "title"],
    ],
  ],
  [
    "traverseQuerySort",
    "owner.name:desc",
    [
      ["owner", "owner", "owner", undefined],
      ["name", "owner.name", "owner.name", "owner"],
    ],
  ],
  [
    "traverseQueryFields",
    ["title", "no"],
    [
      ["title", "title", "title", undefined],
      ["no", "no", null, undefined],
    ],
  ],
  [
    "traverseQueryPopulate",
    { zone: { on: { seo: { populate: "*" } } }, filters: { filters: { text: 1 } } },
    [
      ["zone", "zone", "zone", undefined],
      ["on", "zone.on", "zone", "zone"],
      ["populate", "zone.on[seo].populate", "zone", "zone"],
      ["", "zone.on[seo].populate.", "zone", "populate"],
      ["filters", "filters", "filters", undefined],
      ["filters", "filters.filters", "filters", "filters"],
    ],
  ],
];

const left: readonly [walk: string, given: unknown, left: unknown][] = [
  ["traverseQueryFilters", { $or: [{ secret: 1 }, { title: 2 }] }, { $or: [{ title: 2 }] }],
  ["traverseQueryFilters", [{ secret: 1 }, { title: 2 }], [{ title: 2 }]],
  ["traverseQueryFilters", { parent: { owner: { secret: 1, name: 2 } } }, { parent: { owner: { name: 2 } } }],
  ["traverseQuerySort", "secret,title:desc", "title:desc"],
  ["traverseQuerySort", ["secret", "owner.secret", "title"], ["owner", "title"]],
  ["traverseQuerySort", [{ secret: "asc" }, { title: "asc" }], [{ title: "asc" }]],
  ["traverseQuerySort", { owner: { secret: "asc", name: "asc" } }, { owner: { name: "asc" } }],
  ["traverseQueryFields", "title,secret", ["title", undefined]],
  ["traverseQueryFields", "*", "*"],
  ["traverseQueryPopulate", ["owner", "parent.owner"], ["owner", "parent.owner"]],
  ["traverseQueryPopulate", "parent.secret", undefined],
  [
    "traverseQueryPopulate",
    { zone: { on: { seo: { populate: { secret: true } } } } },
    { zone: { on: { seo: { populate: {} } } } },
  ],
  ["traverseQueryPopulate", true, true],
];

describe("traverse", () => {
  for (const [walk, given, seen] of visits) {
    test(`${walk} visits ${JSON.stringify(given)}`, async () => {
      const { seen: own, visitor } = log();
      await traverse[walk](visitor, options, given);
      expect(own.map(String).sort()).toEqual((seen as unknown[]).map(String).sort());
    });
  }
  for (const [walk, given, rest] of left) {
    test(`${walk} leaves of ${JSON.stringify(given)}`, async () => {
      expect(await traverse[walk](withoutSecrets)(options)(given)).toEqual(rest);
    });
  }

  test("replaces values", async () => {
    const visitor: Visitor = ({ value }, { set, key = "" }) => value === "*" && set(key, { owner: true });
    expect(await traverse.traverseQueryPopulate(visitor, options, "*")).toEqual({ owner: true });
    const named: Visitor = ({ key }, { set }) => key === "title" && set(key, 1);
    expect(await traverse.traverseQueryFilters(named, options, { title: "x" })).toEqual({ title: 1 });
  });
});

const auth = { ability: { can: (action: string) => action === "owner.find" } };
const entity = {
  id: 1,
  title: "t",
  secret: "s",
  word: "w",
  more: 1,
  owner: { id: 2, name: "n", more: 1 },
  parent: { id: 3 },
  zone: [{ __component: "seo", text: "x", more: 1 }],
  morph: [
    { __type: "owner", id: 1 },
    { __type: "page", id: 2 },
  ],
};

describe("visitors", () => {
  const { visitors } = sanitize;
  const cases: Body = {
    removePassword: [visitors.removePassword, { word: undefined }],
    removePrivate: [visitors.removePrivate, { secret: undefined }],
    removeDynamicZones: [visitors.removeDynamicZones, { zone: undefined }],
    removeMorphToRelations: [visitors.removeMorphToRelations, { morph: undefined }],
    removeRestrictedRelations: [
      visitors.removeRestrictedRelations(auth),
      { parent: undefined, morph: [{ __type: "owner", id: 1 }] },
    ],
    removeRestrictedFields: [
      visitors.removeRestrictedFields(["title", "owner.name"]),
      { title: undefined, owner: { id: 2, more: 1 } },
    ],
    removeUnrecognizedFields: [
      visitors.removeUnrecognizedFields,
      { more: undefined, owner: { id: 2, name: "n" }, zone: [{ __component: "seo", text: "x" }] },
    ],
  };
  for (const [name, [visitor, changed]] of Object.entries<Body>(cases)) {
    test(name, async () => {
      expect(await traverseEntity(visitor, options, entity)).toEqual({ ...entity, ...changed });
    });
  }

  test("of validate refuse what those of sanitize remove", async () => {
    const refused = (visitor: unknown, given: unknown = entity) => traverseEntity(visitor, options, given);
    await expect(refused(validate.visitors.throwPrivate)).rejects.toMatchObject({
      name: "ValidationError",
      message: "Invalid key secret",
      details: { key: "secret", path: "secret" },
    });
    await expect(refused(validate.visitors.throwRestrictedFields(["owner.name"]))).rejects.toThrow(
      "Invalid key name at owner.name",
    );
    await expect(refused(validate.visitors.throwUnrecognizedFields)).rejects.toThrow("Invalid key more");
    expect(await refused(validate.visitors.throwPassword, { title: "t" })).toEqual({ title: "t" });
  });

  test("refuse lists that are none", async () => {
    for (const visitor of [visitors.removeRestrictedFields([1]), visitors.removeDisallowedFields("x")])
      await expect(traverseEntity(visitor, options, entity)).rejects.toThrow("Expected array of strings");
  });
});

test("what goes out of an entity has no passwords and nothing private", async () => {
  const { secret: _, word: __, ...rest } = entity;
  expect(await sanitize.sanitizers.defaultSanitizeOutput(options)(entity)).toEqual(rest);
  await expect(sanitize.sanitizers.defaultSanitizeOutput({}, entity)).rejects.toThrow("Missing schema");
});
