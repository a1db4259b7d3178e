/** One attribute in many documents: what a change would do, what it refuses, and undoing it. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { type Body, componentFile, projectFolder, relation, typeFile } from "../project.ts";
import { type Ask, openSignedIn } from "./signed-in.ts";

const KEY = "a key for tests of bulk edits";
const BOOK = "api::book.book";
const TAG = "api::tag.tag";
const localized = { pluginOptions: { i18n: { localized: true } } };
const folder = projectFolder({
  ...componentFile("parts.part", { text: { type: "string" } }),
  ...typeFile("tag", { name: { type: "string" }, owned: { ...relation("oneToMany", "book"), mappedBy: "owner" } }),
  ...typeFile("plain", {
    name: { type: "string" },
    size: { type: "integer" },
    link: { type: "string", minLength: 3, conditions: { visible: { "==": [{ var: "size" }, 1] } } },
    books: relation("manyToMany", "book"),
  }),
  ...typeFile(
    "book",
    {
      title: { type: "string", ...localized },
      code: { type: "string", unique: true },
      slug: { type: "uid", targetField: "title" },
      secret: { type: "password" },
      part: { type: "component", component: "parts.part" },
      summary: { type: "text", maxLength: 10, ...localized },
      pages: { type: "integer", min: 1, max: 900 },
      open: { type: "boolean" },
      mood: { type: "enumeration", enum: ["calm", "loud"] },
      day: { type: "date" },
      data: { type: "json" },
      hidden: { type: "string", private: true },
      tags: relation("manyToMany", "tag"),
      best: relation("manyToOne", "tag"),
      owner: { ...relation("manyToOne", "tag"), inversedBy: "owned" },
    },
    { draftAndPublish: true, localized: true },
  ),
  "config/galley.json": JSON.stringify({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
});

let galley: Galley;
let ask: Ask;
let ids: string[];
let tags: string[];
openSignedIn(folder, KEY, (opened) => {
  ({ galley, ask } = opened);
});

const create = async (uid: string, data: object): Promise<string> =>
  (await galley.documents(uid).create({ data: data as never })).documentId as string;

beforeEach(async () => {
  tags = [await create(TAG, { name: "red" }), await create(TAG, { name: "blue" })];
  ids = [];
  for (const [title, pages] of Object.entries({ one: 1, two: 2, three: 3 }))
    ids.push(await create(BOOK, { title, pages, tags: [tags[0]] }));
});

const send = async (path: string, body: object): Promise<Body> => {
  const answer = await ask("POST", `/edits${path}`, { uid: BOOK, ...body });
  return answer.status === 200 ? answer.body.data : answer.body;
};
const preview = (body: object) => send("/preview", { change: "set", documents: ids, ...body });
/** A preview, and then the change that it describes. */
const edit = async (body: object): Promise<Body> =>
  send("", { change: "set", ...body, documents: (await preview(body)).changes });
const undo = (attribute: string, { changed }: Body, given: object = {}) =>
  send("/undo", { attribute, documents: changed, ...given });
const read = (documentId: string, params: object = {}) =>
  galley.documents(BOOK).findOne({ documentId, populate: "*", ...params });
const valuesOf = async (name: string): Promise<unknown[]> =>
  Promise.all(ids.map(async (id) => (await read(id))?.[name]));
const link = (documentId: string | undefined) => ({ documentId });

test.each([
  ["title", "same"],
  ["summary", null],
  ["pages", 7],
  ["open", false],
  ["mood", "loud"],
  ["day", "2026-11-23"],
  ["data", { a: [1] }],
])("%s is set in all of them", async (attribute, value) => {
  const { changed, refused } = await edit({ attribute, value });
  expect(refused).toEqual([]);
  expect(changed.length).toBe(value === null ? 0 : 3);
  expect(await valuesOf(attribute)).toEqual([value, value, value]);
});

test("an attribute under a condition is checked where it is visible, and refused where it is not", async () => {
  const uid = "api::plain.plain";
  const documents = [await create(uid, { name: "shown", size: 1 }), await create(uid, { name: "hidden", size: 2 })];
  const hidden = { name: "hidden", reasons: ["The condition under which it is shown is not met"] };
  const looked = await preview({ uid, documents, attribute: "link", value: "ab" });
  expect(looked.changes).toEqual([]);
  expect(looked.refused).toMatchObject([{ name: "shown", reasons: [expect.stringContaining("at least 3")] }, hidden]);
  const { changes } = await preview({ uid, documents, attribute: "link", value: "abc" });
  const versions = changes.map(({ documentId, updatedAt }: Body) => ({ documentId, updatedAt }));
  const outcome = await send("", { uid, change: "set", attribute: "link", value: "abc", documents: versions });
  expect(outcome).toMatchObject({ changed: [{ documentId: documents[0] }], refused: [] });
  const values = async () => galley.documents(uid).findMany({ fields: ["size", "link"] as never, sort: "id" });
  expect(await values()).toMatchObject([
    { size: 1, link: "abc" },
    { size: 2, link: null },
  ]);
  expect((await undo("link", outcome, { uid })).refused).toEqual([]);
  expect((await values())[0]).toMatchObject({ size: 1, link: null });
});

