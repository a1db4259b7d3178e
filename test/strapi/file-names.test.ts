/** Which files of `src/` are code of what name, as Strapi loads them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findCodeFiles } from "../../src/strapi/loader/code-files.ts";
import { type Body, configFile, projectFolder, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile(),
  ...typeFile("note", { title: { type: "string" } }),
  "src/api/note/services/camelCase.js": "module.exports = () => ({ word: () => 'camel' });",
  "src/api/note/services/snake_case.js": "module.exports = () => ({ word: () => 'snake' });",
  "src/api/note/services/importS3.js": "module.exports = () => ({ word: () => 'digit' });",
  "src/api/Über2/services/url2Text.js": "module.exports = () => ({ word: () => 'letter' });",
  "src/api/note/services/deep/inner.js": "throw new Error('nobody imports it');",
  "src/api/someThing/services/ownService.js": "module.exports = () => ({ word: () => 'thing' });",
  "src/api/note/controllers/ownWords.js": `module.exports = { find(ctx) {
    const uids = ["api::note.camel-case", "api::note.camelCase", "api::note.snake-case", "api::note.inner", "api::some-thing.own-service", "api::note.import-s-3", "api::uber-2.url-2-text"];
    ctx.body = { words: uids.map((uid) => strapi.service(uid)?.word() ?? null), hooks: strapi.hooks };
  } };`,
  "src/api/note/routes/deep/inner.js": `module.exports = { routes: [{ method: "GET", path: "/inner", handler: "own-words.find", config: { auth: false } }] };`,
  "src/api/note/routes/ownRoutes.js": `module.exports = { routes: [{ method: "GET", path: "/words", handler: "own-words.find", config: { auth: false } }] };`,
  "src/api/note/index.js": `module.exports = {
    register({ strapi }) { strapi.hooks = ["api register"]; },
    bootstrap({ strapi }) { strapi.hooks.push("api bootstrap"); },
  };`,
  "src/policies/deep/inner.js": "throw new Error('nobody imports it');",
  "src/middlewares/deep/inner.js": "throw new Error('nobody imports it');",
  "src/index.js": `module.exports = { register({ strapi }) { strapi.hooks.push("register"); }, bootstrap({ strapi }) { strapi.hooks.push("bootstrap"); } };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

test("names below src/api are in kebab-case, and folders below theirs are not looked into", async () => {
  const { body } = (await app.call("GET", "/api/words")) as { body: Body };
  expect(body.words).toEqual(["camel", null, "snake", null, "thing", "digit", "letter"]);
  expect((await app.call("GET", "/api/inner")).status).toBe(404);
});

test("the index of an api has hooks, which run before those of the project", async () => {
  const { body } = await app.call("GET", "/api/words");
  expect(body.hooks).toEqual(["api register", "register", "api bootstrap", "bootstrap"]);
});

test("an index of an api that does nothing is not code", () => {
  const { root, remove } = projectFolder({ ...typeFile("note", {}), "src/api/note/index.ts": "export default {};" });
  expect(findCodeFiles(root).map(({ kind }) => kind)).toEqual(["api-index"]);
  remove();
});
