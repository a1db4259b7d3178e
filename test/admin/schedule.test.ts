/** Documents are published and unpublished at their time, also what became due while no server ran. */
import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import { runDue } from "../../src/admin/content-manager/schedule/run-due.ts";
import { scheduleOf, setSchedule } from "../../src/engine/documents/schedule.ts";
import { contentType } from "../../src/engine/schema/model.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { ApiError } from "../../src/lib/errors.ts";
import { openProject } from "../../src/server/project/project.ts";
import { type Body, configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests";
const POST = "api::post.post";
const POSTS = `/content-manager/collection-types/${POST}`;
const HOUR = 3_600_000;

const localized = { pluginOptions: { i18n: { localized: true } } };
const folder = projectFolder({
  ...typeFile(
    "post",
    { title: { type: "string", ...localized }, text: { type: "string", required: true, ...localized } },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("tag", { name: { type: "string" } }),
  ...configFile({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
});
const open = () =>
  createGalley({ project: folder.root, memory: false, admin: true, environment: { ADMIN_JWT_SECRET: KEY } });

let galley: Galley;
beforeAll(async () => {
  galley = await open();
});
afterEach(() => setSystemTime());
afterAll(async () => {
  await galley.close();
  folder.remove();
});

const ask = async (method: string, path: string, body?: object) =>
  askAs(galley, await signedIn(galley, KEY))(method, path, body);
const after = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString();
const create = async (data: object): Promise<string> => (await ask("POST", POSTS, data)).body.data.documentId;
const schedule = (documentId: string, times: object) =>
  ask("PUT", "/schedule", { contentType: POST, documentId, ...times });
const scheduled = async (documentId: string): Promise<Body[]> =>
  (await ask("GET", `/schedule?contentType=${POST}&documentId=${documentId}`)).body.data;
const online = async (documentId: string, locale = "en"): Promise<unknown> =>
  (await galley.documents(POST).findOne({ documentId, locale, status: "published" }))?.title;

test("what became due while no server ran is done by the next one, once, and what is invalid is reported", async () => {
  const ids = {
    published: await create({ title: "published", text: "a" }),
    french: await create({ title: "english", text: "b" }),
    both: await create({ title: "both", text: "c" }),
    later: await create({ title: "later", text: "d" }),
    invalid: await create({ title: "invalid" }),
    deleted: await create({ title: "deleted", text: "e" }),
    unpublished: await create({ title: "unpublished", text: "f" }),
  };
  await ask("PUT", `${POSTS}/${ids.french}?locale=fr`, { title: "french", text: "b" });
  await ask("POST", `${POSTS}/${ids.unpublished}/actions/publish`, {});
  const publish = after(1);
  for (const name of ["published", "invalid", "deleted"] as const) await schedule(ids[name], { publish });
  await schedule(ids.french, { publish, locale: "fr" });
  await schedule(ids.both, { publish, unpublish: after(2) });
  await schedule(ids.later, { publish: after(20) });
  await schedule(ids.unpublished, { unpublish: publish });
  expect(await scheduled(ids.published)).toEqual([{ action: "publish", at: publish, problem: null }]);
  await ask("DELETE", `${POSTS}/${ids.deleted}`);
  await galley.close();
  setSystemTime(Date.now() + 3 * HOUR);
  galley = await open();
  await until("the last entry is run", async () => (await scheduled(ids.invalid))[0]?.problem !== null);
  await until("the second entry of a document is run", async () => (await scheduled(ids.both)).length === 0);
  expect(await online(ids.published)).toBe("published");
  expect([await online(ids.french), await online(ids.french, "fr")]).toEqual([undefined, "french"]);
  expect(await online(ids.both)).toBe(undefined);
  expect(await online(ids.later)).toBe(undefined);
  expect((await scheduled(ids.later)).length).toBe(1);
  expect(await online(ids.unpublished)).toBe(undefined);
  expect(await online(ids.invalid)).toBe(undefined);
  expect((await scheduled(ids.invalid))[0]).toMatchObject({
    action: "publish",
    problem: expect.stringContaining("text"),
  });
  expect(await scheduled(ids.published)).toEqual([]);
  const history = await ask("GET", `/content-manager/history-versions?contentType=${POST}&documentId=${ids.published}`);
  expect(history.body.data.map(({ status }: Body) => status)).toEqual(["published", "draft"]);
}, 60_000);

test.each([
  [{ publish: "tomorrow" }, "The time to publish is not a valid ISO time"],
  [{ publish: "2020-01-01T00:00:00.000Z" }, "The time to publish must be in the future"],
  [
    { publish: "2999-01-02T00:00:00Z", unpublish: "2999-01-01T00:00:00Z" },
    "The time to unpublish must be after the time to publish",
  ],
])("%j is refused: %s", async (times, message) => {
  const id = await create({ title: "refused", text: "a" });
  const { status, body } = await schedule(id, times);
  expect([status, body.error.message]).toEqual([400, message]);
});

test("a schedule is removed, and only documents with drafts have one", async () => {
  const id = await create({ title: "removed", text: "a" });
  await schedule(id, { publish: after(1), unpublish: after(2) });
  expect((await schedule(id, { unpublish: after(3) })).body.data.map(({ action }: Body) => action)).toEqual([
    "unpublish",
  ]);
  expect((await schedule(id, {})).body.data).toEqual([]);
  expect((await schedule("unknown", {})).status).toBe(404);
  expect((await ask("PUT", "/schedule", { contentType: "api::tag.tag", documentId: id })).status).toBe(400);
});

test("an entry that a locked database or a full disk stops is run later", async () => {
  const project = openProject(folder.root, { memory: true, publicRead: false, environment: {} });
  const { context } = project;
  const { storage, model } = context;
  const documents = context.documents(contentType(model, POST));
  const { documentId } = (await documents.create({ data: { title: "due", text: "a" } }))!;
  const entry = { contentType: POST, documentId: String(documentId), locale: "en" };
  storage.transaction(() => setSchedule(storage, entry, "publish", "2026-01-01T00:00:00.000Z"));
  const locked: typeof context = {
    ...context,
    documents: () => {
      throw new ApiError("ServiceUnavailableError", "The database is locked");
    },
  };
  expect(await runDue(locked)).toMatchObject([{ reason: "The database is locked" }]);
  expect(scheduleOf(storage, entry)).toMatchObject([{ problem: null }]);
  expect(await runDue(context)).toEqual([]);
  expect(scheduleOf(storage, entry)).toEqual([]);
  expect(await documents.count({ status: "published" })).toBe(1);
  await project.close();
});
