/** Start page, configuration of forms and lists, webhooks and folders through the admin's routes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { componentFile, configFile, createCall, projectFolder, type TestApp, typeFile } from "../project.ts";

const KEY = "test-admin";
const folder = projectFolder({
  ...typeFile("note", { title: { type: "string" }, secret: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("tag", { label: { type: "string" } }),
  ...componentFile("basic.link", { href: { type: "string" } }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
});
const NOTES = "/content-manager/collection-types/api::note.note";

let galley: Galley;
let admin: TestApp["call"];

beforeAll(async () => {
  galley = await createGalley({ project: folder.root, admin: true, environment: {} });
  admin = createCall(galley, { authorization: `Bearer ${KEY}` });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

test("the start page has the newest documents with their states, and counts", async () => {
  const ids: string[] = [];
  for (const title of ["one", "two", "three"]) ids.push((await admin("POST", NOTES, { title })).body.data.documentId);
  for (const id of ids.slice(1)) await admin("POST", `${NOTES}/${id}/actions/publish`, {});
  await admin("PUT", `${NOTES}/${ids[2]}`, { title: "four" });
  const recent = await admin("GET", "/content-manager/homepage/recent-documents?action=update");
  expect(recent.body.data).toMatchObject([
    { title: "four", status: "modified", contentTypeUid: "api::note.note" },
    { title: "two", status: "published" },
    { title: "one", status: "draft" },
  ]);
  const counted = await admin("GET", "/content-manager/homepage/count-documents");
  expect(counted.body.data).toEqual({ draft: 1, modified: 1, published: 1 });
  expect((await admin("GET", "/content-manager/homepage/recent-documents")).status).toBe(400);
});

test("bulk actions do all of it or nothing", async () => {
  const { documentId } = (await admin("POST", NOTES, { title: "kept" })).body.data;
  const failing = await admin("POST", `${NOTES}/actions/bulkDelete`, { documentIds: [documentId, 7.5] });
  expect(failing.status).toBe(400);
  expect((await admin("GET", `${NOTES}/${documentId}`)).status).toBe(200);
  const published = await admin("POST", `${NOTES}/actions/bulkPublish`, { documentIds: [documentId] });
  expect(published.body).toEqual({ count: 1 });
});

test("a configuration is answered as it was sent, and keeps its other parts", async () => {
  const path = "/content-manager/content-types/api::note.note/configuration";
  const layouts = { list: ["id", "title"], edit: [[{ name: "title", size: 12 }]] };
  expect((await admin("PUT", path, { layouts })).body.data.contentType.layouts).toEqual(layouts);
  const { contentType } = (await admin("GET", path)).body.data;
  expect(contentType.layouts).toEqual(layouts);
  expect(contentType.settings.mainField).toBe("title");
  expect((await admin("PUT", path, { layouts: { list: ["nope"], edit: [] } })).status).toBe(400);
});

test.each([
  "http://10.1.2.3/",
  "http://169.254.169.254/latest/meta-data",
  "http://[fd00::1]/",
  "http://intranet/",
  "http://db.internal./",
  "file:///etc/passwd",
])("a webhook is never called at %s, and not even kept in production", async (url) => {
  const hook = { name: "inside", url, headers: {}, events: [] };
  const made = await admin("POST", "/admin/webhooks", hook);
  if (made.status === 201) {
    const path = `/admin/webhooks/${made.body.data.id}`;
    const { data } = (await admin("POST", `${path}/trigger`)).body;
    expect(data).toEqual({ statusCode: 500, message: expect.stringContaining("isn't reachable") });
    await admin("DELETE", path);
  } else expect(made.status).toBe(400);
  const environment = { NODE_ENV: "production" };
  const inProduction = await createGalley({ project: folder.root, memory: true, admin: true, environment });
  const call = createCall(inProduction, { authorization: `Bearer ${KEY}` });
  expect((await call("POST", "/admin/webhooks", hook)).status).toBe(400);
  expect((await call("GET", "/admin/webhooks")).body.data).toEqual([]);
  await inProduction.close();
});

test.each(["http://127.0.0.1:1337/x", "http://localhost/x"])(
  "in production, a webhook at %s is refused",
  async (url) => {
    const environment = { NODE_ENV: "production" };
    const inProduction = await createGalley({ project: folder.root, memory: true, admin: true, environment });
    const call = createCall(inProduction, { authorization: `Bearer ${KEY}` });
    const hook = { name: "inside", url, headers: {}, events: [] };
    expect((await call("POST", "/admin/webhooks", hook)).status).toBe(400);
    await inProduction.close();
  },
);

test("folders with what is below them are removed together", async () => {
  const one = (await admin("POST", "/upload/folders", { name: "one" })).body.data;
  const two = (await admin("POST", "/upload/folders", { name: "two", parent: one.id })).body.data;
  expect(two.path).toBe(`${one.path}/${two.pathId}`);
  const inside = await admin("PUT", `/upload/folders/${one.id}`, { parent: two.id });
  expect(inside.body.error.message).toBe("folder cannot be moved inside itself");
  await admin("POST", "/upload/actions/bulk-delete", { folderIds: [one.id] });
  expect((await admin("GET", "/upload/folder-structure")).body.data).toEqual([]);
});

test("what the schema hides is neither shown nor a main field", async () => {
  const types = await admin("GET", "/content-manager/content-types-settings");
  const note = types.body.data.find(({ uid }: { uid: string }) => uid === "api::note.note");
  expect(note.settings.mainField).toBe("title");
});
