/** Locales, files and tokens through the admin's routes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, createCall, projectFolder, type TestApp, typeFile } from "../project.ts";

const KEY = "test-admin";
const folder = projectFolder({
  ...typeFile("note", { text: { type: "string" } }, { localized: true }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
});
const credentials = { authorization: `Bearer ${KEY}` };

let galley: Galley;
let admin: TestApp["call"];

beforeAll(async () => {
  galley = await createGalley({ project: folder.root, memory: false, admin: true, environment: {} });
  admin = createCall(galley, credentials);
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

test.each([
  "/i18n/locales",
  "/upload/files",
  "/content-type-builder/content-types",
  "/users-permissions/roles",
  "/admin/users/me",
  "/admin/api-tokens",
])("%s needs an admin token", async (path) => {
  expect((await admin("GET", path, undefined, {})).status).toBe(401);
  expect((await admin("GET", path)).status).toBe(200);
});

test("a new locale is written into config/galley.json, and takes documents at once", async () => {
  const made = await admin("POST", "/i18n/locales", { code: "fr", name: "French (fr)", isDefault: false });
  expect(made).toMatchObject({ status: 200, body: { code: "fr", isDefault: false } });
  const { locales, tokens } = JSON.parse(readFileSync(join(folder.root, "config/galley.json"), "utf8"));
  expect(locales).toMatchObject([{ code: "en", isDefault: true }, { code: "fr" }]);
  expect(tokens).toHaveLength(1);
  const notes = "/content-manager/collection-types/api::note.note";
  expect((await admin("POST", notes, { text: "salut", locale: "fr" })).body.data.locale).toBe("fr");
  const { body } = await admin("PUT", `/i18n/locales/${made.body.id}`, { isDefault: true });
  expect(body.isDefault).toBe(true);
  expect((await admin("DELETE", `/i18n/locales/${made.body.id}`)).status).toBe(400);
});

test("deleting a locale deletes what is written in it", async () => {
  const made = await admin("POST", "/i18n/locales", { code: "it", name: "Italian", isDefault: false });
  const notes = "/content-manager/collection-types/api::note.note";
  const { body } = await admin("POST", notes, { text: "ciao", locale: "it" });
  expect((await admin("DELETE", `/i18n/locales/${made.body.id}`)).status).toBe(200);
  expect((await admin("GET", `${notes}/${body.data.documentId}?locale=it`)).status).toBe(404);
  await admin("POST", "/i18n/locales", { code: "it", name: "Italian", isDefault: false });
  expect((await admin("GET", `${notes}?locale=it`)).body.results).toEqual([]);
});

test("a locale is deleted while passwords of configured users are still compared", async () => {
  const locales = [
    { code: "en", name: "English (en)", isDefault: true },
    { code: "fr", name: "French (fr)", isDefault: false },
  ];
  const ada = { username: "ada", email: "ada@example.com", password: "Secret-123" };
  const tokens = [{ name: "admin", type: "admin", key: KEY }];
  const project = projectFolder({ ...typeFile("note", {}), ...configFile({ locales, users: [ada], tokens }) });
  await using opened = await createGalley({ project: project.root, memory: false, admin: true, environment: {} });
  const call = createCall(opened, credentials);
  // signing in waits for the comparison at the start
  await call("POST", "/api/auth/local", { identifier: ada.username, password: ada.password });
  const { body } = await call("POST", "/i18n/locales", { code: "it", name: "Italian", isDefault: false });
  expect((await call("DELETE", `/i18n/locales/${body.id}`)).status).toBe(200);
  expect((await call("GET", "/i18n/locales")).body).toMatchObject(locales);
  project.remove();
});

test.each([[{}], [{ code: "not a tag", isDefault: false }], [{ code: "it", isDefault: "no" }]])(
  "a locale of %j is refused",
  async (body) => expect((await admin("POST", "/i18n/locales", body)).status).toBe(400),
);

test("files are uploaded, listed and removed", async () => {
  const form = new FormData();
  form.append("files", new File(["text"], "a.txt", { type: "text/plain" }));
  const init = { method: "POST", headers: credentials, body: form };
  const uploaded = await galley.handle(new Request("http://localhost/upload", init));
  expect(uploaded.status).toBe(201);
  const [file] = (await uploaded.json()) as [{ id: number }];
  const { body } = await admin("GET", "/upload/files?page=1&pageSize=5");
  expect(body).toMatchObject({ results: [{ name: "a.txt", folder: null }], pagination: { pageSize: 5, total: 1 } });
  const removed = await admin("POST", "/upload/actions/bulk-delete", { fileIds: [file.id, 9999] });
  expect(removed.body.data.files).toHaveLength(1);
  expect((await admin("GET", "/upload/files")).body.results).toEqual([]);
});

test("a made token opens the Content API, and its key is shown alone again, not in lists, and is stored nowhere", async () => {
  const { body } = await admin("POST", "/admin/api-tokens", { name: "reader", type: "read-only" });
  const { id, accessKey } = body.data;
  expect((await admin("GET", "/api/notes", undefined, { authorization: `Bearer ${accessKey}` })).status).toBe(200);
  expect((await admin("GET", `/admin/api-tokens/${id}`)).body.data.accessKey).toBe(accessKey);
  expect(JSON.stringify((await admin("GET", "/admin/api-tokens")).body)).not.toContain(accessKey);
  const rows = galley.database().query("SELECT * FROM galley_tokens").all();
  expect(JSON.stringify(rows)).not.toContain(accessKey);
  expect((await admin("POST", "/admin/api-tokens", { name: "reader", type: "read-only" })).status).toBe(400);
  await admin("DELETE", `/admin/api-tokens/${id}`);
  expect((await admin("GET", "/api/notes", undefined, { authorization: `Bearer ${accessKey}` })).status).toBe(401);
});

test.each(["\ud800", "a\ud800b", "a\0b"])(
  "a token has no name or description that cannot be stored: %j",
  async (text) => {
    const named = await admin("POST", "/admin/api-tokens", { name: text, type: "read-only" });
    expect([named.status, named.body.error.details.errors[0].path]).toEqual([400, ["name"]]);
    const described = await admin("POST", "/admin/api-tokens", { name: "one", description: text, type: "read-only" });
    expect([described.status, described.body.error.details.errors[0].path]).toEqual([400, ["description"]]);
    expect((await admin("GET", "/admin/api-tokens")).body.data).toEqual([]);
  },
);

test("admin tokens are neither shown, made nor changed through the tokens' routes", async () => {
  expect((await admin("POST", "/admin/api-tokens", { name: "more", type: "admin" })).status).toBe(400);
  expect((await admin("GET", "/admin/api-tokens")).body.data).toEqual([]);
});
