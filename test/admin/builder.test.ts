/** Types are made, changed and removed through the content-type builder, and are served at once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import { type Body, configFile, createCall, projectFolder, type TestApp, typeFile } from "../project.ts";
import { until } from "../until.ts";

const KEY = "test-admin";
const folder = projectFolder({
  ...typeFile("note", { text: { type: "string" }, count: { type: "integer" } }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
});
const BUILDER = "/content-type-builder";
const contentOf = (uid: string): string => `/content-manager/collection-types/${uid}`;
const dog = {
  displayName: "Dog",
  singularName: "dog",
  pluralName: "dogs",
  kind: "collectionType",
  draftAndPublish: true,
  attributes: { name: { type: "string", required: true } },
};

let galley: Galley;
let admin: TestApp["call"];
const schemaOf = (name: string): Body =>
  JSON.parse(readFileSync(join(folder.root, `src/api/${name}/content-types/${name}/schema.json`), "utf8"));

beforeAll(async () => {
  galley = await createGalley({ project: folder.root, memory: false, admin: true, environment: {} });
  admin = createCall(galley, { authorization: `Bearer ${KEY}` });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

describe("content-types", () => {
  test("a new one takes documents at once", async () => {
    const made = await admin("POST", `${BUILDER}/content-types`, { contentType: dog, components: [] });
    expect(made).toEqual({ status: 201, body: { data: { uid: "api::dog.dog" } } });
    const document = await admin("POST", contentOf("api::dog.dog"), { name: "Rex" });
    expect(document.status).toBe(201);
    expect(document.body.data).toMatchObject({ name: "Rex", status: "draft" });
  });

  test("a changed one keeps its documents and its names", async () => {
    const attributes = { ...dog.attributes, age: { type: "integer" } };
    const contentType = { ...dog, singularName: "cat", displayName: "Hound", attributes };
    expect((await admin("PUT", `${BUILDER}/content-types/api::dog.dog`, { contentType })).status).toBe(201);
    const { body } = await admin("GET", contentOf("api::dog.dog"));
    expect(body.results).toMatchObject([{ name: "Rex", age: null }]);
    expect(schemaOf("dog").info).toEqual({ singularName: "dog", pluralName: "dogs", displayName: "Hound" });
  });

  test.each([
    [{ singularName: "session", pluralName: "seances" }, ["session"]],
    [{ singularName: "kennel", pluralName: "admin-users" }, ["admin-users"]],
    // the table has the name, too
    [{ singularName: "kennel", pluralName: "dogs" }, ["dogs", "dogs"]],
  ])("names of other types are refused: %o", async (names, taken) => {
    const contentType = { ...dog, ...names };
    const { status, body } = await admin("POST", `${BUILDER}/content-types`, { contentType });
    expect(status).toBe(400);
    expect(body.error.details.errors.map(({ value }: Body) => value)).toEqual(taken);
  });

  test("a plugin's type is changed in the file that extends it", async () => {
    const uid = "plugin::i18n.locale";
    const file = "src/extensions/i18n/content-types/locale/schema.json";
    const contentType = { ...dog, attributes: { note: { type: "string" } } };
    expect((await admin("PUT", `${BUILDER}/content-types/${uid}`, { contentType })).status).toBe(201);
    expect(readdirSync(folder.root).filter((name) => name.includes("plugin"))).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder.root, file), "utf8")).attributes.note).toEqual({ type: "string" });
  });

  test("options of uids are checked, and an empty default of an email is none", async () => {
    const attributes = {
      mail: { type: "email", default: "" },
      slug: { type: "uid", options: null },
      path: { type: "uid", options: { separator: 5, lowercase: true } },
    };
    const { body } = await admin("POST", `${BUILDER}/content-types`, {
      contentType: { ...dog, singularName: "kennel", pluralName: "kennels", attributes },
    });
    expect(body.error.details.errors.map(({ path }: Body) => path.join("."))).toEqual([
      "contentType.attributes.slug.options",
      "contentType.attributes.path.options.separator",
    ]);
  });

  test.each(["constructor", "__defineGetter__", "toString"])("%s is no type of attribute", async (type) => {
    const names = { singularName: "kennel", pluralName: "kennels" };
    const contentType = { ...dog, ...names, attributes: { name: { type } } };
    const { status, body } = await admin("POST", `${BUILDER}/content-types`, { contentType });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining("one of the following values")]);
  });

  test("a relation to administrators has no other side", async () => {
    const owner = { type: "relation", relation: "oneToOne", target: "admin::user", targetAttribute: "kennel" };
    const { body } = await admin("POST", `${BUILDER}/content-types`, {
      contentType: { ...dog, singularName: "kennel", pluralName: "kennels", attributes: { owner } },
    });
    expect(body.error.message).toBe("must be one of the following values: oneToOne, oneToMany");
  });

  test("attributes that are not configurable stay as they are", async () => {
    const path = `${BUILDER}/content-types/plugin::users-permissions.user`;
    const before = (await admin("GET", path)).body.data.schema;
    const attributes = { nick: { type: "string" }, provider: { type: "integer" } };
    const contentType = { ...dog, singularName: "user", pluralName: "users", draftAndPublish: false, attributes };
    expect((await admin("PUT", path, { contentType })).status).toBe(201);
    const after = (await admin("GET", path)).body.data.schema;
    expect(after.attributes).toEqual({ ...before.attributes, nick: { type: "string" } });
  });

  test("a relation has its other side in the target, which goes with it", async () => {
    const owner = { type: "relation", relation: "manyToOne", target: "api::note.note", targetAttribute: "dogs" };
    const withOwner = { ...dog, attributes: { ...dog.attributes, note: owner } };
    expect((await admin("PUT", `${BUILDER}/content-types/api::dog.dog`, { contentType: withOwner })).status).toBe(201);
    const other = { type: "relation", relation: "oneToMany", target: "api::dog.dog", mappedBy: "note" };
    expect(schemaOf("note").attributes.dogs).toEqual(other);
    expect(schemaOf("dog").attributes.note.inversedBy).toBe("dogs");
    expect((await admin("PUT", `${BUILDER}/content-types/api::dog.dog`, { contentType: dog })).status).toBe(201);
    expect(schemaOf("note").attributes.dogs).toBeUndefined();
  });

  test("one that was removed without documents counts them from one when it is made again", async () => {
    const bird = { ...dog, displayName: "Bird", singularName: "bird", pluralName: "birds", draftAndPublish: false };
    const [uid, path] = ["api::bird.bird", contentOf("api::bird.bird")];
    const make = () => admin("POST", `${BUILDER}/content-types`, { contentType: bird, components: [] });
    const remove = () => admin("DELETE", `${BUILDER}/content-types/${uid}`);
    await make();
    const first = (await admin("POST", path, { name: "Robin" })).body.data;
    await admin("DELETE", `${path}/${first.documentId}`);
    await remove();
    await make();
    expect((await admin("POST", path, { name: "Wren" })).body.data.id).toBe(1);
    await remove();
    await make();
    // what is left is kept, and never gets the id of another
    expect((await admin("POST", path, { name: "Finch" })).body.data.id).toBe(2);
    expect((await admin("GET", path)).body.pagination.total).toBe(2);
    await remove();
  });

  test("one that is made again has the configuration of a new one", async () => {
    const bird = { ...dog, displayName: "Bird", singularName: "bird", pluralName: "birds" };
    const path = "/content-manager/content-types/api::bird.bird/configuration";
    const pageSize = async () => (await admin("GET", path)).body.data.contentType.settings.pageSize;
    const make = () => admin("POST", `${BUILDER}/content-types`, { contentType: bird });
    await make();
    const { settings } = (await admin("GET", path)).body.data.contentType;
    await admin("PUT", path, { settings: { ...settings, pageSize: 50 } });
    expect(await pageSize()).toBe(50);
    await admin("DELETE", `${BUILDER}/content-types/api::bird.bird`);
    await make();
    expect(await pageSize()).toBe(10);
    await admin("DELETE", `${BUILDER}/content-types/api::bird.bird`);
  });

  test.each([
    ["a taken name", { ...dog }, "already being used"],
    ["no names", {}, "errors occurred"],
    [
      "an unknown attribute type",
      { ...dog, singularName: "cow", pluralName: "cows", attributes: { a: { type: "no" } } },
      "no",
    ],
    [
      "a reserved attribute",
      { ...dog, singularName: "cow", pluralName: "cows", attributes: { createdAt: { type: "string" } } },
      "cannot be one of",
    ],
    ["a name that leads out of the folder", { ...dog, singularName: "../cow", pluralName: "cows" }, "kebab"],
    [
      "a name too long for a folder",
      { ...dog, singularName: "c".repeat(300), pluralName: "cows" },
      "too long for a file",
    ],
    [
      "an unknown component",
      { ...dog, singularName: "cow", pluralName: "cows", attributes: { a: { type: "component", component: "no.no" } } },
      "component.notFound",
    ],
  ])("%s is refused and writes nothing", async (_, contentType, message) => {
    const { status, body } = await admin("POST", `${BUILDER}/content-types`, { contentType });
    expect(status).toBe(400);
    expect(JSON.stringify(body.error)).toContain(message);
    expect(existsSync(join(folder.root, "src/api/cow"))).toBe(false);
    expect((await admin("GET", contentOf("api::dog.dog"))).status).toBe(200);
  });

  test("a removed one is gone, and comes back with its documents", async () => {
    expect((await admin("DELETE", `${BUILDER}/content-types/api::dog.dog`)).status).toBe(200);
    expect(existsSync(join(folder.root, "src/api/dog"))).toBe(false);
    expect((await admin("GET", contentOf("api::dog.dog"))).status).toBe(403);
    await admin("POST", `${BUILDER}/content-types`, { contentType: dog });
    expect((await admin("GET", contentOf("api::dog.dog"))).body.pagination.total).toBe(1);
  });
});

describe("components", () => {
  const component = { category: "page-parts", displayName: "Hero Box", attributes: { title: { type: "string" } } };

  test("one without a category is refused", async () => {
    const { body } = await admin("POST", `${BUILDER}/components`, { component: { ...component, category: null } });
    expect(body.error.message).toBe("category.required");
  });

  test("are made, used, moved and removed", async () => {
    const made = await admin("POST", `${BUILDER}/components`, { component });
    expect(made).toEqual({ status: 201, body: { data: { uid: "page-parts.hero-box" } } });
    expect((await admin("POST", `${BUILDER}/components`, { component })).body).toEqual({
      error: "component.alreadyExists",
    });
    const attributes = { ...dog.attributes, hero: { type: "component", component: "page-parts.hero-box" } };
    await admin("PUT", `${BUILDER}/content-types/api::dog.dog`, { contentType: { ...dog, attributes } });
    const moved = await admin("PUT", `${BUILDER}/components/page-parts.hero-box`, {
      component: { ...component, category: "blocks" },
    });
    expect(moved.body).toEqual({ data: { uid: "blocks.hero-box" } });
    expect(schemaOf("dog").attributes.hero.component).toBe("blocks.hero-box");
    // the request calls it by its name until then
    const again = { type: "component", component: "blocks.hero-box" };
    const nested = { ...component, category: "parts", attributes: { ...component.attributes, again } };
    const movedAgain = await admin("PUT", `${BUILDER}/components/blocks.hero-box`, { component: nested });
    expect(movedAgain.body).toEqual({ data: { uid: "parts.hero-box" } });
    const { data } = (await admin("GET", `${BUILDER}/components/parts.hero-box`)).body;
    expect(data.schema.attributes.again.component).toBe("parts.hero-box");
    await admin("PUT", `${BUILDER}/components/parts.hero-box`, { component: { ...component, category: "blocks" } });
    expect((await admin("DELETE", `${BUILDER}/components/blocks.hero-box`)).status).toBe(200);
    expect(schemaOf("dog").attributes.hero).toBeUndefined();
  });
});

test("attributes whose columns have the same name are refused, as by Strapi", async () => {
  const attributes = { line1: { type: "string" }, line_1: { type: "string" } };
  const contentType = { ...dog, singularName: "address", pluralName: "addresses", attributes };
  const component = { displayName: "Address", category: "basic", icon: "apps", attributes };
  for (const [path, input] of Object.entries({ "content-types": { contentType }, components: { component } })) {
    const { status, body } = await admin("POST", `${BUILDER}/${path}`, input);
    expect(status).toBe(400);
    expect(body.error.details.errors.map(({ message }: Body) => message)).toEqual(
      ["line1", "line_1"].map((name) => `Attribute ${name} conflicts with an existing key`),
    );
  }
});

test("a name of a component cannot lead out of its folder", async () => {
  const nested = { uid: "../../../evil.evil", tmpUID: "t", category: "../..", displayName: "../evil", attributes: {} };
  const contentType = { ...dog, singularName: "owl", pluralName: "owls" };
  const made = await admin("POST", `${BUILDER}/content-types`, { contentType, components: [nested] });
  expect(made.status).toBe(400);
  expect(existsSync(join(folder.root, "src/api/owl"))).toBe(false);
});

test("a new type of a schema update names itself in its relations", async () => {
  const parent = { type: "relation", relation: "manyToOne", target: "__self__", targetAttribute: "children" };
  const names = { singularName: "place", pluralName: "places", displayName: "Place", draftAndPublish: false };
  const uid = "api::place.place";
  const attributes = [{ action: "create", name: "parent", properties: parent }];
  const contentTypes = [{ action: "create", uid, kind: "collectionType", ...names, attributes }];
  const { status, body } = await admin("POST", `${BUILDER}/update-schema`, { data: { contentTypes, components: [] } });
  expect([status, body]).toEqual([200, {}]);
  expect(schemaOf("place").attributes).toEqual({
    parent: { type: "relation", relation: "manyToOne", target: uid, inversedBy: "children" },
    children: { type: "relation", relation: "oneToMany", target: uid, mappedBy: "parent" },
  });
});

test("a schema update takes components as Strapi's panel sends them", async () => {
  const uid = "page-parts.side-box";
  const panelKeys = { modelName: "Side Box", globalId: "Side Box", modelType: "component", status: "NEW" };
  const entry = { uid, category: "page-parts", displayName: "Side Box", icon: "apps", ...panelKeys };
  const isIdle = async () => !(await admin("GET", `${BUILDER}/update-schema-status`)).body.data.isUpdating;
  const send = async (action: string, ...attributes: readonly object[]): Promise<Body> => {
    await until("no schema update is in progress", isIdle);
    const components = [{ ...entry, action, attributes }];
    return (await admin("POST", `${BUILDER}/update-schema`, { data: { contentTypes: [], components } })).body;
  };
  const title = { name: "title", properties: { type: "string" } };
  expect(await send("create", { ...title, action: "create" })).toEqual({});
  const size = { name: "size", action: "create", properties: { type: "integer" } };
  expect(await send("update", { ...title, action: "update" }, size)).toEqual({});
  const { data } = (await admin("GET", `${BUILDER}/components/${uid}`)).body;
  expect(data.schema).toMatchObject({ displayName: "Side Box", icon: "apps" });
  expect(Object.keys(data.schema.attributes)).toEqual(["title", "size"]);
  await admin("DELETE", `${BUILDER}/components/${uid}`);
});

test("the other side of a relation to a plugin's type is written as an extension", async () => {
  const user = "plugin::users-permissions.user";
  const owner = { type: "relation", relation: "manyToOne", target: user, targetAttribute: "dogs" };
  const contentType = { ...dog, attributes: { ...dog.attributes, owner } };
  expect((await admin("PUT", `${BUILDER}/content-types/api::dog.dog`, { contentType })).status).toBe(201);
  const { body } = await admin("GET", `${BUILDER}/content-types/${user}`);
  expect(body.data.schema.attributes.dogs.mappedBy).toBe("owner");
  expect(body.data.schema.attributes.username.type).toBe("string");
});

test("in memory nothing is written, and the answer says why", async () => {
  const memory = await createGalley({ project: folder.root, admin: true, environment: {} });
  const call = createCall(memory, { authorization: `Bearer ${KEY}` });
  const contentType = { ...dog, singularName: "hen", pluralName: "hens" };
  const { status, body } = await call("POST", `${BUILDER}/content-types`, { contentType });
  expect(status).toBe(400);
  expect(body.error.message).toContain("in memory");
  await memory.close();
});
