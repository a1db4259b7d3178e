/** Rows of components in `strapi.db.query`: by themselves, and as what other rows are linked to. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Body, componentFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
let strapi: Body;
const cards = () => strapi.db.query("basic.card");
const notes = () => strapi.db.query("api::note.note");

beforeAll(async () => {
  app = await testApp({
    ...componentFile("basic.card", { title: { type: "string" }, rank: { type: "integer" } }),
    ...componentFile("basic.quote", { body: { type: "string" } }),
    ...typeFile("note", {
      title: { type: "string" },
      cards: { type: "component", component: "basic.card", repeatable: true },
      zone: { type: "dynamiczone", components: ["basic.card", "basic.quote"] },
    }),
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
  });
  strapi = (globalThis as unknown as { ownCode: Body }).ownCode;
});
afterAll(() => app.close());

beforeEach(async () => {
  await notes().deleteMany();
  await cards().deleteMany();
});

const titles = async (id: number, field = "cards"): Promise<string[]> =>
  (await notes().findOne({ where: { id }, populate: [field] }))[field].map(({ title }: Body) => title);

test("rows are created, found, changed and deleted by themselves", async () => {
  const { id } = await cards().create({ data: { title: "one", rank: "2" } });
  await cards().createMany({ data: [{ title: "two", rank: 1 }, { title: "three" }] });
  expect(await cards().count()).toBe(3);
  expect(await cards().findMany({ select: ["title"], orderBy: { rank: "desc" }, limit: 1 })).toEqual([
    { title: "one" },
  ]);
  expect(await cards().update({ where: { id }, data: { title: "changed" } })).toEqual({
    id,
    title: "changed",
    rank: 2,
  });
  expect(await cards().delete({ where: { id } })).toEqual({ id, title: "changed", rank: 2 });
  expect(await cards().findPage({ pageSize: 1, select: ["title"] })).toMatchObject({ pagination: { total: 2 } });
});

test("existing rows are linked, in order; others are ignored", async () => {
  const [one, two] = [await cards().create({ data: { title: "1" } }), await cards().create({ data: { title: "2" } })];
  const note = await notes().create({ data: { cards: [two.id, { id: one.id }, 999], zone: [] } });
  expect(await titles(note.id)).toEqual(["2", "1"]);
  await notes().update({ where: { id: note.id }, data: { cards: { disconnect: [two.id] } } });
  expect(await titles(note.id)).toEqual(["1"]);
  await notes().update({
    where: { id: note.id },
    data: { cards: { connect: [{ id: two.id, position: { start: true } }] } },
  });
  expect(await titles(note.id)).toEqual(["2", "1"]);
  await expect(notes().create({ data: { cards: [{ title: "new" }] } })).rejects.toThrow("Invalid id");
  await expect(notes().update({ where: { id: note.id }, data: { cards: "text" } })).rejects.toThrow("got text");
});

test("entries of a zone name their component, and an empty list changes none", async () => {
  const { id } = await cards().create({ data: { title: "1" } });
  const note = await notes().create({ data: { zone: [{ __component: "basic.card", id }] } });
  await notes().update({ where: { id: note.id }, data: { zone: [] } });
  expect(await titles(note.id, "zone")).toEqual(["1"]);
  const unnamed = notes().update({ where: { id: note.id }, data: { zone: [{ id }] } });
  await expect(unnamed).rejects.toThrow('Metadata for "undefined" not found');
});

test("a row that two others have remains when one of them is deleted", async () => {
  const { id } = await cards().create({ data: { title: "shared" } });
  const first = await notes().create({ data: { cards: [id] } });
  const second = await notes().create({ data: { cards: [id] } });
  await notes().delete({ where: { id: first.id } });
  expect(await titles(second.id)).toEqual(["shared"]);
  await cards().delete({ where: { id } });
  expect(await titles(second.id)).toEqual([]);
});

test("documents show what queries have changed", async () => {
  const note = await strapi.documents("api::note.note").create({ data: { cards: [{ title: "own", rank: 1 }] } });
  await cards().updateMany({ where: { rank: 1 }, data: { title: "changed" } });
  const { cards: found } = await strapi
    .documents("api::note.note")
    .findOne({ documentId: note.documentId, populate: ["cards"] });
  expect(found.map(({ title }: Body) => title)).toEqual(["changed"]);
});

test("documents have the selected fields of their components, and no documentId of them", async () => {
  const subscription = strapi.db.lifecycles.subscribe({ models: ["api::note.note"], beforeFindMany() {} });
  const data = { title: "n", cards: [{ title: "1", rank: 1 }], zone: [{ __component: "basic.quote", body: "q" }] };
  await strapi.documents("api::note.note").create({ data });
  const populate = { cards: { fields: ["title"] }, zone: { on: { "basic.quote": { fields: ["body"] } } } };
  const whole = { cards: [{ id: expect.any(Number), title: "1" }], zone: [expect.objectContaining({ body: "q" })] };
  expect(await strapi.documents("api::note.note").findMany({ populate })).toMatchObject([whole]);
  expect((await strapi.entityService.findPage("api::note.note", { populate })).results).toMatchObject([whole]);
  const note = await notes().findOne({ where: { title: "n" } });
  const [card] = await strapi.entityService.load("api::note.note", note, "cards", { fields: ["title"] });
  expect(card).toEqual({ id: expect.any(Number), title: "1" });
  const { status, body } = await app.call("GET", "/api/notes?populate[cards][fields][0]=title");
  expect([status, body.data?.[0]?.cards]).toEqual([200, whole.cards]);
  subscription();
});
