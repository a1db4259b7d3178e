/** What the content-type builder refuses, and what it writes, as Strapi's builder does. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attributeShape, relationNames, typeNames } from "../../src/admin/builder/attribute-shapes.ts";
import { attributeTypes } from "../../src/admin/builder/change-routes.ts";
import { type Body, projectFolder, type TestApp } from "../project.ts";
import { adminTokenFile, openAsAdmin } from "./admin-token.ts";

const TYPES = "/content-type-builder/content-types";
const COMPONENTS = "/content-type-builder/components";
const BOAT = "src/api/boat/content-types/boat/schema.json";
const folder = projectFolder({
  [BOAT]: JSON.stringify({
    kind: "collectionType",
    collectionName: "boats",
    info: { singularName: "boat", pluralName: "boats", displayName: "Boat", description: "floats" },
    options: { draftAndPublish: true, comment: "old", privateAttributes: ["secret"] },
    attributes: { name: { type: "string" }, secret: { type: "string" } },
  }),
  "src/api/raft/content-types/raft/schema.json": JSON.stringify({
    kind: "collectionType",
    collectionName: "rafts",
    info: { singularName: "raft", pluralName: "rafts", displayName: "Raft" },
    attributes: { status: { type: "string" } },
  }),
  ...adminTokenFile,
});

let admin: TestApp["call"];
const written = (file: string): Body => JSON.parse(readFileSync(join(folder.root, file), "utf8"));
const names = { displayName: "Kite", singularName: "kite", pluralName: "kites", kind: "collectionType" };
const kite = (attributes: Body, more: Body = {}) => ({ contentType: { ...names, ...more, attributes } });
/** The messages of a refused request. */
const refusal = async (path: string, body: Body): Promise<string[]> => {
  const response = await admin("POST", path, body);
  expect(response.status).toBe(400);
  return response.body.error.details.errors.map(({ message }: Body) => message);
};

openAsAdmin(
  folder,
  (opened) => {
    ({ admin } = opened);
  },
  { memory: false },
);

test.each([
  [
    "a default of a uid matches its pattern",
    { a: { type: "uid", regex: "^x", default: "a" } },
    [/^contentType\.attributes\.a\.default must match the custom regex/],
  ],
  [
    "no target of a uid is none of the attributes",
    { a: { type: "uid", targetField: null } },
    [/targetField must be one of the following values: $/],
  ],
  [
    "a replacement is a pair",
    { a: { type: "uid", options: { customReplacements: [["x"]] } } },
    [/customReplacements\[0\] field must have at least 2 items/],
  ],
  [
    "a reserved name with underscores is compared without them",
    { __component: { type: "string" } },
    [/^Attribute name '__component' must match/],
  ],
])("%s", async (_name, attributes, expected) => {
  const messages = await refusal(TYPES, kite(attributes));
  expect(messages).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(messages[index]).toMatch(pattern);
});

test("a kind of null is refused", async () => {
  expect(await refusal(TYPES, kite({ a: { type: "string" } }, { kind: null }))).toEqual([
    "contentType.kind must be one of the following values: singleType, collectionType",
  ]);
});

test("unknown keys of components are refused, also of those in the request of a type", async () => {
  const component = { displayName: "Tail", category: "kite", icon: "x", attributes: { a: { type: "string" } } };
  expect(await refusal(COMPONENTS, { component: { ...component, kind: "x", foo: 1 } })).toEqual([
    "component field has unspecified keys: kind, foo",
  ]);
  const components = [{ ...component, tmpUID: "tmp", foo: 1 }];
  expect(await refusal(TYPES, { ...kite({ a: { type: "string" } }), components })).toEqual([
    "components[0] field has unspecified keys: foo",
  ]);
});

test("unknown keys beside a definition are refused", async () => {
  const expected = ["this field has unspecified keys: renames"];
  const component = { displayName: "Tail", category: "kite", icon: "x", attributes: { a: { type: "string" } } };
  expect(await refusal(TYPES, { ...kite({ a: { type: "string" } }), renames: {} })).toEqual(expected);
  expect(await refusal(COMPONENTS, { component, renames: {} })).toEqual(expected);
});

