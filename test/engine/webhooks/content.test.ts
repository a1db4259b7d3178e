/** Writes of a project without own code. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Body, componentFile, createCall, relation, type TestApp, testApp, typeFile } from "../../project.ts";
import { until } from "../../until.ts";
import { startReceiver } from "./receiver.ts";

const ADMIN_KEY = "test-admin";
const tokens = [
  { name: "full", type: "full-access", key: "test-full-access" },
  { name: "admin", type: "admin", key: ADMIN_KEY },
];
const files = {
  ...typeFile(
    "note",
    {
      title: { type: "string" },
      secret: { type: "string", private: true },
      tags: relation("manyToMany", "tag"),
      seo: { type: "component", component: "shared.seo" },
    },
    { draftAndPublish: true, localized: false },
  ),
  ...typeFile("tag", { name: { type: "string" } }),
  ...typeFile("page", { title: { type: "string" } }, { draftAndPublish: true, localized: true }),
  ...typeFile("home", { title: { type: "string" } }, { kind: "singleType", localized: true }),
  ...componentFile("shared.seo", { text: { type: "string" }, hidden: { type: "string", private: true } }),
  "config/server.json": JSON.stringify({ webhooks: { defaultHeaders: { "x-default": "d", "x-own": "overridden" } } }),
  "config/galley.json": JSON.stringify({
    tokens,
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
};

const EVENTS = [
  ...["entry.create", "entry.update", "entry.delete", "entry.publish", "entry.unpublish", "entry.draft-discard"],
  ...["media.create", "media.update", "media.delete"],
];

let status = 200;
const receiver = startReceiver((path) =>
  path === "/redirect" ? Response.redirect(`${receiver.url}/target`) : new Response("answer", { status }),
);
let app: TestApp;
let admin: TestApp["call"];

beforeAll(async () => {
  app = await testApp(files, { admin: true, memory: true });
  admin = createCall(app, { authorization: `Bearer ${ADMIN_KEY}` });
});
afterAll(async () => {
  await app.close();
  await receiver.stop();
});

const hook = (path: string, events: readonly string[]) => ({
  name: "receiver",
  url: `${receiver.url}${path}`,
  headers: { "x-own": "own" },
  events,
});
const addWebhook = async (path = "/hook", events: readonly string[] = EVENTS): Promise<string> =>
  (await admin("POST", "/admin/webhooks", hook(path, events))).body.data.id;

beforeEach(async () => {
  const { data } = (await admin("GET", "/admin/webhooks")).body;
  if (data.length > 0) await admin("POST", "/admin/webhooks/batch-delete", { ids: data.map(({ id }: Body) => id) });
  receiver.received.length = 0;
});

const create = async (data: object, query = ""): Promise<Body> =>
  (await app.call("POST", `/api/notes${query}`, { data })).body.data;

/** Events and the documents that they are about. */
const summary = (bodies: readonly { readonly body: Body }[]) =>
  bodies.map(({ body: { event, entry } }) => [event, entry.title, entry.publishedAt !== null]);

test("a webhook gets the whole entry without private attributes, and its own headers", async () => {
  await addWebhook();
  const tag = (await app.call("POST", "/api/tags", { data: { name: "red" } })).body.data;
  await receiver.next(1);
  const data = { title: "a", secret: "s", tags: [tag.documentId], seo: { text: "t", hidden: "h" } };
  const note = await create(data, "?status=draft&fields=title");
  const [request] = await receiver.next(1);
  const { body, headers } = request!;
  expect(body).toMatchObject({ event: "entry.create", model: "note", uid: "api::note.note" });
  expect(Date.parse(body.createdAt)).toBeGreaterThan(0);
  expect(body.entry).toMatchObject({ documentId: note.documentId, title: "a", seo: { text: "t" }, publishedAt: null });
  expect(body.entry.tags).toMatchObject([{ name: "red" }]);
  expect(JSON.stringify(body)).not.toMatch(/secret|hidden|"password"/);
  const names = ["x-strapi-event", "content-type", "x-own", "x-default"];
  expect(names.map((name) => headers.get(name))).toEqual(["entry.create", "application/json", "own", "d"]);
});