test("private attributes are set, and nothing else of the document changes", async () => {
  const path = `/content-manager/collection-types/${BOOK}/${ids[0]}`;
  const before = await ask("GET", path);
  const { changed } = await edit({ attribute: "hidden", value: "x" });
  const { body } = await ask("GET", path);
  const { updatedAt } = changed[0];
  expect(body.data).toEqual({ ...before.body.data, hidden: "x", updatedAt, updatedBy: body.data.updatedBy });
  expect(body.data.updatedBy).toMatchObject({ id: 1 });
});

test("a preview writes nothing, and says what changes, what stays, and what is refused", async () => {
  const { documentId: gone } = { documentId: ids[2]! };
  await galley.documents(BOOK).delete({ documentId: gone });
  const { changes, unchanged, refused } = await preview({ attribute: "pages", value: 2 });
  expect(changes.map(({ documentId }: Body) => documentId)).toEqual([ids[0]]);
  expect(unchanged).toBe(1);
  expect(refused).toEqual([{ documentId: gone, name: null, reasons: ["It has been deleted"] }]);
  expect((await read(ids[0]!))?.pages).toBe(1);
});

test("the checks of the server refuse single documents", async () => {
  const { refused, changes } = await preview({ attribute: "pages", value: 901 });
  expect(changes).toEqual([]);
  expect(refused[0]).toEqual({
    documentId: ids[0],
    name: "one",
    reasons: ["pages must be less than or equal to 900"],
  });
});

test("what somebody else saved after the preview is not overwritten", async () => {
  const { changes } = await preview({ attribute: "pages", value: 5 });
  await Bun.sleep(2);
  await galley.documents(BOOK).update({ documentId: ids[1]!, data: { pages: 77 } });
  const { changed, refused } = await send("", { attribute: "pages", change: "set", value: 5, documents: changes });
  expect(changed.length).toBe(2);
  expect(refused).toEqual([
    { documentId: ids[1], name: "two", reasons: ["This document was saved by somebody else in the meantime"] },
  ]);
  expect(await valuesOf("pages")).toEqual([5, 77, 5]);
});

describe("links", () => {
  test("are added, removed and set", async () => {
    const names = async () =>
      Promise.all(ids.map(async (id) => ((await read(id)) as Body).tags.map(({ name }: Body) => name)));
    await edit({ attribute: "tags", change: "add", value: [link(tags[1])] });
    expect(await names()).toEqual([
      ["red", "blue"],
      ["red", "blue"],
      ["red", "blue"],
    ]);
    expect((await preview({ attribute: "tags", change: "add", value: [link(tags[1])] })).unchanged).toBe(3);
    await edit({ attribute: "tags", change: "remove", value: [link(tags[0])] });
    expect(await names()).toEqual([["blue"], ["blue"], ["blue"]]);
    const { changed } = await edit({ attribute: "tags", value: [] });
    expect(await names()).toEqual([[], [], []]);
    await undo("tags", { changed });
    expect(await names()).toEqual([["blue"], ["blue"], ["blue"]]);
  });

  test("of relations with one target are set and emptied", async () => {
    await edit({ attribute: "best", value: [link(tags[1])] });
    expect(await valuesOf("best")).toMatchObject([{ name: "blue" }, { name: "blue" }, { name: "blue" }]);
    await edit({ attribute: "best", value: [] });
    expect(await valuesOf("best")).toEqual([null, null, null]);
  });

  test("to a document that does not exist are refused", async () => {
    const { refused } = await preview({ attribute: "tags", change: "add", value: [link("nobody")] });
    expect(refused.length).toBe(3);
  });

  test("that a document can have only once are not made in many", async () => {
    const body = { uid: TAG, attribute: "owned", documents: tags, value: [link(ids[0])] };
    expect((await preview(body)).error.message).toContain("cannot be linked from many");
    expect((await preview({ ...body, change: "remove" })).unchanged).toBe(2);
  });
});

