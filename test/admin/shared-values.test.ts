/** Values that the locales of a document share, when the admin publishes one of them with changes. */
import { expect, test } from "bun:test";
import { configFile, testApp, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests";
const POSTS = "/content-manager/collection-types/api::post.post";
const files = {
  ...typeFile(
    "post",
    { title: { type: "string", pluginOptions: { i18n: { localized: true } } }, shared: { type: "string" } },
    { draftAndPublish: true, localized: true },
  ),
  ...configFile({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
};
const ownCode = {
  "src/index.js": "module.exports = { register({ strapi }) { strapi.documents.use((context, next) => next()); } };",
};

for (const [name, more] of [
  ["", {}],
  [" through own code", ownCode],
] as const)
  test(`reach the drafts of all locales${name}, and leave what is published of the others`, async () => {
    const app = await testApp({ ...files, ...more }, { admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
    const ask = askAs(app, await signedIn(app, KEY));
    const { body } = await ask("POST", POSTS, { title: "one", shared: "first" });
    const id = body.data.documentId;
    await ask("PUT", `${POSTS}/${id}?locale=fr`, { title: "un" });
    const values = async () => {
      const read = async (query: string) => (await ask("GET", `${POSTS}/${id}?${query}`)).body.data.shared;
      return [await read("locale=fr"), await read("locale=fr&status=published"), await read("locale=en")];
    };
    await ask("POST", `${POSTS}/${id}/actions/publish`, { shared: "second" });
    expect(await values()).toEqual(["second", undefined, "second"]);
    await ask("POST", `${POSTS}/${id}/actions/publish?locale=fr`, {});
    await ask("POST", `${POSTS}/${id}/actions/publish`, { shared: "third" });
    expect(await values()).toEqual(["third", "second", "third"]);
    await ask("POST", `${POSTS}/${id}/actions/publish?locale=fr`, {});
    expect(await values()).toEqual(["third", "third", "third"]);
    await app.close();
  });
