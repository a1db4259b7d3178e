/** Documents with an attribute named `entries`, as the results of actions that list entries. */
import { afterAll, expect, test } from "bun:test";
import { ADMIN, configFile, relation, testApp, typeFile } from "../project.ts";

const core = (name: string): Record<string, string> =>
  Object.fromEntries(
    (["Controller", "Router", "Service"] as const).map((part) => [
      `src/api/${name}/${part.toLowerCase().replace("router", "route")}s/${name}.js`,
      `module.exports = require("@strapi/strapi").factories.createCore${part}("api::${name}.${name}"${part === "Controller" ? ", () => ({})" : ""});`,
    ]),
  );

const app = await testApp({
  ...typeFile("feed", { secret: { type: "string", private: true }, entries: relation("oneToMany", "post") }),
  ...typeFile("post", { title: { type: "string" }, hidden: { type: "string", private: true } }, { localized: true }),
  ...core("feed"),
  ...core("post"),
  "src/index.js": `module.exports = { register({ strapi }) { strapi.documents.use((context, next) => next()); } };`,
  ...configFile(),
});
afterAll(() => app.close());

test("their private attributes are not in responses to writes", async () => {
  const ask = async (method: string, path: string, data: object) =>
    (await app.call(method, `/api${path}?populate=*`, { data }, ADMIN)).body.data;
  const post = await ask("POST", "/posts", { title: "first", hidden: "no" });
  const entries = { connect: [post.documentId] };
  const made = await ask("POST", "/feeds", { secret: "no", entries });
  const changed = await ask("PUT", `/feeds/${made.documentId}`, { secret: "no", entries });
  for (const feed of [made, changed]) {
    expect(Object.keys(feed).toSorted()).toEqual([
      "createdAt",
      "documentId",
      "entries",
      "id",
      "publishedAt",
      "updatedAt",
    ]);
    expect(feed.entries).toEqual([{ ...post, localizations: undefined, updatedAt: expect.any(String) }]);
  }
});