test("every kind of write is reported, whoever makes it", async () => {
  await addWebhook();
  const { documentId } = await create({ title: "a" });
  expect(summary(await receiver.next(2))).toEqual([
    ["entry.create", "a", false],
    ["entry.publish", "a", true],
  ]);
  await app.call("PUT", `/api/notes/${documentId}?status=draft`, { data: { title: "b" } });
  expect(summary(await receiver.next(1))).toEqual([["entry.update", "b", false]]);
  const path = `/content-manager/collection-types/api::note.note`;
  await admin("POST", `${path}/${documentId}/actions/discard`, {});
  expect(summary(await receiver.next(1))).toEqual([["entry.draft-discard", "a", false]]);
  await admin("POST", `${path}/actions/bulkUnpublish`, { documentIds: [documentId] });
  expect(summary(await receiver.next(1))).toEqual([["entry.unpublish", "a", true]]);
  await app.documents("api::note.note").publish({ documentId });
  expect(summary(await receiver.next(1))).toEqual([["entry.publish", "a", true]]);
  const query = `mutation { updateNote(documentId: "${documentId}", data: { title: "c" }) { title } }`;
  await app.call("POST", "/graphql", { query });
  expect(summary(await receiver.next(2)).map(([event]) => event)).toEqual(["entry.update", "entry.publish"]);
  await app.call("DELETE", `/api/notes/${documentId}`);
  const deleted = await receiver.next(2);
  expect(deleted.map(({ body }) => [body.event, body.entry.documentId])).toEqual([
    ["entry.delete", documentId],
    ["entry.delete", documentId],
  ]);
  expect(JSON.stringify(deleted)).not.toContain("secret");
});

test("an update that adds a locale is reported as a creation", async () => {
  const { documentId } = (await app.call("POST", "/api/pages?status=draft", { data: { title: "a" } })).body.data;
  await app.call("PUT", "/api/home", { data: { title: "a" } });
  await addWebhook();
  const path = `/api/pages/${documentId}?locale=fr`;
  await app.call("PUT", path, { data: { title: "b" } });
  await app.call("PUT", path, { data: { title: "c" } });
  expect(summary(await receiver.next(4))).toEqual([
    ["entry.create", "b", false],
    ["entry.publish", "b", true],
    ["entry.update", "c", false],
    ["entry.publish", "c", true],
  ]);
  await app.call("PUT", "/api/home?locale=fr", { data: { title: "b" } });
  await app.call("PUT", "/api/home?locale=fr", { data: { title: "c" } });
  const events = (await receiver.next(2)).map(({ body: { event, entry } }) => [event, entry.title, entry.locale]);
  expect(events).toEqual([
    ["entry.create", "b", "fr"],
    ["entry.update", "c", "fr"],
  ]);
});

test("many documents of one action are all reported, and a write right before the end", async () => {
  const own = await testApp(files, { admin: true, memory: true });
  const call = createCall(own, { authorization: `Bearer ${ADMIN_KEY}` });
  const documentIds: string[] = [];
  for (let n = 0; n < 40; n++) {
    const { body } = await own.call("POST", "/api/notes?status=draft", { data: { title: String(n) } });
    documentIds.push(body.data.documentId);
  }
  await call("POST", "/admin/webhooks", hook("/many", ["entry.publish"]));
  const path = "/content-manager/collection-types/api::note.note/actions/bulkPublish";
  expect((await call("POST", path, { documentIds })).status).toBe(200);
  const titles = (await receiver.next(40)).map(({ body }) => body.entry.title);
  expect(titles).toEqual(documentIds.map((_, n) => String(n)));
  await own.call("POST", "/api/notes", { data: { title: "last" } });
  await own.close();
  expect((await receiver.next(1))[0]!.body.entry.title).toBe("last");
});

test("files are reported", async () => {
  await addWebhook("/media", ["media.create", "media.update", "media.delete"]);
  const form = new FormData();
  form.append("files", new File(["text"], "a.txt", { type: "text/plain" }));
  const headers = { authorization: "Bearer test-full-access" };
  const sent = await app.handle(new Request("http://localhost/api/upload", { method: "POST", body: form, headers }));
  const [file] = (await sent.json()) as Body;
  const info = new FormData();
  info.append("fileInfo", JSON.stringify({ caption: "c" }));
  await app.handle(new Request(`http://localhost/api/upload?id=${file.id}`, { method: "POST", body: info, headers }));
  await app.call("DELETE", `/api/upload/files/${file.id}`);
  const received = await receiver.next(3);
  expect(received.map(({ body }) => [body.event, body.media.name, body.media.caption])).toEqual([
    ["media.create", "a.txt", null],
    ["media.update", "a.txt", "c"],
    ["media.delete", "a.txt", "c"],
  ]);
});

