/** Parameters and bodies of the admin routes that Strapi reads, over HTTP with an admin token. */
import { describe, expect, test } from "bun:test";
import { type Body, projectFolder, relation, type TestApp, typeFile } from "../project.ts";
import { adminConfigFile, openAsAdmin } from "./admin-token.ts";

const localized = { pluginOptions: { i18n: { localized: true } } };
const folder = projectFolder({
  ...typeFile(
    "note",
    { text: { type: "string", ...localized }, rank: { type: "integer" }, marks: relation("manyToMany", "mark") },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("mark", { text: { type: "string" } }),
  ...typeFile("list", { notes: relation("manyToMany", "note") }),
  ...adminConfigFile({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
      { code: "de", name: "German" },
    ],
  }),
});
const NOTES = "/content-manager/collection-types/api::note.note";
const LISTS = "/content-manager/collection-types/api::list.list";
const MARKS = "/content-manager/collection-types/api::mark.mark";

let send: TestApp["call"];
openAsAdmin(folder, ({ admin }) => {
  send = admin;
});

const create = async (path: string, body: object): Promise<string> =>
  (await send("POST", path, body)).body.data.documentId;

describe("populate", () => {
  test.each([
    ["populate=*", [{ text: "a mark" }]],
    ["populate[marks]=true", [{ text: "a mark" }]],
    ["populate=marks", { count: 1 }],
    ["populate[other]=true", { count: 1 }],
  ])("%s of a document, and of a list", async (query, marks) => {
    const mark = await create(MARKS, { text: "a mark" });
    const note = await create(NOTES, { text: query, marks: { connect: [{ documentId: mark }] } });
    const one = await send("GET", `${NOTES}/${note}?${query}`);
    expect(one.body.data.marks).toMatchObject(marks);
    const list = await send("GET", `${NOTES}?${query}&filters[documentId]=${note}`);
    expect(list.body.results[0].marks).toMatchObject(marks);
  });
});

describe("locales", () => {
  test("a filter on the locale does not override that of the request", async () => {
    const note = await create(`${NOTES}?locale=fr`, { text: "un" });
    const found = async (query: string) =>
      (await send("GET", `${NOTES}?filters[documentId]=${note}&${query}`)).body.pagination.total;
    expect(await found("filters[locale]=fr")).toBe(0);
    expect(await found("filters[locale]=fr&locale=fr")).toBe(1);
  });

  test("a document counts as published in every locale", async () => {
    const note = await create(NOTES, { text: "one" });
    await send("PUT", `${NOTES}/${note}?locale=fr`, { text: "un" });
    await send("POST", `${NOTES}/${note}/actions/publish?locale=fr`, {});
    const found = async (value: boolean) =>
      (await send("GET", `${NOTES}?filters[documentId]=${note}&hasPublishedVersion=${value}`)).body.pagination.total;
    expect([await found(true), await found(false)]).toEqual([1, 0]);
  });

  test("documents of types without locales are in no locale to delete", async () => {
    const mark = await create(MARKS, { text: "m" });
    expect((await send("DELETE", `${MARKS}/${mark}?locale=fr`)).status).toBe(404);
    expect((await send("DELETE", `${MARKS}/${mark}?locale=*`)).status).toBe(200);
  });

  test("other locales are listed by their code", async () => {
    const note = await create(`${NOTES}?locale=fr`, { text: "un" });
    await send("PUT", `${NOTES}/${note}?locale=de`, { text: "eins" });
    await send("PUT", `${NOTES}/${note}`, { text: "one" });
    const { body } = await send("GET", `${NOTES}/${note}`);
    expect(body.meta.availableLocales.map(({ locale }: Body) => locale)).toEqual(["de", "fr"]);
  });

  test("publishing one locale leaves changes of another one marked, and what is published of it alone", async () => {
    const note = await create(NOTES, { text: "one", rank: 1 });
    await send("PUT", `${NOTES}/${note}?locale=fr`, { text: "un" });
    await send("POST", `${NOTES}/${note}/actions/publish?locale=fr`, {});
    await send("PUT", `${NOTES}/${note}?locale=fr`, { text: "deux" });
    await send("POST", `${NOTES}/${note}/actions/publish`, { rank: 7 });
    const draft = (await send("GET", `${NOTES}/${note}?locale=fr`)).body.data;
    expect([draft.status, draft.rank]).toEqual(["modified", 7]);
    const published = (await send("GET", `${NOTES}/${note}?locale=fr&status=published`)).body.data;
    expect(published.rank).toBe(1);
  });
});

describe("ids of new documents", () => {
  test("may be given, once per locale", async () => {
    const made = await send("POST", NOTES, { text: "one", documentId: "my-note" });
    expect([made.status, made.body.data.documentId]).toEqual([201, "my-note"]);
    const again = await send("POST", NOTES, { text: "two", documentId: "my-note" });
    expect([again.status, again.body.error.message]).toEqual([
      400,
      'A draft entry with documentId "my-note" and locale "en" already exists for UID "api::note.note". This combination must be unique.',
    ]);
    expect((await send("POST", `${NOTES}?locale=fr`, { text: "un", documentId: "my-note" })).status).toBe(201);
    expect((await send("GET", `${NOTES}/my-note`)).body.data.localizations).toHaveLength(1);
  });

  test.each([
    ["too long", "x".repeat(256)],
    ["with a null character", "a\0b"],
  ])("%s are refused", async (_, documentId) => {
    expect((await send("POST", NOTES, { text: "one", documentId })).status).toBe(400);
  });
});

