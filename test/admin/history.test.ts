/** Versions of documents: stored with what the admin writes, shown with what they link to, and restored. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley } from "../../src/index.ts";
import {
  type Body,
  componentFile,
  configFile,
  projectFolder,
  type TestApp,
  testApp,
  typeFile,
  writeFiles,
} from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests";
const POST = "api::post.post";
const POSTS = `/content-manager/collection-types/${POST}`;
const string = { type: "string" };
const localized = { ...string, pluginOptions: { i18n: { localized: true } } };

let app: TestApp;
let ask: ReturnType<typeof askAs>;
beforeAll(async () => {
  app = await testApp(
    {
      ...typeFile(
        "post",
        {
          title: localized,
          secret: { type: "password" },
          tags: { type: "relation", relation: "manyToMany", target: "api::tag.tag" },
          first: { type: "relation", relation: "oneToOne", target: "api::tag.tag" },
          cover: { type: "media" },
          parts: { type: "component", component: "page.part", repeatable: true },
        },
        { draftAndPublish: true, localized: true },
      ),
      ...typeFile("tag", { name: string }),
      ...componentFile("page.part", {
        text: string,
        extra: { type: "json" },
        tag: { type: "relation", relation: "oneToOne", target: "api::tag.tag" },
      }),
      ...configFile({
        locales: [
          { code: "en", name: "English", isDefault: true },
          { code: "fr", name: "French" },
        ],
        tokens: [{ name: "full", type: "full-access", key: "full" }],
      }),
    },
    { admin: true, environment: { ADMIN_JWT_SECRET: KEY } },
  );
  ask = askAs(app, await signedIn(app, KEY));
});
afterAll(() => app.close());

const create = async (uid: string, data: object): Promise<string> => {
  const { status, body } = await ask("POST", `/content-manager/collection-types/${uid}`, data);
  expect(status).toBe(201);
  return body.data.documentId;
};
async function versions(documentId: string, more = ""): Promise<Body[]> {
  const path = `/content-manager/history-versions?contentType=${POST}&documentId=${documentId}${more}`;
  const { status, body } = await ask("GET", path);
  expect(status).toBe(200);
  return body.data;
}
const restore = (id: unknown, contentType: unknown = POST) =>
  ask("PUT", `/content-manager/history-versions/${String(id)}/restore`, { contentType });
const read = async (documentId: string): Promise<Body> =>
  (await app.documents(POST).findOne({ documentId, populate: ["tags", "first", "parts.tag"] })) as Body;

test("each write of the admin is a version, the newest first, with what it links to now", async () => {
  const tag = await create("api::tag.tag", { name: "kept" });
  const gone = await create("api::tag.tag", { name: "gone" });
  const id = await create(POST, {
    title: "one",
    secret: "Password1",
    first: { connect: [{ documentId: tag }] },
    tags: { connect: [{ documentId: tag }, { documentId: gone }] },
    parts: [{ text: "a", extra: { id: 7 }, tag: { connect: [{ documentId: tag }] } }],
  });
  await ask("PUT", `${POSTS}/${id}`, { title: "two", tags: { set: [] }, first: null, parts: [] });
  await ask("POST", `${POSTS}/${id}/actions/publish`, { title: "three" });
  await ask("DELETE", `/content-manager/collection-types/api::tag.tag/${gone}`);
  const found = await versions(id);
  expect(found.map(({ data, status }) => [data.title, status])).toEqual([
    ["three", "published"],
    ["two", "draft"],
    ["one", "draft"],
  ]);
  const [, , oldest] = found;
  expect(oldest).toMatchObject({
    contentType: POST,
    relatedDocumentId: id,
    locale: { code: "en", name: "English" },
    createdBy: { id: 1, firstname: "Admin" },
    meta: { unknownAttributes: { added: {}, removed: {} } },
    data: {
      first: { results: [{ documentId: tag, name: "kept" }], meta: { missingCount: 0 } },
      tags: { results: [{ documentId: tag }], meta: { missingCount: 1 } },
      parts: [{ text: "a", extra: { id: 7 }, tag: { results: [{ documentId: tag }] } }],
    },
  });
  expect(oldest.data.secret).toBeUndefined();
  expect(oldest.data.parts[0].id).toBeUndefined();

  expect(await restore(oldest.id)).toEqual({ status: 200, body: { data: { documentId: id } } });
  const draft = await read(id);
  expect(draft).toMatchObject({ title: "one", first: { documentId: tag }, parts: [{ text: "a", extra: { id: 7 } }] });
  expect(draft.tags.map(({ documentId }: Body) => documentId)).toEqual([tag]);
  expect(draft.parts[0].tag.documentId).toBe(tag);
  expect((await versions(id)).map(({ data }) => data.title)).toEqual(["one", "three", "two", "one"]);
});

test("locales have versions of their own, and pages", async () => {
  const id = await create(POST, { title: "one" });
  await ask("PUT", `${POSTS}/${id}?locale=fr`, { title: "un" });
  await ask("PUT", `${POSTS}/${id}?locale=fr`, { title: "deux" });
  expect((await versions(id)).map(({ data }) => data.title)).toEqual(["one"]);
  const french = await versions(id, "&locale=fr&pageSize=1&page=2");
  expect(french.map(({ data }) => data.title)).toEqual(["un"]);
  await restore(french[0]!.id);
  expect(await app.documents(POST).findOne({ documentId: id, locale: "fr" })).toMatchObject({ title: "un" });
  expect(await read(id)).toMatchObject({ title: "one" });
});

test("many documents that are published at once have a version each; what the Content API writes has none", async () => {
  const ids = [await create(POST, { title: "a" }), await create(POST, { title: "b" })];
  await ask("POST", `${POSTS}/actions/bulkPublish`, { documentIds: ids });
  for (const id of ids) expect((await versions(id)).map(({ status }) => status)).toEqual(["published", "draft"]);
  const headers = { authorization: "Bearer full", "content-type": "application/json" };
  const body = JSON.stringify({ data: { title: "api" } });
  const response = await app.handle(new Request("http://localhost/api/posts", { method: "POST", headers, body }));
  const { data } = (await response.json()) as Body;
  expect(await versions(data.documentId)).toEqual([]);
});

test("a hundred versions of a document are kept", async () => {
  const id = await create(POST, { title: "first" });
  for (let count = 0; count < 101; count++) await ask("PUT", `${POSTS}/${id}`, { title: String(count) });
  const { body } = await ask("GET", `/content-manager/history-versions?contentType=${POST}&documentId=${id}`);
  expect(body.meta.pagination).toEqual({ page: 1, pageSize: 20, pageCount: 5, total: 100 });
});

test("bad requests are refused", async () => {
  const id = await create(POST, { title: "one" });
  const [version] = await versions(id);
  const list = (query: string) => ask("GET", `/content-manager/history-versions?${query}`);
  expect((await list(`documentId=${id}`)).status).toBe(403);
  expect((await list(`contentType=${POST}`)).status).toBe(403);
  expect((await list(`contentType=api::no.no&documentId=${id}`)).status).toBe(403);
  expect((await restore(version!.id, "api::tag.tag")).status).toBe(404);
  expect((await restore(version!.id, 3)).body.error.message).toStartWith("contentType must be a `string` type");
  for (const wrong of ["999999", "x", "1e3", "-1"]) expect((await restore(wrong)).status).toBe(404);
  await ask("DELETE", `${POSTS}/${id}`);
  expect((await restore(version!.id)).body.error).toMatchObject({ status: 400, message: "Failed to restore version" });
});

const openAdmin = async (root: string) => {
  const environment = { ADMIN_JWT_SECRET: KEY };
  const galley = await createGalley({ project: root, memory: false, admin: true, environment });
  return { galley, call: askAs(galley, await signedIn(galley, KEY)) };
};

test("a restored version keeps what the row has of removed attributes", async () => {
  const tag = { type: "relation", relation: "oneToOne", target: "api::tag.tag" };
  const part = { type: "component", component: "page.part" };
  const options = { draftAndPublish: true };
  const full = {
    ...typeFile("note", { title: string, old: string, size: string, tag, cover: { type: "media" }, part }, options),
    ...componentFile("page.part", { text: string }),
  };
  const folder = projectFolder({ ...full, ...typeFile("tag", { name: string }), ...configFile() });
  const notes = "/content-manager/collection-types/api::note.note";
  const first = await openAdmin(folder.root);
  const made = await first.call("POST", "/content-manager/collection-types/api::tag.tag", { name: "kept" });
  const own = { old: "own", size: "12", tag: made.body.data.documentId, part: { text: "own" } };
  const { documentId } = (await first.call("POST", notes, { title: "one", ...own, old: "earlier", size: "7" })).body
    .data;
  await first.call("PUT", `${notes}/${documentId}`, { title: "two", ...own });
  await first.galley.close();

  writeFiles(folder.root, typeFile("note", { title: string, size: { type: "integer" } }, options));
  const second = await openAdmin(folder.root);
  const list = `/content-manager/history-versions?contentType=api::note.note&documentId=${documentId}`;
  const [, oldest] = (await second.call("GET", list)).body.data;
  const path = `/content-manager/history-versions/${oldest.id}/restore`;
  const restored = await second.call("PUT", path, { contentType: "api::note.note" });
  expect(restored).toEqual({ status: 200, body: { data: { documentId } } });
  expect((await second.call("POST", `${notes}/${documentId}/actions/publish`, {})).status).toBe(200);
  await second.galley.close();

  writeFiles(folder.root, full);
  const third = await openAdmin(folder.root);
  for (const status of ["draft", "published"] as const) {
    const query = { documentId, status, populate: ["tag", "part"] };
    expect(await third.galley.documents("api::note.note").findOne(query)).toMatchObject({
      title: "one",
      old: "own",
      size: "7",
      tag: { name: "kept" },
      part: { text: "own" },
    });
  }
  await third.galley.close();
  folder.remove();
});

test("a version from before a change of its type says what has changed, and is restored as far as it fits", async () => {
  const folder = projectFolder({ ...typeFile("note", { title: string, old: string }), ...configFile() });
  const notes = "/content-manager/collection-types/api::note.note";
  const before = await openAdmin(folder.root);
  const { documentId } = (await before.call("POST", notes, { title: "one", old: "x" })).body.data;
  await before.galley.close();

  const part = { type: "component", component: "page.part", repeatable: true };
  writeFiles(folder.root, {
    ...typeFile("note", { title: string, fresh: string, parts: part }),
    ...componentFile("page.part", { text: string }),
  });
  const after = await openAdmin(folder.root);
  await after.call("PUT", `${notes}/${documentId}`, { title: "two", fresh: "y", parts: [{ text: "z" }] });
  const list = `/content-manager/history-versions?contentType=api::note.note&documentId=${documentId}`;
  const [, oldest] = (await after.call("GET", list)).body.data;
  expect(oldest.meta.unknownAttributes).toEqual({ added: { fresh: string, parts: part }, removed: { old: string } });
  const path = `/content-manager/history-versions/${oldest.id}/restore`;
  expect((await after.call("PUT", path, { contentType: "api::note.note" })).status).toBe(200);
  const restored = (await after.call("GET", `${notes}/${documentId}`)).body.data;
  expect(restored).toMatchObject({ title: "one", fresh: null, parts: [] });
  await after.galley.close();
  folder.remove();
});
