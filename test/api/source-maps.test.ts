/** What `strapi-encode-source-maps` changes besides the recorded answers: caches, limits, own code. */
import { afterEach, expect, test } from "bun:test";
import { vercelStegaDecode, vercelStegaSplit } from "@vercel/stega";
import { ADMIN, configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const MAPS = { ...ADMIN, "strapi-encode-source-maps": "true" };
const posts = typeFile("post", { title: { type: "string" } });

let opened: TestApp | undefined;
afterEach(() => opened?.close());
const open = async (files: Readonly<Record<string, string>>): Promise<TestApp> => {
  opened = await testApp(files);
  return opened;
};

const body = JSON.stringify({ data: { title: "Fog" } });

async function create(galley: TestApp): Promise<string> {
  const headers = { ...ADMIN, "content-type": "application/json" };
  const response = await galley.handle(new Request("http://x/api/posts", { method: "POST", headers, body }));
  return ((await response.json()) as { data: { documentId: string } }).data.documentId;
}

async function title(galley: TestApp, path: string, headers: Record<string, string>): Promise<string> {
  const response = await galley.handle(new Request(`http://x/api${path}`, { headers }));
  const { data } = (await response.json()) as { data: { title: string } | { title: string }[] };
  return Array.isArray(data) ? data[0]!.title : data.title;
}

/** Three requests of each kind by turns: the second one of a kind fills a cache, the third is served from it. */
async function expectSeparate(galley: TestApp, path: string, documentId: string): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const plain = await title(galley, path, ADMIN);
    expect(vercelStegaSplit(plain)).toEqual({ cleaned: plain, encoded: "" });
    expect(plain.startsWith("Fog")).toBe(true);
    const encoded = await title(galley, path, MAPS);
    expect(vercelStegaSplit(encoded).cleaned).toBe(plain);
    const { strapiSource } = vercelStegaDecode(encoded) as { strapiSource: string };
    expect(Object.fromEntries(new URLSearchParams(strapiSource))).toEqual({
      documentId,
      type: "string",
      path: "title",
      model: "api::post.post",
      kind: "collectionType",
    });
  }
}

test("cached responses with and without source maps are separate", async () => {
  const galley = await open({ ...configFile(), ...posts });
  const documentId = await create(galley);
  await expectSeparate(galley, "/posts", documentId);
  await expectSeparate(galley, `/posts/${documentId}`, documentId);
});

test("an ETag of plain texts is not one of encoded texts", async () => {
  const galley = await open({ ...configFile(), ...posts });
  const documentId = await create(galley);
  const ask = (headers: Record<string, string>) =>
    galley.handle(new Request(`http://x/api/posts/${documentId}`, { headers }));
  for (const [first, second] of [
    [ADMIN, MAPS],
    [MAPS, ADMIN],
  ] as const) {
    const etag = (await ask(first)).headers.get("etag")!;
    expect((await ask({ ...first, "if-none-match": etag })).status).toBe(304);
    expect((await ask({ ...second, "if-none-match": etag })).status).toBe(200);
  }
});

test("controllers and cached actions of own code encode them too", async () => {
  const galley = await open({
    ...configFile(),
    ...posts,
    ...serviceFile("post"),
    "src/api/post/controllers/post.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::post.post", {
      async findOne(ctx) {
        const answer = await super.findOne(ctx);
        return this.transformResponse({ ...(await strapi.documents("api::post.post").findOne({ documentId: ctx.params.id })), title: "Fog." }, answer.meta);
      },
    });`,
    "src/api/post/routes/post.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::post.post", {
      config: { find: { middlewares: [(ctx, next) => next()] } },
    });`,
  });
  const documentId = await create(galley);
  await expectSeparate(galley, "/posts", documentId);
  await expectSeparate(galley, `/posts/${documentId}`, documentId);
});

test("the characters of source maps count as those of the response", async () => {
  const galley = await open({ ...configFile({ limits: { characters: 3_000 } }), ...posts });
  for (let count = 0; count < 8; count++) await create(galley);
  const ask = (headers: Record<string, string>) => galley.handle(new Request("http://x/api/posts", { headers }));
  expect((await ask(ADMIN)).status).toBe(200);
  const refused = await ask(MAPS);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("limits.characters");
});
