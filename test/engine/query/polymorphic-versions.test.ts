/** Versions behind relations to several types: links of a type without drafts lead to both. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["api::list.list.find", "api::page.page.find", "api::word.word.find"] } }),
    ...typeFile("word", { title: { type: "string" } }, { draftAndPublish: true }),
    ...typeFile("list", { words: { type: "relation", relation: "morphToMany" } }),
    ...typeFile("page", { words: { type: "relation", relation: "morphToMany" } }, { draftAndPublish: true }),
  });
  const words = app.documents("api::word.word");
  const { documentId } = await words.create({ data: { title: "public" }, status: "published" });
  await words.update({ documentId: documentId as string, data: { title: "DRAFT" } });
  await app.documents("api::list.list").create({ data: { words: [{ __type: "api::word.word", documentId }] } });
  const hidden = await words.create({ data: { title: "HIDDEN" } });
  const data = { words: [documentId, hidden.documentId].map((id) => ({ __type: "api::word.word", documentId: id })) };
  await app.documents("api::page.page").create({ data, status: "published" });
});
afterAll(() => app.close());

const fragment = "populate[words][on][api::word.word]";
test.each([
  [`${fragment}[fields][0]=title`, ["public"]],
  [`${fragment}[populate]=*`, ["public"]],
  [`${fragment}[fields][0]=title&status=draft`, ["DRAFT"]],
  // as in Strapi
  [`${fragment}=true`, ["DRAFT", "public"]],
])("%s", async (query, titles) => {
  const { body } = await app.call("GET", `/api/lists?${query}`, undefined, {});
  expect(body.data[0].words.map(({ title }: Body) => title)).toEqual(titles);
});

test.each([
  [`${fragment}[fields][0]=title`, ["public"]],
  [`${fragment}=true`, ["public"]],
  ["populate=words", ["public"]],
  ["populate=*", ["public"]],
  ["populate=words&status=draft", ["DRAFT", "HIDDEN"]],
])("of a published row, what is not published is not shown: %s", async (query, titles) => {
  const { body } = await app.call("GET", `/api/pages?${query}`, undefined, {});
  expect(body.data[0].words.map(({ title }: Body) => title)).toEqual(titles);
});

test("a row without versions that is linked with a draft by its id stays linked with that alone, as in Strapi", async () => {
  const words = app.documents("api::word.word");
  const { id, documentId } = await words.create({ data: { title: "one" } });
  const lists = app.documents("api::list.list");
  const list = await lists.create({ data: { words: [{ __type: "api::word.word", id }] } });
  for (const title of ["two", "three"]) {
    await words.update({ documentId: documentId as string, data: { title }, status: "published" });
    const found = await lists.findOne({ documentId: list.documentId as string, populate: "words" });
    expect(found!.words).toMatchObject([{ id, title, publishedAt: null }]);
  }
});
