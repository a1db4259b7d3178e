/** The routes of the page "Agents": they list sessions, and restore what was before one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../../src/index.ts";
import { type Ask, askAs, signedIn } from "../../admin/signed-in.ts";
import { projectFolder } from "../../project.ts";
import { type Agent, createAgent, files } from "./agent.ts";

const SECRET = "a key for tests";
const UID = "api::note.note";
const TAG = "src/api/tag/content-types/tag/schema.json";
const types = [{ uid: "api::tag.tag", attributes: { label: { type: "string" } } }];

let agent: Agent;
let ask: Ask;
beforeAll(async () => {
  agent = await createAgent({}, { ADMIN_JWT_SECRET: SECRET });
  ask = askAs(agent.galley, await signedIn(agent.galley, SECRET));
});
afterAll(() => agent.close());

const list = async () => (await ask("GET", "/agent-sessions")).body.data;
const hasSessions = async () => (await ask("GET", "/start")).body.data.hasAgentSessions;
const count = () => agent.galley.documents(UID).count({});
const restore = (body: object) => ask("POST", "/agent-sessions/restore", body);

test("the page lists what agents have changed, newest first, and restores it with what came after", async () => {
  const { use, root } = agent;
  expect([await list(), await hasSessions()]).toEqual([[], false]);
  await use("session_begin", { name: "one" });
  await use("content_create", { uid: UID, documents: [{ text: "a" }] });
  await use("session_begin", { name: "two" });
  await use("model_apply", { types, version: (await use("model_plan", { types })).version });
  const [two, one] = await list();
  expect([await hasSessions(), two.name, one.name]).toEqual([true, "two", "one"]);
  expect(two).toMatchObject({ changes: ["model_apply"], others: [] });
  expect(two.files).toContain(TAG);
  expect(one).toMatchObject({ changes: ["content_create"], others: [] });
  expect(await restore({ id: one.id })).toMatchObject({ status: 200, body: { data: { undone: ["one", "two"] } } });
  expect([await count(), existsSync(join(root, TAG)), await list()]).toEqual([0, false, []]);
}, 60_000);

test("what others changed since is named, and lost only if that is asked for", async () => {
  const { use, galley } = agent;
  await use("content_create", { uid: UID, documents: [{ text: "a" }] });
  await galley.documents(UID).create({ data: { text: "of a person" } });
  const [{ id, others }] = await list();
  expect(others).toEqual(["the content"]);
  expect((await restore({ id })).status).toBe(400);
  expect(await count()).toBe(2);
  expect((await restore({ id, discardOthers: true })).status).toBe(200);
  expect(await count()).toBe(0);
}, 60_000);

test.each([
  [400, {}],
  [400, { id: "agent" }],
  [404, { id: 99 }],
])("%d for %j", async (status, body) => expect((await restore(body)).status).toBe(status));

test("in production nothing is listed or restored", async () => {
  const folder = projectFolder(files());
  const environment = { ADMIN_JWT_SECRET: SECRET, NODE_ENV: "production" };
  const galley = await createGalley({ project: folder.root, memory: false, admin: true, environment });
  const asked = askAs(galley, await signedIn(galley, SECRET));
  expect((await asked("GET", "/agent-sessions")).body.data).toEqual([]);
  expect((await asked("POST", "/agent-sessions/restore", { id: 1 })).status).toBe(403);
  await galley.close();
  folder.remove();
});
