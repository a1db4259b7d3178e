/** Which files hold schemas, and how they may be written. */
import { expect, test } from "bun:test";
import { loadSchema } from "../../../src/engine/schema/load.ts";
import { ProjectReport, problemText } from "../../../src/lib/errors.ts";
import { componentFile, projectFolder, testApp, typeFile } from "../../project.ts";

const POST = "src/api/post/content-types/post/schema";
const definition = {
  kind: "collectionType",
  collectionName: "posts",
  info: { singularName: "post", pluralName: "posts", displayName: "Post" },
  options: { draftAndPublish: false },
  attributes: { title: { type: "string" } },
};

const created = async (files: Record<string, string>) => {
  const app = await testApp(files);
  const { status, body } = await app.call("POST", "/api/posts", { data: { title: "One" } });
  await app.close();
  return { status, title: body.data.title };
};

for (const [name, file] of [
  ["CommonJS", { [`${POST}.js`]: `module.exports = ${JSON.stringify(definition)};` }],
  ["TypeScript", { [`${POST}.ts`]: `const schema: object = ${JSON.stringify(definition)};\nexport default schema;` }],
  [
    "JSON with commas too many, in a TypeScript project",
    { [`${POST}.json`]: JSON.stringify(definition).replace(/\}\}$/, "},}"), "tsconfig.json": "{}" },
  ],
] as const) {
  test(`a content-type may be ${name}`, async () => {
    expect(await created(file)).toEqual({ status: 201, title: "One" });
  });
}

test("a comma too many is reported in a TypeScript project, and refused in others", () => {
  const text = JSON.stringify(definition).replace(/\}$/, ",}");
  const load = (files: Record<string, string>) => {
    const { root, remove } = projectFolder({ [`${POST}.json`]: text, ...files });
    const report = new ProjectReport();
    loadSchema(root, report);
    remove();
    return report;
  };
  expect(load({ "tsconfig.json": "{}" }).warnings.map(problemText)).toEqual([
    expect.stringContaining(`${POST}.json: is not valid JSON`),
  ]);
  expect(load({}).isRefused).toBe(true);
});

test("declarations beside components are not components", async () => {
  const app = await testApp({
    ...typeFile("post", { seo: { type: "component", component: "a.seo" } }),
    ...componentFile("a.seo", { title: { type: "string" } }),
    "src/components/a/seo.d.ts": "export {};",
  });
  expect((await app.call("GET", "/api/posts?populate=*")).status).toBe(200);
  await app.close();
});

test("extensions may add content-types to plugins", async () => {
  const profile = {
    kind: "collectionType",
    collectionName: "profiles",
    info: { singularName: "profile", pluralName: "profiles", displayName: "Profile" },
    options: { draftAndPublish: false },
    attributes: { word: { type: "string" } },
  };
  const app = await testApp({
    ...typeFile("post", {
      profile: { type: "relation", relation: "oneToOne", target: "plugin::users-permissions.profile" },
    }),
    "src/extensions/users-permissions/content-types/profile/schema.json": JSON.stringify(profile),
    // a plugin that is not there
    "src/extensions/comments/content-types/comment/schema.json": "{}",
    "src/index.js": `module.exports = { async bootstrap({ strapi }) {
      const profile = await strapi.documents("plugin::users-permissions.profile").create({ data: { word: "hi" } });
      await strapi.documents("api::post.post").create({ data: { profile: profile.documentId } });
    } };`,
  });
  const { body } = await app.call("GET", "/api/posts?populate=profile");
  expect(body.data[0].profile.word).toBe("hi");
  await app.close();
});
