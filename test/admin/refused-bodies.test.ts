/** Refused requests change nothing, and the order in which components are listed. */
import { expect, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { type Body, componentFile, projectFolder, typeFile } from "../project.ts";
import { AUTHORIZATION, adminTokenFile, openAsAdmin } from "./admin-token.ts";

const folder = projectFolder({
  ...typeFile("mark", { text: { type: "string", required: true } }),
  ...typeFile("leaf", { text: { type: "string" } }, { draftAndPublish: true }),
  ...componentFile("alpha.one", { text: { type: "string" } }),
  ...componentFile("alpha.two", { text: { type: "string" } }),
  ...componentFile("beta.one", { text: { type: "string" } }),
  ...adminTokenFile,
});
const MARKS = "/content-manager/collection-types/api::mark.mark";

let galley: Galley;
openAsAdmin(folder, (opened) => {
  ({ galley } = opened);
});

async function send(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> {
  const isText = typeof body === "string";
  const headers = {
    ...AUTHORIZATION,
    ...(body === undefined ? {} : { "content-type": isText ? "text/plain" : "application/json" }),
  };
  const content = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) };
  const response = await galley.handle(new Request(`http://localhost${path}`, { method, headers, ...content }));
  return { status: response.status, body: await response.json() };
}

test("a type without drafts is not published, and the sent data is not saved", async () => {
  const { documentId } = (await send("POST", MARKS, { text: "before" })).body.data;
  const valid = await send("POST", `${MARKS}/${documentId}/actions/publish`, { text: "after" });
  expect([valid.status, valid.body.error.name]).toEqual([400, "ValidationError"]);
  expect((await send("POST", `${MARKS}/actions/publish`, { text: "new" })).status).toBe(400);
  const { results } = (await send("GET", MARKS)).body;
  expect(results.map(({ text }: Body) => text)).toEqual(["before"]);
});

test("plain text is not a body of a document", async () => {
  const { status, body } = await send("POST", MARKS, "text");
  expect([status, body.error.message]).toEqual([
    400,
    'this must be a `object` type, but the final value was: `"text"`.',
  ]);
});

test("a file is replaced by a file only", async () => {
  const form = new FormData();
  form.append("files", new File(["text"], "a.txt", { type: "text/plain" }));
  const uploaded = await galley.handle(
    new Request("http://localhost/upload", { method: "POST", headers: AUTHORIZATION, body: form }),
  );
  const [{ id }] = (await uploaded.json()) as [Body];
  const { status, body } = await send("POST", `/upload/files/${id}/replace`, { fileInfo: { name: "renamed" } });
  expect([status, body.error.name]).toEqual([400, "ValidationError"]);
});

test("components are listed in descending order of their paths", async () => {
  for (const path of ["/content-type-builder/components", "/content-manager/components"]) {
    const { data } = (await send("GET", path)).body;
    expect(data.map(({ uid }: Body) => uid)).toEqual(["beta.one", "alpha.two", "alpha.one"]);
  }
});

const BUILDER = "/content-type-builder";
const builderBodies: readonly (readonly [method: string, path: string, body: unknown, message: string])[] = [
  ["POST", "/content-types", ["a"], "this must be a `object` type"],
  ["POST", "/components", "text", "this must be a `object` type"],
  ["PUT", "/content-types/api::missing.missing", ["a"], "contentType.notFound"],
  ["PUT", "/components/alpha.missing", ["a"], "component.notFound"],
  ["PUT", "/component-categories/alpha", "text", "this must be a `object` type"],
  ["POST", "/update-schema", undefined, "this is a required field"],
  ["POST", "/update-schema", ["a"], "this must be a `object` type"],
  ["POST", "/update-schema", {}, "data is a required field"],
  ["POST", "/update-schema", { data: 1 }, "data must be a `object` type"],
  ["POST", "/update-schema", { data: { contentTypes: "x" } }, "data.contentTypes must be a `array` type"],
  [
    "POST",
    "/components",
    { component: { category: "alpha", displayName: "Four", icon: "house", attributes: { name: "x" } } },
    'component.attributes.name must be a `object` type, but the final value was: `"x"`.',
  ],
];
test.each(builderBodies)("the content-type builder refuses %s %s with %p", async (method, path, sent, message) => {
  // the last change of schemas has ended
  await new Promise(setImmediate);
  const { status, body } = await send(method, BUILDER + path, sent);
  expect(status).toBe(message.endsWith("notFound") ? 404 : 400);
  expect(body.error.message ?? body.error).toStartWith(message);
});

