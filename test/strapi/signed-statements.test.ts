/** Signing URLs of a private provider takes as many statements for a page of many documents as for one of few. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type App, createApp } from "../../src/server/app.ts";
import type { Project } from "../../src/server/project/project.ts";
import { startProject } from "../../src/server/start.ts";
import { ADMIN, componentFile, configFile, projectFolder, typeFile } from "../project.ts";

const DOCUMENTS = 20;
const PRIVATE = `module.exports = { init: () => ({
  async upload(file) { file.url = "https://cdn.test/" + file.hash + file.ext; },
  async delete() {},
  isPrivate: async () => true,
  async getSignedUrl(file) { return { url: file.url + "?signed" }; },
}) };`;

const media = (multiple: boolean) => ({ type: "media", multiple });
let project: Project;
let app: App;
let remove: () => void;

const send = async (path: string, body?: unknown) => {
  const headers = body instanceof FormData ? ADMIN : { ...ADMIN, "content-type": "application/json" };
  const init =
    body === undefined
      ? { headers }
      : { method: "POST", headers, body: body instanceof FormData ? body : JSON.stringify(body) };
  const response = await app.handle(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  expect([path, response.status < 300, text.includes("errors")]).toEqual([path, true, false]);
  return text;
};

beforeAll(async () => {
  const folder = projectFolder({
    ...configFile(),
    "config/plugins.js": 'module.exports = { upload: { config: { provider: "./providers/hidden" } } };',
    "providers/hidden/index.js": PRIVATE,
    ...componentFile("part.block", { picture: media(false) }),
    ...typeFile("note", {
      title: { type: "string" },
      cover: media(false),
      gallery: media(true),
      block: { type: "component", component: "part.block" },
    }),
  });
  remove = folder.remove;
  const options = { memory: false, publicRead: false, environment: {} };
  ({ project } = await startProject(folder.root, options));
  app = createApp(project);
  for (let id = 1; id <= DOCUMENTS; id++) {
    const form = new FormData();
    form.append("files", new File(["text"], `${id}.txt`));
    await send("/api/upload", form);
    await send("/api/notes", { data: { title: `note ${id}`, cover: id, gallery: [id, 1], block: { picture: id } } });
  }
});
afterAll(async () => {
  await project.close();
  remove();
});

/** The statements of a second request, with caches of the first one that do not depend on content, and its signed URLs. */
async function cost(path: string, body?: unknown) {
  await send(path, body);
  project.context.storage.setMeta("test", "");
  await send("/api/notes?filters[id]=0");
  const before = project.context.storage.statements;
  const text = await send(path, body);
  const urls = text.match(/\.txt\?signed/g)?.length ?? 0;
  return { statements: project.context.storage.statements - before, urls };
}

const selection = "title cover { url } gallery { url } block { picture { url } }";
const requests: readonly (readonly [string, number, (size: number) => readonly [path: string, body?: unknown]])[] = [
  [
    "a list over REST",
    4,
    (size) => [
      `/api/notes?populate[cover]=true&populate[gallery]=true&populate[block][populate]=picture&pagination[pageSize]=${size}`,
    ],
  ],
  [
    "a list over GraphQL",
    4,
    (size) => ["/graphql", { query: `{ notes(pagination: { limit: ${size} }) { ${selection} } }` }],
  ],
  ["a page of files", 1, (size) => [`/api/upload/files/page?pagination[pageSize]=${size}`]],
];

test.each(requests)("%s", async (_name, perDocument, request) => {
  const [few, many] = [await cost(...request(2)), await cost(...request(DOCUMENTS))];
  // the first note has its file in the gallery twice, which is one entry
  const expected = (size: number): number => size * perDocument - (perDocument > 1 ? 1 : 0);
  expect([few.urls, many.urls]).toEqual([2, DOCUMENTS].map(expected));
  expect(many.statements).toBe(few.statements);
});
