/** In a project with code of its own, types have files of code, which are written and removed with them. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, createCall, projectFolder, TOKEN, typeFile } from "../project.ts";

const KEY = "test-admin";
const TOKENS = [
  { name: "full", type: "full-access", key: TOKEN },
  { name: "admin", type: "admin", key: KEY },
];
const OWN_CODE = {
  "src/api/hello/controllers/hello.js": "module.exports = { greet(ctx) { ctx.body = { hello: 1 }; } };",
  "src/api/hello/routes/hello.js":
    "module.exports = { routes: [{ method: 'GET', path: '/hello', handler: 'hello.greet', config: { auth: false } }] };",
};
const bed = {
  displayName: "Bed",
  singularName: "bed",
  pluralName: "beds",
  draftAndPublish: false,
  attributes: { name: { type: "string" } },
};
const TYPES = "/content-type-builder/content-types";

let end: (() => Promise<void>) | undefined;
afterEach(async () => {
  await end?.();
  end = undefined;
});

async function start(files: Record<string, string>) {
  const folder = projectFolder({ ...files, ...configFile({ tokens: TOKENS }) });
  const galley: Galley = await createGalley({ project: folder.root, memory: false, admin: true, environment: {} });
  end = async () => {
    await galley.close();
    folder.remove();
  };
  const read = (file: string): string | undefined =>
    existsSync(join(folder.root, file)) ? readFileSync(join(folder.root, file), "utf8") : undefined;
  const admin = createCall(galley, { authorization: `Bearer ${KEY}` });
  const content = createCall(galley, { authorization: `Bearer ${TOKEN}` });
  return { root: folder.root, read, admin, content };
}

const codeOf = (extension: string): string[] =>
  ["routes", "controllers", "services"].map((kind) => `src/api/bed/${kind}/bed.${extension}`);

test("a new type is served beside own code, and is removed with its code", async () => {
  const { read, admin, content } = await start(OWN_CODE);
  expect((await admin("POST", TYPES, { contentType: bed })).status).toBe(201);
  for (const file of codeOf("js")) expect(read(file)).toContain("api::bed.bed");
  expect((await content("POST", "/api/beds", { data: { name: "oak" } })).status).toBe(201);
  expect((await content("GET", "/api/hello")).status).toBe(200);

  expect((await admin("DELETE", `${TYPES}/api::bed.bed`)).status).toBe(200);
  for (const file of codeOf("js")) expect(read(file)).toBeUndefined();
  expect((await content("GET", "/api/beds")).status).toBe(404);
  expect((await content("GET", "/api/hello")).status).toBe(200);
});

test("a project in TypeScript gets TypeScript", async () => {
  const { read, admin, content } = await start({
    ...OWN_CODE,
    "tsconfig.json": `{ "compilerOptions": { "allowJs": true } }`,
  });
  expect((await admin("POST", TYPES, { contentType: bed })).status).toBe(201);
  for (const file of codeOf("ts")) expect(read(file)).toContain("export default");
  expect((await content("GET", "/api/beds")).status).toBe(200);
});

test("own code of a removed type goes with it; other files of its api stay", async () => {
  const { read, admin } = await start({
    ...OWN_CODE,
    "src/api/hello/content-types/bed/schema.json": JSON.stringify({
      kind: "collectionType",
      collectionName: "beds",
      info: { singularName: "bed", pluralName: "beds", displayName: "Bed" },
      attributes: { name: { type: "string" } },
    }),
    "src/api/hello/services/bed.js":
      "module.exports = require('@strapi/strapi').factories.createCoreService('api::hello.bed', () => ({ own: () => 1 }));",
  });
  expect((await admin("DELETE", `${TYPES}/api::hello.bed`)).status).toBe(200);
  expect(read("src/api/hello/services/bed.js")).toBeUndefined();
  expect(read("src/api/hello/content-types/bed/schema.json")).toBeUndefined();
  expect(read("src/api/hello/routes/hello.js")).toBe(OWN_CODE["src/api/hello/routes/hello.js"]);
});

test("files behind a link out of the api stay", async () => {
  const { root, read, admin } = await start({
    ...OWN_CODE,
    "shared/bed.js": "module.exports = {};",
    "src/api/bed/content-types/bed/schema.json": JSON.stringify({
      kind: "collectionType",
      collectionName: "beds",
      info: { singularName: "bed", pluralName: "beds", displayName: "Bed" },
      attributes: { name: { type: "string" } },
    }),
  });
  symlinkSync(join(root, "shared"), join(root, "src/api/bed/shared"));
  expect((await admin("DELETE", `${TYPES}/api::bed.bed`)).status).toBe(200);
  expect(read("src/api/bed/content-types/bed/schema.json")).toBeUndefined();
  expect(read("shared/bed.js")).toBe("module.exports = {};");
});

test("a project without code gets no files of code", async () => {
  const { read, admin, content } = await start({});
  expect((await admin("POST", TYPES, { contentType: bed })).status).toBe(201);
  for (const file of codeOf("js")) expect(read(file)).toBeUndefined();
  expect((await content("GET", "/api/beds")).status).toBe(200);
});

test("code without routes keeps types served without files of code, new ones and others", async () => {
  const { read, admin, content } = await start({
    "src/index.js": "module.exports = { bootstrap({ strapi }) { strapi.started = true; } };",
    ...typeFile("note", { text: { type: "string" } }),
  });
  expect((await admin("POST", TYPES, { contentType: bed })).status).toBe(201);
  for (const file of codeOf("js")) expect(read(file)).toBeUndefined();
  for (const path of ["/api/beds", "/api/notes"]) expect((await content("GET", path)).status).toBe(200);
});

test("code that registers a component is neither replaced nor removed with it", async () => {
  const code = `module.exports = {
    register: ({ strapi }) => strapi.get("components").add({
      "ext.seo": {
        collectionName: "components_ext_seos",
        info: { displayName: "Seo" },
        attributes: { title: { type: "string" }, bed: { type: "relation", relation: "oneToOne", target: "api::bed.bed" } },
      },
    }),
  };`;
  const { read, admin } = await start({ "src/index.js": code, ...typeFile("bed", { name: { type: "string" } }) });
  const seo = "/content-type-builder/components/ext.seo";
  const component = { category: "other", displayName: "Seo", attributes: { title: { type: "text" } } };
  const refused = [
    await admin("PUT", seo, { component }),
    await admin("DELETE", seo),
    // takes the relation to it out of the component
    await admin("DELETE", `${TYPES}/api::bed.bed`),
  ];
  for (const { status, body } of refused) {
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain("src/index.js is code, which the builder cannot change");
  }
  expect(read("src/index.js")).toBe(code);
});