const attributeCases: readonly (readonly [name: string, properties: unknown, error: string])[] = [
  ["pet", { type: "foo" }, "contentType.attributes.pet.type must be one of"],
  ["pet", { type: "string", required: "x" }, "contentType.attributes.pet.required must be a `boolean` type"],
  ["pet", { type: "enumeration" }, "contentType.attributes.pet.enum is a required field"],
  ["1b", { type: "string" }, "Attribute name '1b' must match"],
  ["id", { type: "string" }, "Attribute keys cannot be one of"],
  [
    "pet",
    { type: "relation", relation: "oneToOne", target: "api::none.none" },
    "contentType.attributes.pet.target must be one of",
  ],
  ["pet", { type: "string", minLength: 5, maxLength: 1 }, "maxLength must be greater or equal to minLength"],
  ["pet", { type: "integer", min: 5, max: 1 }, "max must be greater or equal to min"],
  ["pet", { type: "string", minLength: 0 }, "contentType.attributes.pet.minLength must be a positive number"],
  ["pet", { type: "string", minLength: 1.5 }, "contentType.attributes.pet.minLength must be an integer"],
  ["pet", { type: "string", regex: "[" }, "contentType.attributes.pet.regex must be a valid"],
  ["pet", { type: "email", default: "x" }, "contentType.attributes.pet.default must be a valid email"],
  ["pet", { type: "biginteger", default: "1x" }, "contentType.attributes.pet.default must match"],
  ["pet", { type: "enumeration", enum: ["a"], default: "b" }, "contentType.attributes.pet.default must be one of"],
  ["pet", { type: "enumeration", enum: ["a"], enumName: "1" }, "contentType.attributes.pet.enumName must match"],
  ["pet", { type: "enumeration", enum: [] }, "contentType.attributes.pet.enum field must have at least 1 items"],
  ["pet", { type: "uid", targetField: "none" }, "contentType.attributes.pet.targetField must be one of"],
  [
    "pet",
    { type: "relation", relation: "manyToMany", target: "admin::user", targetAttribute: "pets" },
    "must be one of the following values: oneToOne, oneToMany",
  ],
];
const names = { displayName: "Dog", singularName: "dog", pluralName: "dogs", draftAndPublish: false };
const newDog = { action: "create", uid: "api::dog.dog", kind: "collectionType", attributes: [], ...names };
const text = { action: "create", name: "text", properties: { type: "string" } };
test.each([
  ["without a name", { ...newDog, displayName: "" }, "contentType.displayName must be at least 1 characters"],
  ["with one name", { ...newDog, pluralName: "dog" }, "contentType: singularName and pluralName should be different"],
  ["with a reserved name", { ...newDog, singularName: "date" }, "Content Type name cannot be one of"],
  ["with another uid", { ...newDog, uid: "api::cat.cat" }, "contentType.invalidUID"],
  ["of a plugin", { ...newDog, plugin: "pets" }, "contentType.invalidUID"],
  [
    "with an attribute twice",
    { ...newDog, attributes: [text, { ...text, name: "Text" }] },
    "data.contentTypes[0].attributes must have unique names",
  ],
])("update-schema refuses a new type %s", async (_, type, error) => {
  await new Promise(setImmediate);
  const { status, body } = await send("POST", `${BUILDER}/update-schema`, { data: { contentTypes: [type] } });
  expect(status).toBe(400);
  expect(body.error).toStartWith(error);
});
test.each(attributeCases)(
  "update-schema refuses the attribute %s %p with %s alone",
  async (name, properties, error) => {
    await new Promise(setImmediate);
    const attributes = [{ action: "create", name, properties }];
    const names = { displayName: "Dog", singularName: "dog", pluralName: "dogs", kind: "collectionType" };
    const type = { uid: "api::dog.dog", ...names, draftAndPublish: false };
    const contentTypes = [{ action: "create", ...type, attributes }];
    const { status, body } = await send("POST", `${BUILDER}/update-schema`, { data: { contentTypes } });
    expect(status).toBe(400);
    expect(body.error).toStartWith(error);
  },
);

test("a document is not published under another documentId", async () => {
  const leaves = "/content-manager/collection-types/api::leaf.leaf";
  const { documentId } = (await send("POST", leaves, { text: "before" })).body.data;
  const publish = (id: string) =>
    send("POST", `${leaves}/${documentId}/actions/publish`, { documentId: id, text: "after" });
  const refused = await publish("x");
  expect([refused.status, refused.body.error.message]).toEqual([404, "Document not found or already published."]);
  expect((await send("GET", `${leaves}/${documentId}`)).body.data).toMatchObject({ text: "before", status: "draft" });
  expect((await publish(documentId)).status).toBe(200);
});

test.each(["pending", 1, { connect: [] }])("a document has no status %p, as in Strapi", async (value) => {
  const leaves = "/content-manager/collection-types/api::leaf.leaf";
  const { status, body } = await send("POST", leaves, { text: "a", status: value });
  const errors = [{ path: ["status"], message: "Invalid status", name: "ValidationError" }];
  expect([status, body.error.message, body.error.details]).toEqual([400, "Invalid status", { errors }]);
});

test("types are listed by kinds that exist", async () => {
  const { status, body } = await send("GET", `${BUILDER}/content-types?kind=x`);
  expect([status, body.error.message]).toEqual([
    400,
    "this must be one of the following values: singleType, collectionType",
  ]);
});

test("an API token without a type is read-only", async () => {
  const { status, body } = await send("POST", "/admin/api-tokens", { name: "plain" });
  expect([status, body.data.type]).toEqual([201, "read-only"]);
});

test("transfers are refused, and there are no tokens for them", async () => {
  for (const action of ["push", "pull"])
    expect((await send("GET", `/admin/transfer/runner/${action}`)).status).toBe(401);
  const created = await send("POST", "/admin/transfer/tokens", { name: "a", permissions: ["push"] });
  expect([created.status, created.body.error.message]).toEqual([400, expect.stringContaining("no transfers")]);
  expect((await send("GET", "/admin/transfer/tokens")).body).toEqual({ data: [] });
});

test("another administrator is refused", async () => {
  const { status, body } = await send("POST", "/admin/users", { firstname: "Ada", roles: [1] });
  expect([status, body.error.message]).toEqual([400, expect.stringContaining("There is one administrator")]);
});