test("a document that is published twice in one request counts twice", async () => {
  const note = await create(NOTES, { text: "one" });
  const publish = (documentIds: string[]) => send("POST", `${NOTES}/actions/bulkPublish`, { documentIds });
  expect((await publish([note, note])).body).toEqual({ count: 2 });
  expect((await send("POST", `${NOTES}/actions/bulkUnpublish`, { documentIds: [note, note] })).body).toEqual({
    count: 1,
  });
});

describe("folders", () => {
  const FOLDERS = "/upload/folders";

  test("have the administrator as their creator, without secrets", async () => {
    const { id } = (await send("POST", FOLDERS, { name: "first" })).body.data;
    const { createdBy } = (await send("GET", `${FOLDERS}/${id}?populate=*`)).body.data;
    expect(createdBy).toEqual({
      id: 1,
      firstname: "Admin",
      lastname: "Admin",
      username: null,
      email: "admin@example.com",
      isActive: true,
    });
    expect((await send("GET", `${FOLDERS}?filters[createdBy][id]=1`)).body.data).toHaveLength(1);
  });

  test("are found by their id and the filters of the request", async () => {
    const { id } = (await send("POST", FOLDERS, { name: "second" })).body.data;
    expect((await send("GET", `${FOLDERS}/${id}?filters[name]=second`)).status).toBe(200);
    expect((await send("GET", `${FOLDERS}/${id}?filters[name]=other`)).status).toBe(404);
    expect((await send("GET", `${FOLDERS}/${id}?_q=other`)).status).toBe(404);
  });

  test("and files cannot be filtered by secrets", async () => {
    const { status, body } = await send("GET", `/upload/files?filters[createdBy][password]=x`);
    expect([status, body.error.message, body.error.details]).toEqual([
      400,
      "Invalid key password at createdBy.password",
      {},
    ]);
  });

  test.each(["page=0", "pageSize=x", "pageSize=-1"])(
    "with %s are refused, though pages have no effect",
    async (query) => {
      const { status, body } = await send("GET", `${FOLDERS}?${query}`);
      expect([status, body.error.name]).toEqual([400, "PaginationError"]);
    },
  );
});

test("a position names its neighbour in a locale of its own", async () => {
  const first = await create(NOTES, { text: "en 1" });
  const second = await create(NOTES, { text: "en 2" });
  await send("PUT", `${NOTES}/${second}?locale=fr`, { text: "fr 2" });
  const list = await create(LISTS, { notes: { connect: [{ documentId: second, locale: "fr" }] } });
  const position = { before: second, locale: "fr" };
  const notes = { connect: [{ documentId: first, locale: "en", position }] };
  expect((await send("PUT", `${LISTS}/${list}`, { notes })).status).toBe(200);
  const { body } = await send("GET", `/content-manager/relations/api::list.list/${list}/notes`);
  // the last one first
  expect(body.results.map(({ locale }: Body) => locale)).toEqual(["fr", "en"]);
});

describe("relations that can be linked", () => {
  const AVAILABLE = "/content-manager/relations/api::note.note/marks";

  test("ignore filters on attributes that do not exist, and keep the others", async () => {
    await create(MARKS, { text: "here" });
    const found = (await send("GET", `${AVAILABLE}?filters[none]=1&filters[text]=here`)).body.results;
    expect(found).toHaveLength(1);
  });

  test("are of one document", async () => {
    const { status, body } = await send("GET", `${AVAILABLE}?id[0]=x`);
    expect([status, body.error.details.errors[0].path]).toEqual([400, ["id"]]);
  });
});

test("permissions of a custom token cannot be null", async () => {
  const token = { name: "custom", type: "custom", permissions: ["api::note.note.find"], lifespan: null };
  const { id } = (await send("POST", "/admin/api-tokens", token)).body.data;
  const { status, body } = await send("PUT", `/admin/api-tokens/${id}`, { type: "custom", permissions: null });
  expect([status, body.error.message]).toEqual([400, "Missing permissions attribute for custom token"]);
  expect((await send("PUT", `/admin/api-tokens/${id}`, { name: "renamed" })).body.data.permissions).toEqual(
    token.permissions,
  );
});

test("an empty address of a webhook is not a URL either", async () => {
  const webhook = { name: "hook", url: "", events: ["entry.create"], headers: {} };
  const { body } = await send("POST", "/admin/webhooks", webhook);
  expect(body.error.details.errors[0].message).toBe("url must be a valid URL");
});

test("no address follows a confirmation by default", async () => {
  const { body } = await send("GET", "/users-permissions/advanced");
  expect(body.settings.email_confirmation_redirection).toBeNull();
});
