/** Parameters of `strapi.db.query` and `strapi.documents` that Strapi reads in its own way. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, relation, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...typeFile(
    "note",
    {
      title: { type: "string" },
      stock: { type: "integer" },
      isOpen: { type: "boolean" },
      day: { type: "date" },
      owner: relation("manyToOne", "person"),
      tags: relation("manyToMany", "person"),
    },
    { draftAndPublish: true },
  ),
  ...typeFile("person", { name: { type: "string" } }),
  "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
};

let app: TestApp;
let notes: Body;
let documents: Body;
beforeAll(async () => {
  app = await testApp(files);
  const strapi = (globalThis as unknown as { ownCode: Body }).ownCode;
  const people = strapi.documents("api::person.person");
  const [ann, bob] = [await people.create({ data: { name: "ann" } }), await people.create({ data: { name: "bob" } })];
  documents = strapi.documents("api::note.note");
  notes = strapi.db.query("api::note.note");
  const tags = [ann.documentId, bob.documentId];
  await documents.create({ data: { title: "a", stock: 1, isOpen: true, owner: ann.documentId, tags } });
  await documents.create({ data: { title: "b", stock: 2, owner: bob.documentId } });
});
afterAll(() => app.close());

const one = { where: { title: "a" }, select: ["title"] };

test("rows have the selected columns and no ids", async () => {
  expect(await notes.findMany(one)).toEqual([{ title: "a" }]);
  expect(await notes.findOne({ ...one, select: "title" })).toEqual({ title: "a" });
  expect(await notes.findOne({ ...one, populate: { owner: { select: ["name"] } } })).toEqual({
    id: expect.any(Number),
    title: "a",
    owner: { name: "ann" },
  });
  expect(await notes.findOne({ ...one, populate: ["nothing"] })).toEqual({ title: "a" });
  const ordered = await notes.findOne({ ...one, select: ["stock", "id", "title"], populate: ["owner"] });
  expect(Object.keys(ordered)).toEqual(["stock", "id", "title", "owner"]);
  const withId = await notes.findOne({ ...one, select: ["stock", "title"], populate: ["owner"] });
  expect(Object.keys(withId)).toEqual(["stock", "title", "id", "owner"]);
  expect(await notes.findMany({ where: { owner: { name: "ann" } }, select: ["title"], orderBy: "id" })).toEqual([
    { id: expect.any(Number), title: "a" },
  ]);
  const made = await notes.create({ data: { title: "c" }, select: ["title"] });
  expect(made).toEqual({ title: "c" });
  expect(await notes.update({ where: { title: "c" }, data: { stock: 3 }, select: ["stock"] })).toEqual({ stock: 3 });
  expect(await notes.delete({ where: { title: "c" }, select: ["stock"] })).toEqual({
    id: expect.any(Number),
    stock: 3,
  });
});

const refused: Readonly<Record<string, [params: object, message: string]>> = {
  "an unknown column": [{ select: ["nope"] }, "no such column: t0.nope"],
  "a relation as a column": [{ select: ["owner"] }, "no such column: t0.owner"],
  "a list of conditions": [{ where: [{ title: "a" }] }, "Where must be an object"],
  "populate as a string": [{ populate: "owner" }, "Populate must be an object"],
  "a direction in a name": [{ orderBy: "title:desc" }, "Attribute title:desc not found on model api::note.note"],
  "an undefined number": [{ where: { stock: undefined } }, "Undefined binding(s) detected"],
  "an undefined relation": [{ where: { owner: undefined } }, "Undefined binding(s) detected"],
  "an undefined id": [{ where: { id: undefined } }, "Undefined binding(s) detected"],
  "an undefined date": [{ where: { day: { $gt: undefined } } }, "Invalid format, expected yyyy-MM-dd"],
};
for (const [name, [params, message]] of Object.entries(refused)) {
  test(`${name} is refused`, async () => {
    const error: Error = await notes.findMany(params).catch((reason: unknown) => reason);
    expect(error.message).toStartWith(message);
  });
}

test("undefined is nothing to texts, and null to booleans", async () => {
  expect(await notes.findMany({ where: { title: undefined } })).toEqual([]);
  expect(await notes.findMany({ where: { isOpen: undefined }, select: ["title"] })).toEqual([{ title: "b" }]);
  expect(await documents.findMany({ filters: { title: undefined } })).toEqual([]);
  await expect(documents.findMany({ filters: { stock: undefined } })).rejects.toThrow("Undefined binding(s)");
});

test("no document is found, changed or deleted without an id", async () => {
  const before = await notes.count();
  for (const params of [{}, undefined, { documentId: undefined }]) {
    expect(await documents.findOne(params)).toBeNull();
    expect((await documents.delete(params)).entries).toEqual([]);
  }
  expect(await notes.count()).toBe(before);
});

test("zero is not a limit, and a direction that is none is ascending", async () => {
  expect(await notes.findMany({ limit: 0, select: ["title"], orderBy: { title: "up" } })).toEqual([
    { title: "a" },
    { title: "b" },
  ]);
  // `start` and `sort` are parameters of documents
  expect(await notes.findMany({ start: 1, limit: 1, sort: "title:desc", select: ["title"] })).toEqual([{ title: "a" }]);
});

test("relations are loaded by page", async () => {
  const note = await notes.findOne({ where: { title: "a" } });
  expect(await notes.loadPages(note, "tags", { page: 2, pageSize: 1, select: ["name"] })).toEqual({
    results: [{ id: expect.any(Number), name: "bob" }],
    pagination: { page: 2, pageSize: 1, pageCount: 2, total: 2 },
  });
  await expect(notes.load(note, "title")).rejects.toThrow("Expected title to be a relational attribute");
});

test("Strapi refuses populate=true of documents, and takes a document without data", async () => {
  await expect(documents.findMany({ populate: true })).rejects.toThrow("Invalid populate parameter");
  const { documentId, title } = await documents.create();
  expect(title).toBeNull();
  await documents.delete({ documentId });
});