test("changed, disabled and removed webhooks count for the next write", async () => {
  const id = await addWebhook("/first", ["entry.create"]);
  await create({ title: "a" }, "?status=draft");
  await receiver.next(1);
  await admin("PUT", `/admin/webhooks/${id}`, { ...hook("/first", ["entry.create"]), isEnabled: false });
  await create({ title: "b" }, "?status=draft");
  await admin("PUT", `/admin/webhooks/${id}`, { ...hook("/second", ["entry.create"]), isEnabled: true });
  await create({ title: "c" }, "?status=draft");
  expect((await receiver.next(1)).map(({ path, body }) => [path, body.entry.title])).toEqual([["/second", "c"]]);
  await admin("DELETE", `/admin/webhooks/${id}`);
  await create({ title: "d" }, "?status=draft");
  await addWebhook("/third", ["entry.create"]);
  await create({ title: "e" }, "?status=draft");
  expect((await receiver.next(1)).map(({ path, body }) => [path, body.entry.title])).toEqual([["/third", "e"]]);
});

test("a write that fails is not reported", async () => {
  await addWebhook("/hook", ["entry.create", "entry.update"]);
  expect((await app.call("POST", "/api/notes", { data: { title: 1, tags: ["unknown"] } })).status).toBe(400);
  expect((await app.call("PUT", "/api/notes/unknown", { data: { title: "x" } })).status).toBe(404);
  await create({ title: "last" }, "?status=draft");
  expect(summary(await receiver.next(1))).toEqual([["entry.create", "last", false]]);
});

test("redirects are not followed", async () => {
  await addWebhook("/redirect", ["entry.create"]);
  await addWebhook("/other", ["entry.create"]);
  await create({ title: "a" }, "?status=draft");
  await create({ title: "b" }, "?status=draft");
  expect((await receiver.next(4)).map(({ path }) => path).sort()).toEqual([
    "/other",
    "/other",
    "/redirect",
    "/redirect",
  ]);
});

test("a test of a webhook on this machine is sent in development", async () => {
  const id = await addWebhook("/hook", []);
  expect((await admin("POST", `/admin/webhooks/${id}/trigger`)).body.data).toEqual({ statusCode: 200 });
  expect((await receiver.next(1))[0]!.body.event).toBe("trigger-test");
});

test("a request has the tags that are stale since the one before it, by whatever writes", async () => {
  await addWebhook("/hook", ["entry.publish"]);
  const note = (await app.call("POST", "/api/notes", { data: { title: "a" } })).body.data.documentId as string;
  await receiver.next(1);
  const tag = (await app.call("POST", "/api/tags", { data: { name: "t" } })).body.data.documentId as string;
  await app.call("PUT", `/api/notes/${note}`, { data: { title: "b", secret: "s", tags: [tag] } });
  const [second] = await receiver.next(1);
  const tags = second!.headers.get("cache-tag")!.split(",");
  for (const name of [
    `note:${note}`,
    `note:${note}:tags`,
    `note:${note}:draft`,
    "note.title",
    "note.tags",
    "note",
    "tag:list",
  ])
    expect(tags).toContain(name);
  // this one was not listed anew, nor are private attributes named
  for (const name of ["note:list", "note.secret", "all"]) expect(tags).not.toContain(name);
  expect(second!.body).not.toHaveProperty("tags");
});

const insertTag = (documentId: string): void => {
  const row = "INSERT INTO tags (document_id, status, name, created_at, updated_at) VALUES (?, 'published', 'x', 1, 1)";
  app.database().query(row).run(documentId);
};

test("after a request that was refused, and after more writes than can be named, everything is stale", async () => {
  const isAllStaleAfter = async (answer: number): Promise<boolean> => {
    status = answer;
    await app.call("POST", "/api/tags", { data: { name: "t" } });
    return (await receiver.next(1))[0]!.headers.get("cache-tag")!.split(",").includes("all");
  };
  await addWebhook("/hook", ["entry.create"]);
  expect(await isAllStaleAfter(200)).toBe(true);
  expect(await isAllStaleAfter(500)).toBe(false);
  await until("the refusal is known", () => isAllStaleAfter(200));
  expect(await isAllStaleAfter(200)).toBe(false);
  for (let index = 0; index < 501; index++) insertTag(`many${index}`);
  expect(await isAllStaleAfter(200)).toBe(true);
});

test("tags leave room for other headers of receivers that take 8 KB", async () => {
  await addWebhook("/hook", ["entry.create"]);
  const lengths: number[] = [];
  for (let count = 0; count < 280; count += 20) {
    for (let index = 0; index < count; index++) insertTag(`tag-${count}-${index}-with-a-long-id`);
    await app.call("POST", "/api/tags", { data: { name: "t" } });
    lengths.push((await receiver.next(1))[0]!.headers.get("cache-tag")!.length);
  }
  expect(Math.max(...lengths)).toBeWithin(4_000, 6_001);
  expect(lengths.at(-1)).toBe("all".length);
});
