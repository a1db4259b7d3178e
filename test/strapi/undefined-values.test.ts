/** Values that code leaves undefined in filters, and what else of `where` Strapi's database takes or refuses. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const NOTE = "api::note.note";
const files = {
  ...configFile({ roles: { public: ["*"] } }),
  ...typeFile("tag", { name: { type: "string" } }),
  ...typeFile(
    "note",
    {
      title: { type: "string" },
      n: { type: "integer" },
      done: { type: "boolean" },
      dueDay: { type: "string", default: "monday" },
      tag: relation("manyToOne", "tag"),
    },
    { draftAndPublish: true },
  ),
  "src/index.js": "module.exports = { register({ strapi }) { globalThis.undefinedValues = strapi; } };",
};

// biome-ignore lint/suspicious/noExplicitAny: what code is given has no types
let strapi: any;
let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
  strapi = (globalThis as unknown as { undefinedValues: unknown }).undefinedValues;
  const tag = await strapi.documents("api::tag.tag").create({ data: { name: "t" } });
  await strapi.documents(NOTE).create({ data: { title: "a", n: 1, done: true, tag: tag.documentId } });
  await strapi.documents(NOTE).create({ data: { title: "b", n: 2, done: false } });
});
afterAll(() => app.close());

const titles = (found: { title: string }[]) => found.map(({ title }) => title);
const many = (where: object) => strapi.db.query(NOTE).findMany({ where });
const documents = (filters: object) => strapi.documents(NOTE).findMany({ filters });

test("an action on a document that is not named finds none, and deletes nothing", async () => {
  const notes = strapi.documents(NOTE);
  for (const params of [{}, { documentId: undefined }]) {
    expect((await notes.delete(params)).entries).toEqual([]);
    expect(await notes.findOne(params)).toBeNull();
    expect(await notes.update({ ...params, data: { title: "x" } })).toBeNull();
  }
  expect(titles(await notes.findMany())).toEqual(["a", "b"]);
});

test.each([
  ["text", '`"text"`'],
  [5, "`5`"],
  [["a"], '`[\n  "\\"a\\""\n]`'],
])("data must be an object: %p", async (data, shown) => {
  const message = `this must be a \`object\` type, but the final value was: \`null\` (cast from the value ${shown}).`;
  const error = { name: "ValidationError", message, details: { errors: [{ path: [], message, value: null }] } };
  const notes = strapi.documents(NOTE);
  const [{ documentId }] = await notes.findMany();
  const refused = async (write: Promise<unknown>) => expect(await write.catch((e: unknown) => e)).toMatchObject(error);
  await refused(notes.create({ data }));
  await refused(notes.update({ documentId, data }));
  await refused(strapi.entityService.create(NOTE, { data }));
  await refused(strapi.service(NOTE).create({ data }));
  expect(titles(await notes.findMany())).toEqual(["a", "b"]);
});

describe("an undefined operand", () => {
  test("is an empty text", async () => {
    expect(await many({ title: undefined })).toEqual([]);
    expect(titles(await many({ title: { $in: [undefined, "a"] } }))).toEqual(["a"]);
    expect(titles(await many({ $or: [{ title: undefined }, { title: "b" }] }))).toEqual(["b"]);
    expect(await many({ tag: { name: undefined } })).toEqual([]);
    expect(await documents({ title: undefined })).toEqual([]);
    expect(await strapi.documents(NOTE).count({ filters: { documentId: undefined } })).toBe(0);
  });

  test("is not a truth value", async () => {
    expect(await many({ done: undefined })).toEqual([]);
  });

  test.each([{ id: undefined }, { n: undefined }, { tag: undefined }, { tag: { id: undefined } }])(
    "is refused as a number or a relation: %p",
    async (where) => {
      await expect(many(where)).rejects.toThrow("Undefined binding(s) detected");
      await expect(documents(where)).rejects.toThrow("Undefined binding(s) detected");
    },
  );

  test("is not a time, which only documents refuse as invalid", async () => {
    const message = "Invalid format, expected a timestamp or an ISO date";
    await expect(many({ createdAt: undefined })).rejects.toMatchObject({ name: "Error", message });
    await expect(documents({ createdAt: undefined })).rejects.toMatchObject({ name: "ValidationError", message });
  });
});

test("a relation is not null where it has a target", async () => {
  expect(titles(await many({ $or: [{ tag: { $not: null } }] }))).toEqual(["a"]);
});

describe("updateMany", () => {
  const update = (params: object) => strapi.db.query(NOTE).updateMany(params);

  test("cannot filter by relations", async () => {
    await expect(update({ where: { tag: { name: "t" } }, data: { n: 5 } })).rejects.toThrow(TypeError);
    await expect(update({ where: { $and: [{ tag: 1 }] }, data: { n: 5 } })).rejects.toThrow(TypeError);
  });

  test("needs data for columns", async () => {
    await expect(update({ where: { title: "a" }, data: { tag: 1 } })).rejects.toThrow("Update requires data");
    expect(await update({ where: { title: "a" }, data: { n: 1, tag: 1 } })).toEqual({ count: 1 });
  });
});

test("conditions and selections may name columns in queries, but not in documents", async () => {
  const [{ documentId }] = await documents({ title: "a" });
  const [{ documentId: tag }] = await strapi.documents("api::tag.tag").findMany();
  expect(titles(await many({ document_id: documentId }))).toEqual(["a"]);
  expect(titles(await many({ tag: { document_id: tag, created_at: { $notNull: true } } }))).toEqual(["a"]);
  expect(titles(await many({ $or: [{ document_id: "x" }, { title: "b", published_at: null }] }))).toEqual(["b"]);
  expect(titles(await many({ due_day: "monday", title: "a" }))).toEqual(["a"]);
  const found = await strapi.db.query(NOTE).findOne({ where: { title: "a" }, select: ["due_day"] });
  expect(found).toEqual({ dueDay: "monday" });
  await expect(many({ tag_id: 1 })).rejects.toThrow("no such column: t0.tag_id");
  await expect(documents({ document_id: documentId })).rejects.toThrow("Invalid key document_id");
});

test("no limit is nought, and an order has names of attributes", async () => {
  expect(await strapi.db.query(NOTE).findMany({ limit: 0 })).toHaveLength(2);
  const ordered = strapi.db.query(NOTE).findMany({ orderBy: "title:DESC" });
  await expect(ordered).rejects.toThrow("Attribute title:DESC not found on model api::note.note");
  expect(titles(await strapi.db.query(NOTE).findMany({ orderBy: { title: "DESC" } }))).toEqual(["b", "a"]);
});
