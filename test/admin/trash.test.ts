/** Deleted and unpublished documents are kept for 30 days, and restored with their ids, locales, versions and links. */
import { beforeEach, expect, setSystemTime, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { type Body, componentFile, configFile, projectFolder, relation, typeFile } from "../project.ts";
import { type Ask, askAs, openSignedIn, signedIn } from "./signed-in.ts";

const KEY = "a key for tests";
const POST = "api::post.post";
const POSTS = `/content-manager/collection-types/${POST}`;
const localized = { type: "string", pluginOptions: { i18n: { localized: true } } };

let galley: Galley;
let ask: Ask;
openSignedIn(
  projectFolder({
    ...typeFile(
      "post",
      {
        title: localized,
        code: { type: "string", unique: true },
        tags: { ...relation("manyToMany", "tag"), inversedBy: "posts" },
        parts: { type: "component", component: "page.part", repeatable: true },
      },
      { draftAndPublish: true, localized: true },
    ),
    ...typeFile("tag", {
      name: { type: "string" },
      posts: { ...relation("manyToMany", "post"), mappedBy: "tags" },
      best: relation("oneToOne", "post"),
    }),
    ...componentFile("page.part", { text: { type: "string" } }),
    ...typeFile("label", { text: { type: "customField", customField: "plugin::own.short" } }),
    ...configFile({
      customFields: { "plugin::own.short": "string" },
      locales: [
        { code: "en", name: "English", isDefault: true },
        { code: "fr", name: "French" },
      ],
    }),
  }),
  KEY,
  (opened) => {
    ({ galley, ask } = opened);
  },
);
beforeEach(() => setSystemTime());

const create = async (data: object, uid = POST): Promise<string> => {
  const { status, body } = await ask("POST", `/content-manager/collection-types/${uid}`, data);
  expect(status).toBe(201);
  return body.data.documentId;
};
const listed = async (): Promise<Body[]> => (await ask("GET", "/trash")).body.results;
const listedIds = async (): Promise<string[]> => (await listed()).map(({ documentId }) => documentId);
const restore = async (documentIds: string[], more: object = {}) =>
  (await ask("POST", "/trash/restore", { contentType: POST, documentIds, ...more })).body;
const read = async (documentId: string, params: object = {}): Promise<Body> =>
  (await galley.documents(POST).findOne({ documentId, populate: ["tags", "parts"], ...params })) as Body;

test("a deleted document is back with its id, its published text, its changed draft, links and time", async () => {
  const tag = await create({ name: "red" }, "api::tag.tag");
  const tags = { connect: [{ documentId: tag }] };
  const id = await create({ title: "Fog", code: "a", tags, parts: [{ text: "one" }, { text: "two" }] });
  await ask("POST", `${POSTS}/${id}/actions/publish`, { title: "Fog" });
  await ask("PUT", `${POSTS}/${id}`, { title: "Fog, changed" });
  const { createdAt } = await read(id);
  expect((await ask("DELETE", `${POSTS}/${id}`)).status).toBe(200);
  expect(await read(id)).toBe(null as never);
  const [entry] = await listed();
  expect(entry).toMatchObject({ contentType: POST, documentId: id, locale: "en", name: "Fog, changed" });
  expect(await restore([id])).toEqual({ restored: 1, refused: [] });
  expect(await read(id)).toMatchObject({ title: "Fog, changed", createdAt, tags: [{ name: "red" }] });
  expect(await read(id, { status: "published" })).toMatchObject({
    title: "Fog",
    parts: [{ text: "one" }, { text: "two" }],
  });
  expect(await listedIds()).not.toContain(id);
  expect(await restore([id])).toEqual({ restored: 0, refused: [] });
});

test("a document of a type without drafts is back in drafts and published versions, from the trash and from its history", async () => {
  const TAG = "api::tag.tag";
  const id = await create({ title: "Fog", code: "links" });
  await ask("POST", `${POSTS}/${id}/actions/publish`, {});
  const tag = await create(
    { name: "wet", posts: { set: [{ documentId: id }] }, best: { set: [{ documentId: id }] } },
    TAG,
  );
  const path = `/content-manager/collection-types/${TAG}/${tag}`;
  await ask("PUT", path, { name: "wetter" });
  const links = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (const status of ["draft", "published"] as const) {
      const { best } = (await galley.documents(TAG).findOne({ documentId: tag, status, populate: "best" })) as Body;
      found.push([(await read(id, { status })).tags, best?.documentId]);
    }
    return found;
  };
  const before = [[expect.objectContaining({ documentId: tag })], id];
  expect(await links()).toEqual([before, before]);
  const { body } = await ask("GET", `/content-manager/history-versions?contentType=${TAG}&documentId=${tag}`);
  expect(body.data[0].data.posts).toMatchObject({ results: [{ documentId: id }] });
  await ask("PUT", `/content-manager/history-versions/${body.data[0].id}/restore`, { contentType: TAG });
  expect(await links()).toEqual([before, before]);
  await ask("DELETE", path);
  expect(await restore([tag], { contentType: TAG })).toMatchObject({ restored: 1 });
  expect(await links()).toEqual([before, before]);
});

