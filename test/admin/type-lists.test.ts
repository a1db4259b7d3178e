/** Lists of all content-types: those of the administration are in them, and cannot be read or changed with the others. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, createCall, type TestApp, TOKEN, testApp, typeFile } from "../project.ts";

const RELEASES = ["plugin::content-releases.release", "plugin::content-releases.release-action"];
const ADMINISTRATION = [
  "permission",
  "user",
  "role",
  "api-token",
  "api-token-permission",
  "transfer-token",
  "transfer-token-permission",
  "session",
].map((name) => `admin::${name}`);

const pluginOptions = { i18n: { localized: true } };

const FULL = "full-access-of-the-lists";

let app: TestApp;
beforeAll(async () => {
  const tokens = [
    { name: "admin", type: "admin", key: TOKEN },
    { name: "full", type: "full-access", key: FULL },
  ];
  app = await testApp(
    {
      ...configFile({ tokens }),
      ...typeFile("note", { title: { type: "string" }, locale: { type: "string" } }),
      "src/components/part/text.json": JSON.stringify({
        collectionName: "part_texts",
        info: {},
        pluginOptions,
        attributes: {},
      }),
    },
    { admin: true },
  );
});
afterAll(() => app.close());

const send = (path: string, method = "GET") => app.call(method, path);
const sendToApi = (path: string) => createCall(app, { authorization: `Bearer ${FULL}` })("GET", `/api${path}`);

interface Listed {
  readonly uid: string;
}

test.each([
  ["/content-manager/init", ({ contentTypes }: { contentTypes: Listed[] }) => contentTypes],
  ["/content-manager/content-types", (data: Listed[]) => data],
  ["/content-manager/content-types-settings", (data: Listed[]) => data],
  ["/content-type-builder/content-types", (data: Listed[]) => data],
  ["/content-type-builder/schema", ({ contentTypes }: { contentTypes: object }) => Object.values(contentTypes)],
])("%s lists releases after locales, and the administration last", async (path, listOf) => {
  const { body } = await send(path);
  const uids = (listOf as (data: unknown) => Listed[])(body.data).map(({ uid }) => uid);
  expect(uids.slice(uids.indexOf("plugin::i18n.locale") + 1).slice(0, 2)).toEqual(RELEASES);
  expect(uids.slice(-ADMINISTRATION.length)).toEqual(ADMINISTRATION);
  expect(new Set(uids).size).toBe(uids.length);
});

test.each(["", "?kind=collectionType", "?kind=singleType"])(
  "the Content API has the builder's list %s",
  async (kind) => {
    const path = `/content-type-builder/content-types${kind}`;
    const { status, body } = await sendToApi(path);
    expect(status).toBe(200);
    expect(body).toEqual((await send(path)).body);
  },
);

test("the builder does not list an attribute that the i18n plugin replaces", async () => {
  const { body } = await send("/content-type-builder/content-types/api::note.note");
  expect(Object.keys(body.data.schema.attributes)).toEqual(["title"]);
});

test("none of them is displayed, or can be changed by the builder", async () => {
  const { body } = await send("/content-manager/content-types");
  const displayed = body.data.filter((type: { isDisplayed: boolean }) => type.isDisplayed);
  expect(displayed.map(({ uid }: Listed) => uid)).toEqual(["plugin::users-permissions.user", "api::note.note"]);
  for (const uid of [...RELEASES, ...ADMINISTRATION]) {
    expect((await send(`/content-type-builder/content-types/${uid}`)).status).toBe(404);
    expect((await sendToApi(`/content-type-builder/content-types/${uid}`)).status).toBe(404);
    expect((await send(`/content-manager/content-types/${uid}/configuration`)).status).toBe(200);
  }
});

test.each(ADMINISTRATION.filter((uid) => uid !== "admin::user"))("documents of %s cannot be read", async (uid) => {
  expect((await send(`/content-manager/collection-types/${uid}`)).status).toBe(403);
  expect((await send(`/content-manager/collection-types/${uid}/x`)).status).toBe(403);
});

test.each(RELEASES)("there are no documents of %s", async (uid) => {
  const { status, body } = await send(`/content-manager/collection-types/${uid}`);
  expect(status).toBe(200);
  expect(body).toEqual({ results: [], pagination: { page: 1, pageSize: 10, pageCount: 0, total: 0 } });
  expect((await send(`/content-manager/collection-types/${uid}/x`)).status).toBe(404);
  expect((await send(`/content-manager/collection-types/${uid}`, "POST")).status).toBe(403);
});

test("components have their options of plugins", async () => {
  const { body } = await send("/content-manager/components");
  expect(body.data).toMatchObject([{ uid: "part.text", pluginOptions }]);
});