describe("undo", () => {
  test("writes the earlier values again", async () => {
    const outcome = await edit({ attribute: "pages", value: 9 });
    const { changed, refused } = await undo("pages", outcome);
    expect([changed.length, refused]).toEqual([3, []]);
    expect(await valuesOf("pages")).toEqual([1, 2, 3]);
    const path = `/content-manager/history-versions?contentType=${BOOK}&documentId=${ids[1]}`;
    const { body } = await ask("GET", path);
    expect(body.data.map(({ data }: Body) => data.pages)).toEqual([2, 9, 2]);
  });

  test("leaves alone what was saved since", async () => {
    const outcome = await edit({ attribute: "pages", value: 9 });
    await Bun.sleep(2);
    await galley.documents(BOOK).update({ documentId: ids[0]!, data: { title: "newer" } });
    const { changed, refused } = await undo("pages", outcome);
    expect(changed.length).toBe(2);
    expect(refused[0].reasons).toEqual(["This document was saved by somebody else in the meantime"]);
    expect(await valuesOf("pages")).toEqual([9, 2, 3]);
  });

  test("refuses a version of another document", async () => {
    const { changed } = await edit({ attribute: "pages", value: 9 });
    const [first, second] = changed;
    const { refused } = await undo("pages", { changed: [{ ...first, previousVersion: second.previousVersion }] });
    expect(refused[0].reasons).toEqual(["Its earlier value is no longer stored"]);
    expect((await read(ids[0]!))?.pages).toBe(9);
  });
});

test("one locale is changed, and one that a document does not have is not made", async () => {
  await galley.documents(BOOK).update({ documentId: ids[0]!, locale: "fr", data: { title: "un" } });
  const { changed } = await edit({ attribute: "title", value: "deux", locale: "fr" });
  expect(changed.length).toBe(1);
  expect(await read(ids[0]!, { locale: "fr" })).toMatchObject({ title: "deux" });
  expect(await valuesOf("title")).toEqual(["one", "two", "three"]);
  expect(await read(ids[1]!, { locale: "fr" })).toBeNull();
  await undo("title", { changed }, { locale: "fr" });
  expect(await read(ids[0]!, { locale: "fr" })).toMatchObject({ title: "un" });
});

test("the published version stays until the draft is published", async () => {
  await galley.documents(BOOK).publish({ documentId: ids[0]! });
  await edit({ attribute: "pages", value: 9 });
  expect(await read(ids[0]!, { status: "published" })).toMatchObject({ pages: 1 });
  expect(await read(ids[0]!)).toMatchObject({ pages: 9 });
});

test("types without drafts and locales are changed", async () => {
  const uid = "api::plain.plain";
  const documents = [await create(uid, { name: "a" }), await create(uid, { name: "b", size: 4 })];
  const outcome = await edit({ uid, attribute: "size", value: 4, documents });
  expect(outcome.changed.map(({ documentId }: Body) => documentId)).toEqual([documents[0]]);
  await undo("size", outcome, { uid });
  expect(await galley.documents(uid).findOne({ documentId: documents[0]! })).toMatchObject({ size: null });
});

test("types without drafts are linked to drafts, and to published versions", async () => {
  const uid = "api::plain.plain";
  const documents = [await create(uid, { name: "a" })];
  await galley.documents(BOOK).publish({ documentId: ids[0]! });
  const linked = async (status: "draft" | "published"): Promise<string[]> => {
    const found = await galley.documents(uid).findOne({ documentId: documents[0]!, status, populate: ["books"] });
    return (found as Body).books.map(({ documentId }: Body) => documentId);
  };
  for (const documentId of [ids[0]!, ids[1]!]) {
    const published = documentId === ids[0] ? [documentId] : [];
    const outcome = await edit({ uid, attribute: "books", change: "add", value: [{ documentId }], documents });
    expect(outcome.changed).toHaveLength(1);
    expect([await linked("draft"), await linked("published")]).toEqual([[documentId], published]);
    await undo("books", outcome, { uid });
    expect([await linked("draft"), await linked("published")]).toEqual([[], []]);
  }
});

test.each([
  ["an unknown attribute", { attribute: "nothing" }],
  ["a password", { attribute: "secret" }],
  ["a uid", { attribute: "slug" }],
  ["a unique attribute", { attribute: "code" }],
  ["a component", { attribute: "part" }],
  ["a system attribute", { attribute: "createdAt" }],
  ["an inherited name", { attribute: "constructor" }],
  ["another change of a text", { attribute: "title", change: "add" }],
  ["an unknown change", { attribute: "title", change: "twist" }],
  ["another locale", { attribute: "title", locale: "xx" }],
  ["all locales", { attribute: "title", locale: "*" }],
  ["links that are not a list", { attribute: "tags", value: "red" }],
  ["links without ids", { attribute: "tags", value: [{ name: "red" }] }],
  ["too many links", { attribute: "tags", value: Array.from({ length: 501 }, () => ({ documentId: "a" })) }],
  ["too many documents", { attribute: "title", documents: Array.from({ length: 101 }, (_, index) => `d${index}`) }],
  ["documents that are not ids", { attribute: "title", documents: [{}] }],
  ["a type that is not the project's", { uid: "plugin::users-permissions.user", attribute: "username" }],
  ["an unknown key", { attribute: "title", more: true }],
])("%s is refused, and nothing is written", async (_, body) => {
  const before = await valuesOf("title");
  const { error } = await preview({ value: "x", ...body });
  expect(error).toMatchObject({ status: 400 });
  expect(await valuesOf("title")).toEqual(before);
});