test("a locale is deleted and restored by itself", async () => {
  const id = await create({ title: "One", code: "b" });
  await ask("PUT", `${POSTS}/${id}?locale=fr`, { title: "Un" });
  await ask("DELETE", `${POSTS}/${id}?locale=fr`);
  expect((await listed()).filter(({ documentId }) => documentId === id).map(({ locale }) => locale)).toEqual(["fr"]);
  expect(await restore([id], { locale: "fr" })).toMatchObject({ restored: 1 });
  expect(await read(id, { locale: "fr" })).toMatchObject({ title: "Un" });
});

test("many are deleted and restored at once, as drafts if they were drafts", async () => {
  const ids = [await create({ title: "A", code: "c" }), await create({ title: "B", code: "d" })];
  await ask("POST", `${POSTS}/actions/bulkDelete`, { documentIds: ids });
  expect((await restore([...ids, "unknown"])).restored).toBe(2);
  expect(await read(ids[0]!)).toMatchObject({ title: "A" });
});

test("a document is named by its first string, also by that of a custom field", async () => {
  const uid = "api::label.label";
  const documentId = await create({ text: "Red" }, uid);
  await ask("DELETE", `/content-manager/collection-types/${uid}/${documentId}`);
  expect((await listed()).find((kept) => kept.documentId === documentId)).toMatchObject({ name: "Red" });
});

test("what is not valid any more is refused with the reason, and stays in the trash", async () => {
  const id = await create({ title: "First", code: "unique" });
  await ask("POST", `${POSTS}/${id}/actions/publish`, {});
  await ask("DELETE", `${POSTS}/${id}`);
  const other = await create({ title: "Second", code: "unique" });
  await ask("POST", `${POSTS}/${other}/actions/publish`, {});
  expect(await restore([id])).toEqual({
    restored: 0,
    refused: [{ documentId: id, message: "This attribute must be unique" }],
  });
  expect(await listedIds()).toContain(id);
});

test("a document whose place is taken stays in the trash, and of several with its id the last one is there", async () => {
  const id = await create({ title: "Place", code: "e" });
  await ask("DELETE", `${POSTS}/${id}`);
  await galley.handle(new Request(`http://localhost/admin/api${POSTS}`, { method: "POST" }));
  const { status } = await ask("POST", POSTS, { title: "Other", documentId: id });
  expect(status).toBe(201);
  expect(await listedIds()).not.toContain(id);
  expect(await restore([id])).toEqual({
    restored: 0,
    refused: [{ documentId: id, message: "There is a document in its place" }],
  });
  await ask("DELETE", `${POSTS}/${id}`);
  const kept = (await listed()).filter(({ documentId }) => documentId === id);
  expect(kept.map(({ name }) => name)).toEqual(["Other"]);
});

test("unpublishing keeps the published text, which is published again beside the changed draft", async () => {
  const id = await create({ title: "Online", code: "f" });
  await ask("POST", `${POSTS}/${id}/actions/publish`, { title: "Online" });
  await ask("PUT", `${POSTS}/${id}`, { title: "Offline" });
  await ask("POST", `${POSTS}/${id}/actions/unpublish`, {});
  expect(await read(id, { status: "published" })).toBe(null as never);
  expect(await restore([id], { reason: "unpublished" })).toEqual({ restored: 1, refused: [] });
  expect(await read(id, { status: "published" })).toMatchObject({ title: "Online" });
  expect(await read(id)).toMatchObject({ title: "Offline" });
  expect(await restore([id], { reason: "unpublished" })).toMatchObject({ restored: 0 });
});

test("documents are forgotten on request, and after 30 days", async () => {
  const ids = [await create({ title: "G", code: "g" }), await create({ title: "H", code: "h" })] as const;
  for (const id of ids) await ask("DELETE", `${POSTS}/${id}`);
  await ask("POST", "/trash/forget", { contentType: POST, documentIds: [ids[0]] });
  expect(await listedIds()).not.toContain(ids[0]);
  expect(await listedIds()).toContain(ids[1]);
  for (const days of [29, 31]) {
    setSystemTime(Date.now() + (days === 29 ? 29 : 2) * 86_400_000);
    const { body } = await askAs(galley, await signedIn(galley, KEY))("GET", "/trash");
    const isKept = body.results.some(({ documentId }: Body) => documentId === ids[1]);
    expect([days, isKept]).toEqual([days, days < 30]);
  }
});

test("what others have written is a version before it is changed here", async () => {
  const versions = async (id: string): Promise<Body[]> =>
    (await ask("GET", `/content-manager/history-versions?contentType=${POST}&documentId=${id}`)).body.data;
  const { documentId } = await galley.documents(POST).create({ data: { title: "by the API", code: "i" } });
  const id = String(documentId);
  await ask("PUT", `${POSTS}/${id}`, { title: "by the page" });
  await ask("PUT", `${POSTS}/${id}`, { title: "by the page, again" });
  await Bun.sleep(5);
  await galley.documents(POST).update({ documentId: id, data: { title: "by the API, again" } });
  await ask("PUT", `${POSTS}/${id}`, { title: "at last" });
  expect((await versions(id)).map(({ data, createdBy }) => [data.title, createdBy?.id])).toEqual([
    ["at last", 1],
    ["by the API, again", undefined],
    ["by the page, again", 1],
    ["by the page", 1],
    ["by the API", undefined],
  ]);
});
