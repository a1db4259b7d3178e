/** A full disk, as a limit for the size of files: writes are refused with the cause, and nothing that was acknowledged is lost. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { killServers, type Running, startServer } from "../engine/media/process.ts";
import { ADMIN, type Body, configFile, projectFolder, serviceFile, typeFile } from "../project.ts";
import { temporaryFolders } from "../temporary-folders.ts";

/** What `ulimit -f` of `sh` counts in, in bytes. */
const BLOCK = 512;
const BLOCKS = 1024;

const KEY = "test-admin-key";
const POST = "src/api/post/content-types/post/schema.json";
const form = {
  "src/api/post/routes/post.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::post.post");`,
  "src/api/post/controllers/post.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::post.post");`,
  ...serviceFile("post"),
  "src/api/form/routes/form.js": `module.exports = { routes: [
    { method: "POST", path: "/form", handler: "form.take", config: { auth: false } },
    { method: "POST", path: "/own", handler: "form.own", config: { auth: false } } ] };`,
  "src/api/form/controllers/form.js": `module.exports = {
    async take(ctx) {
      const { size, filepath } = ctx.request.files.file;
      ctx.body = { size, written: require("fs").statSync(filepath).size };
    },
    own: (ctx) => strapi.documents("api::post.post").create({ data: ctx.request.body }),
  };`,
};
const folder = projectFolder({
  ...typeFile("post", { title: { type: "string" }, body: { type: "text" } }),
  ...form,
  ...configFile({
    tokens: [
      { name: "full", type: "full-access", key: ADMIN.authorization.slice("Bearer ".length) },
      { name: "admin", type: "admin", key: KEY },
    ],
  }),
});
let server: Running;

const isWindows = process.platform === "win32";

beforeAll(async () => {
  if (!isWindows) server = await startServer(folder.root, `ulimit -f ${BLOCKS}`);
});
afterAll(killServers);
afterAll(folder.remove);

async function call(path: string, body?: object, headers: Record<string, string> = ADMIN) {
  const init =
    body === undefined
      ? { headers }
      : body instanceof FormData
        ? { method: "POST", headers, body }
        : { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(server.url + path, init);
  return { status: response.status, body: (await response.json()) as Body };
}

const text = "x".repeat(20_000);
const post = (title: string) => call("/api/posts", { data: { title, body: text } });

test.skipIf(isWindows)("files of forms for the project's own code are whole, or refused", async () => {
  const formOf = (size: number): FormData => {
    const data = new FormData();
    data.append("file", new File([new Uint8Array(size)], "a.bin"));
    return data;
  };
  const fits = BLOCKS * BLOCK;
  expect(await call("/api/form", formOf(fits))).toEqual({ status: 200, body: { size: fits, written: fits } });
  const before = temporaryFolders("form");
  expect((await call("/api/form", formOf(fits + 1))).status).toBe(507);
  expect(temporaryFolders("form").filter((name) => !before.includes(name))).toEqual([]);
});

test.skipIf(isWindows)(
  "documents that do not fit are refused, reads go on, and what was acknowledged is there",
  async () => {
    const titles: string[] = [];
    let last = await post("0");
    for (let count = 1; last.status === 201 && count < 100; count++) {
      titles.push(last.body.data.title);
      last = await post(String(count));
    }
    expect(titles.length).toBeGreaterThan(5);
    const error = { status: 507, name: "InsufficientStorageError" };
    expect(last).toMatchObject({ status: 507, body: { data: null, error } });
    expect(await call("/api/own", { title: "own", body: text })).toMatchObject({ status: 507 });
    const mutation = `mutation { createPost(data: { title: "graphql", body: "${text}" }) { title } }`;
    const { body } = await call("/graphql", { query: mutation });
    expect(body.errors[0].extensions.error).toMatchObject({ name: "InsufficientStorageError" });
    const all = "/api/posts?fields=title&sort=id&pagination[pageSize]=100";
    const titlesOf = async () => (await call(all)).body.data.map(({ title }: { title: string }) => title);
    expect(await titlesOf()).toEqual(titles);

    // tables cannot change either, and the files of the schema are as they were
    const before = readFileSync(join(folder.root, POST), "utf8");
    const attributes = { title: { type: "string" }, body: { type: "text" }, more: { type: "string", unique: true } };
    const contentType = {
      displayName: "Post",
      singularName: "post",
      pluralName: "posts",
      kind: "collectionType",
      attributes,
    };
    const path = "/content-type-builder/content-types/api::post.post";
    const response = await fetch(server.url + path, {
      method: "PUT",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ contentType }),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("the disk");
    expect(readFileSync(join(folder.root, POST), "utf8")).toBe(before);
    expect(readdirSync(join(folder.root, "src/api/post/content-types/post"))).toEqual(["schema.json"]);
    expect(await titlesOf()).toEqual(titles);

    await server.kill();
    server = await startServer(folder.root);
    expect(await titlesOf()).toEqual(titles);
    expect((await post("again")).status).toBe(201);
  },
);
