/** `If-Match`: a version that somebody else has saved is not overwritten, however close together the writes are. `If-None-Match`: nor made twice. */
import { describe, expect, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { type Body, projectFolder, typeFile } from "../project.ts";
import { AUTHORIZATION, adminConfigFile, openAsAdmin } from "./admin-token.ts";

const folder = projectFolder({
  ...typeFile(
    "note",
    { text: { type: "string", pluginOptions: { i18n: { localized: true } } } },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("mark", { text: { type: "string" } }),
  ...typeFile("about", { text: { type: "string" } }, { kind: "singleType" }),
  ...adminConfigFile({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
});
const NOTES = "/content-manager/collection-types/api::note.note";
const MARKS = "/content-manager/collection-types/api::mark.mark";
const ABOUT = "/content-manager/single-types/api::about.about";

let galley: Galley;
openAsAdmin(folder, (opened) => {
  ({ galley } = opened);
});

async function send(
  method: string,
  path: string,
  body: object,
  basedOn?: string,
): Promise<{ status: number; body: Body }> {
  const headers = {
    ...AUTHORIZATION,
    "content-type": "application/json",
    ...(basedOn === undefined ? {} : { "if-match": basedOn }),
  };
  const init = { method, headers, ...(method === "GET" ? {} : { body: JSON.stringify(body) }) };
  const response = await galley.handle(new Request(`http://localhost${path}`, init));
  return { status: response.status, body: await response.json() };
}

const make = async (path: string): Promise<{ id: string; tag: string }> => {
  const { data } = (await send("POST", path, { text: "first" })).body;
  return { id: data.documentId, tag: `"${data.updatedAt}"` };
};

test.each([
  ["a draft", NOTES, ""],
  ["a draft that is published", NOTES, "/actions/publish"],
  ["a document without drafts", MARKS, ""],
])("%s is saved once by those who have read the same version", async (_, path, action) => {
  const { id, tag } = await make(path);
  await Bun.sleep(2);
  const write = (text: string) => send(action ? "POST" : "PUT", `${path}/${id}${action}`, { text }, tag);
  const answers = await Promise.all(["a", "b", "c"].map(write));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  const refused = answers.find(({ status }) => status === 412)!.body;
  const saved = answers.find(({ status }) => status === 200)!.body.data;
  expect(refused.error).toMatchObject({ status: 412, name: "PreconditionFailedError" });
  // without the header, and with the newest version, it is written
  expect((await send("PUT", `${path}/${id}`, { text: "d" })).status).toBe(200);
  expect((await send("PUT", `${path}/${id}`, { text: "e" }, `"${saved.updatedAt}"`)).status).toBe(412);
});

test.each([
  ["discarded", "POST", "/actions/discard", {}],
  ["unpublished", "POST", "/actions/unpublish", {}],
  ["unpublished with its draft's changes", "POST", "/actions/unpublish", { discardDraft: true }],
  ["deleted", "DELETE", "", {}],
])("what somebody else has saved is not %s", async (_, method, action, body) => {
  const { id, tag } = await make(NOTES);
  await send("POST", `${NOTES}/${id}/actions/publish`, {});
  await Bun.sleep(2);
  await send("PUT", `${NOTES}/${id}`, { text: "theirs" });
  expect((await send(method, `${NOTES}/${id}${action}`, body, tag)).status).toBe(412);
  const { data } = (await send("GET", `${NOTES}/${id}`, {})).body;
  expect(data).toMatchObject({ text: "theirs", status: "modified" });
  expect((await send(method, `${NOTES}/${id}${action}`, body, `"${data.updatedAt}"`)).status).toBe(200);
});

test("each locale has its own version", async () => {
  const { id, tag } = await make(NOTES);
  expect((await send("PUT", `${NOTES}/${id}?locale=fr`, { text: "un" })).status).toBe(200);
  expect((await send("PUT", `${NOTES}/${id}?locale=fr`, { text: "deux" }, tag)).status).toBe(412);
  expect((await send("PUT", `${NOTES}/${id}?locale=en`, { text: "two" }, tag)).status).toBe(200);
});

test("what was deleted in the meantime is not made again", async () => {
  const made = (await send("PUT", ABOUT, { text: "us" })).body.data;
  await galley.documents("api::about.about").delete({ documentId: made.documentId });
  expect((await send("PUT", ABOUT, { text: "again" }, `"${made.updatedAt}"`)).status).toBe(412);
  expect(await galley.documents("api::about.about").count({})).toBe(0);
});

test.each(["*", 'W/"x"', "2026-01-01"])("If-Match: %s is refused", async (header) => {
  const { id } = await make(MARKS);
  expect((await send("PUT", `${MARKS}/${id}`, { text: "x" }, header)).status).toBe(400);
});

describe("If-None-Match: *", () => {
  const documentId = "aaaaaaaaaaaaaaaaaaaaaaaa";

  async function create(path: string, header = "*"): Promise<number> {
    const headers = { ...AUTHORIZATION, "content-type": "application/json", "if-none-match": header };
    const body = JSON.stringify({ text: "once", documentId });
    const response = await galley.handle(new Request(`http://localhost${path}`, { method: "POST", headers, body }));
    return response.status;
  }

  test.each([
    ["a draft", NOTES, ""],
    ["a document that is published at once", NOTES, "/actions/publish"],
    ["a document without drafts", MARKS, ""],
  ])("%s that has an id is created once, however often it is sent", async (_, path, action) => {
    const statuses = await Promise.all(Array.from({ length: 5 }, () => create(path + action)));
    expect(statuses.toSorted()).toEqual([action === "" ? 201 : 200, 412, 412, 412, 412]);
    expect((await send("GET", `${path}?filters[documentId]=${documentId}`, {})).body.pagination.total).toBe(1);
    await send("DELETE", `${path}/${documentId}`, {});
  });

  test("another value is refused", async () => {
    expect(await create(MARKS, '"x"')).toBe(400);
  });
});