test("options are those of the request, but nothing that is not mentioned is published; a description can be emptied", async () => {
  const contentType = { ...names, singularName: "boat", pluralName: "boats", displayName: "Boat", description: "" };
  const attributes = { name: { type: "string", private: false, configurable: null }, secret: { type: "string" } };
  const { status } = await admin("PUT", `${TYPES}/api::boat.boat`, { contentType: { ...contentType, attributes } });
  expect(status).toBe(201);
  const { info, options, attributes: stored } = written(BOAT);
  expect(info.description).toBe("");
  expect(options).toEqual({ draftAndPublish: true, privateAttributes: ["secret"] });
  expect(stored.name).toEqual({ type: "string" });
});

test("a type has drafts by its own key, not by one of its options", async () => {
  const options = { draftAndPublish: true, comment: "new" };
  expect((await admin("POST", TYPES, kite({ a: { type: "string" } }, { options }))).status).toBe(201);
  const KITE = "src/api/kite/content-types/kite/schema.json";
  expect(written(KITE).options).toEqual({ comment: "new" });
  const change = kite({ a: { type: "string" } }, { draftAndPublish: true, options: { draftAndPublish: false } });
  expect((await admin("PUT", `${TYPES}/api::kite.kite`, change)).status).toBe(201);
  expect(written(KITE).options).toEqual({ draftAndPublish: true });
  expect((await admin("DELETE", `${TYPES}/api::kite.kite`)).status).toBe(200);
});

test("a type whose file has a reserved name keeps it", async () => {
  const contentType = { displayName: "Raft", singularName: "raft", pluralName: "rafts", kind: "collectionType" };
  const attributes = { status: { type: "string" }, name: { type: "string" } };
  expect((await admin("PUT", `${TYPES}/api::raft.raft`, { contentType: { ...contentType, attributes } })).status).toBe(
    201,
  );
  const more = { ...attributes, locale: { type: "string" } };
  expect(
    (await admin("PUT", `${TYPES}/api::raft.raft`, { contentType: { ...contentType, attributes: more } })).status,
  ).toBe(400);
});

test("keys of attributes keep their order", async () => {
  const a = { type: "enumeration", private: true, enum: ["x"], default: "x", enumName: "Letters" };
  const { status } = await admin("POST", TYPES, kite({ a }));
  expect(status).toBe(201);
  const contentType = { ...names, displayName: "Kite 2", attributes: { a } };
  expect((await admin("PUT", `${TYPES}/api::kite.kite`, { contentType })).status).toBe(201);
  const { attributes } = written("src/api/kite/content-types/kite/schema.json");
  expect(Object.entries(attributes.a)).toEqual(Object.entries(a));
});

test.each([
  ["Gallery", "galleries"],
  ["Address", "addresses"],
  ["Price list", "price_lists"],
])("the table of the component %s is named after %s", async (displayName, plural) => {
  const component = { displayName, category: "parts", icon: "x", attributes: { a: { type: "string" } } };
  const { body } = await admin("POST", COMPONENTS, { component });
  const [category, name] = body.data.uid.split(".");
  expect(written(`src/components/${category}/${name}.json`).collectionName).toBe(`components_parts_${plural}`);
});

test("schema files know every option that the content-type builder accepts", () => {
  const files = attributeTypes();
  const optionsOf = new Map(files.types.map(({ type, options }) => [type, Object.keys(options)]));
  const rules = { types: typeNames.contentType, relations: relationNames.collectionType, targets: [], known: [] };
  // `targetAttribute` becomes `inversedBy` or `mappedBy`
  const further = ["type", "pluginOptions", "conditions", "targetAttribute"];
  for (const type of typeNames.contentType) {
    const { fields = {} } = attributeShape("name", { type, relation: "oneToOne" }, {}, rules);
    const known = [...further, ...Object.keys(files.common), ...(optionsOf.get(type) ?? [])];
    expect([type, Object.keys(fields).filter((option) => !known.includes(option))]).toEqual([type, []]);
  }
});
