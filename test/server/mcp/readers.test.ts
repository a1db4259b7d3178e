/** Which requests of the last recorded build read a document. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Builds } from "../../../src/server/builds/builds.ts";
import { type Agent, createAgent } from "./agent.ts";

const UID = "api::note.note";

let agent: Agent;
beforeAll(async () => {
  agent = await createAgent();
});
afterAll(() => agent.close());

const record = (requests: unknown): void => {
  const file = join(agent.root, ".galley/requests.json");
  writeFileSync(file, JSON.stringify(requests));
  new Builds(join(agent.root, ".galley")).save(
    { folder: "site", command: ["astro", "build"] },
    {
      token: "t",
      finishedAt: "2026-11-27T00:00:00.000Z",
      record: file,
    },
  );
};

test("before a build is recorded, it says how", async () => {
  const documentId = (await agent.use("create_note", { data: { text: "a" } })).data.documentId;
  await expect(agent.use("build_readers", { uid: UID, documentId })).rejects.toThrow("galley run --record");
});

test("the tags of real responses name their document", async () => {
  const { use, galley } = agent;
  const create = async (text: string) => (await use("create_note", { data: { text } })).data.documentId as string;
  const [documentId, other] = [await create("read"), await create("other")];
  const tagsOf = async (path: string) => {
    const headers = { authorization: "Bearer test-full-access" };
    const response = await galley.handle(new Request(`http://localhost${path}`, { headers }));
    return { method: "GET", path, tags: response.headers.get("cache-tag")?.split(",") };
  };
  const paths = [`/api/notes/${documentId}`, `/api/notes/${other}`, "/api/notes?filters[text]=read", "/api/users"];
  record([...(await Promise.all(paths.map(tagsOf))), { method: "GET", path: "/own" }]);
  const found = await use("build_readers", { uid: UID, documentId });
  expect(found).toMatchObject({
    build: "site: astro build",
    shows: { total: 2, requests: [`GET ${paths[0]}`, `GET ${paths[2]}`] },
    unknown: { requests: expect.arrayContaining(["GET /own"]) },
  });
  expect(JSON.stringify(found)).not.toContain(other);
  const ofOther = await use("build_readers", { uid: UID, documentId: other });
  expect(ofOther).toMatchObject({ shows: { total: 1 }, dependsOnType: { requests: [`GET ${paths[2]}`] } });
});

test("a document whose id begins with the name of another tag is a document", async () => {
  record([{ method: "GET", path: "/api/notes/listed", tags: ["note:listed"] }]);
  const none = { total: 0, requests: [] };
  const found = await agent.use("build_readers", { uid: UID, documentId: "other" });
  expect(found).toMatchObject({ shows: none, dependsOnType: none, unknown: none });
});

test("a file that is not of a build is refused", async () => {
  record({ secret: "x" });
  await expect(agent.use("build_readers", { uid: UID, documentId: "a" })).rejects.toThrow("is not a file that");
});
