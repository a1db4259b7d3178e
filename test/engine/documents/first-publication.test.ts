/** `firstPublishedAt`, which Strapi's future flag adds to types with drafts. */
import { expect, test } from "bun:test";
import { createGalley } from "../../../src/index.ts";
import { ADMIN, configFile, createCall, projectFolder, testApp, typeFile } from "../../project.ts";

const FLAG = {
  "config/features.js": `module.exports = ({ env }) => ({ future: { experimental_firstPublishedAt: env.bool("FIRST", true) } });`,
};
const title = { type: "string", pluginOptions: { i18n: { localized: true } } };
const page = typeFile("page", { title }, { draftAndPublish: true, localized: true });
const LONG_AGO = "2020-01-01T00:00:00.000Z";

test("it is the time of the first publication, in each locale, and stays", async () => {
  const app = await testApp({
    ...FLAG,
    ...page,
    ...configFile({
      locales: [
        { code: "en", name: "English", isDefault: true },
        { code: "fr", name: "French" },
      ],
    }),
    ...typeFile("tag", { name: { type: "string" } }),
  });
  const { body: draft } = await app.call("POST", "/api/pages?status=draft", { data: { title: "one" } });
  expect(draft.data.firstPublishedAt).toBeNull();
  const path = `/api/pages/${draft.data.documentId}`;
  const first = (await app.call("PUT", path, { data: { title: "two" } })).body.data.firstPublishedAt;
  expect(Date.parse(first)).toBeGreaterThan(Date.parse(LONG_AGO));
  const again = (await app.call("PUT", path, { data: { title: "three" } })).body.data;
  expect(again.firstPublishedAt).toBe(first);
  expect(again.publishedAt > first).toBe(true);
  expect((await app.call("GET", `${path}?status=draft`)).body.data.firstPublishedAt).toBe(first);
  const french = (await app.call("PUT", `${path}?locale=fr`, { data: { title: "un" } })).body.data;
  expect(french.firstPublishedAt > first).toBe(true);
  const { body } = await app.call("GET", `/api/pages?filters[firstPublishedAt][$eq]=${first}&sort=firstPublishedAt`);
  expect(body.data).toHaveLength(1);
  // an update that sets it begins anew
  const later = (await app.call("PUT", path, { data: { firstPublishedAt: LONG_AGO } })).body.data.firstPublishedAt;
  expect(later > first).toBe(true);
  const { body: tag } = await app.call("POST", "/api/tags", { data: { name: "x" } });
  expect(tag.data).not.toHaveProperty("firstPublishedAt");
  await app.close();
});

test("what was published before it is recorded has the time of its publication", async () => {
  const { root, remove } = projectFolder({ ...configFile(), ...FLAG, ...page });
  const open = async (FIRST: string) => {
    const galley = await createGalley({ project: root, memory: false, environment: { FIRST } });
    return { call: createCall(galley, ADMIN), close: () => galley.close() };
  };
  const before = await open("false");
  const { body: published } = await before.call("POST", "/api/pages", { data: { title: "old" } });
  expect(published.data).not.toHaveProperty("firstPublishedAt");
  await before.call("POST", "/api/pages?status=draft", { data: { title: "draft" } });
  await before.close();
  const after = await open("true");
  const { body } = await after.call("GET", "/api/pages?status=draft&sort=title");
  expect(body.data.map(({ firstPublishedAt }: { firstPublishedAt: unknown }) => firstPublishedAt)).toEqual([
    null,
    published.data.publishedAt,
  ]);
  await after.close();
  remove();
});
