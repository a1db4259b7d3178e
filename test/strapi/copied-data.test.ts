/** The relations in the data that hooks get of a row that is copied to the other version, as in Strapi. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, componentFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const drafts = { draftAndPublish: true };
const inverse = (kind: string, target: string, mappedBy: string) => ({ ...relation(kind, target), mappedBy });

let app: TestApp;
let strapi: Body;
let copied: Body[];

beforeAll(async () => {
  app = await testApp({
    ...componentFile("part.row", { tags: relation("oneToMany", "tag") }),
    ...typeFile("tag", { name: { type: "string" } }, drafts),
    ...typeFile("page", { book: { ...relation("manyToOne", "book"), inversedBy: "pages" } }, drafts),
    ...typeFile(
      "book",
      {
        name: { type: "string" },
        first: relation("oneToOne", "tag"),
        tags: relation("manyToMany", "tag"),
        subjects: { type: "relation", relation: "morphToMany" },
        pages: inverse("oneToMany", "page", "book"),
        rows: { type: "component", component: "part.row", repeatable: true },
      },
      drafts,
    ),
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      globalThis.ownCode = strapi;
      globalThis.copiedData = [];
      strapi.db.lifecycles.subscribe({ models: ["api::book.book", "part.row"], beforeCreate({ model, params: { data } }) {
        if (model.uid === "part.row" || data.documentId) globalThis.copiedData.push(structuredClone(data));
        if (data.documentId && data.name === "reversed") data.tags.set.reverse();
      } });
    } };`,
  });
  ({ ownCode: strapi, copiedData: copied } = globalThis as unknown as { ownCode: Body; copiedData: Body[] });
});
afterAll(() => app.close());

const create = (name: string, data: object, status?: string) =>
  strapi.documents(`api::${name}.${name}`).create({ data, status });

test("they lead to rows of that version, without documents that have none", async () => {
  const published = await create("tag", { name: "published" }, "published");
  const draft = await create("tag", { name: "draft" });
  const page = await create("page", {}, "published");
  copied.length = 0;
  const tags = [published.documentId, draft.documentId];
  const subjects = tags.map((documentId) => ({ documentId, __type: "api::tag.tag" }));
  const data = { first: draft.documentId, tags, subjects, pages: [page.documentId], rows: [{ tags }] };
  const { documentId } = await create("book", data, "published");
  const [, row, book] = copied;
  const set = [{ id: published.id }];
  expect(row).toMatchObject({ tags: { set } });
  expect(book).toMatchObject({ first: { set: [] }, tags: { set }, pages: { set: [{ id: page.id }] } });
  expect(book.subjects).toEqual({ set: [{ id: published.id, __type: "api::tag.tag" }] });

  copied.length = 0;
  await strapi.documents("api::book.book").discardDraft({ documentId });
  const [{ id }] = await strapi.documents("api::tag.tag").findMany({ filters: { name: "published" } });
  expect(copied.at(-1)).toMatchObject({ first: null, tags: { set: [{ id }] } });
});

test("what a hook makes of them is stored", async () => {
  const names = ["a", "b", "c"];
  const tags = await Promise.all(names.map(async (name) => (await create("tag", { name }, "published")).documentId));
  const { documentId } = await create("book", { name: "reversed", tags }, "published");
  const shown = async (status: string): Promise<string[]> => {
    const book = await strapi.documents("api::book.book").findOne({ documentId, status, populate: ["tags"] });
    return book.tags.map(({ name }: Body) => name);
  };
  expect(await shown("draft")).toEqual(names);
  expect(await shown("published")).toEqual(names.toReversed());
});

test.each(["undefined", "deleted"])(
  "values that a hook leaves %s in a published copy are those of a new row",
  async (way) => {
    const remove = way === "deleted" ? "delete data[name]" : "data[name] = undefined";
    const app = await testApp({
      ...typeFile("tag", { name: { type: "string" } }),
      ...typeFile(
        "thing",
        {
          title: { type: "string" },
          text: { type: "string" },
          number: { type: "integer", default: 7 },
          tag: relation("manyToOne", "tag"),
        },
        { draftAndPublish: true },
      ),
      "src/api/thing/content-types/thing/lifecycles.js": `module.exports = { beforeCreate({ params: { data } }) {
      if (data.title === "cleared") for (const name of ["text", "number", "tag"]) ${remove};
    } };`,
    });
    const tag = (await app.call("POST", "/api/tags", { data: { name: "t" } })).body.data.documentId;
    const { documentId } = (await app.call("POST", "/api/things", { data: { title: "a", text: "b", number: 1, tag } }))
      .body.data;
    const cleared = { title: "cleared", text: null, number: 7, tag: null };
    const { body } = await app.call("PUT", `/api/things/${documentId}?populate=tag`, { data: { title: "cleared" } });
    expect(body.data).toMatchObject(cleared);
    expect((await app.call("GET", `/api/things/${documentId}?populate=tag`)).body.data).toMatchObject(cleared);
    const draft = (await app.call("GET", `/api/things/${documentId}?populate=tag&status=draft`)).body.data;
    expect(draft).toMatchObject({ title: "cleared", text: "b", number: 1, tag: { name: "t" } });
    await app.close();
  },
);
