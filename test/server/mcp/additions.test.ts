/** What agents add to a project besides content-types and documents: files and locales; and what clients learn of new tools. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, createAgent } from "./agent.ts";

const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==", "base64");

let agent: Agent;
beforeAll(async () => {
  agent = await createAgent({
    ".env": "SECRET=1",
    "config/secret.txt": "1",
    "CONFIG/secret.txt": "1",
    "notes.txt": "1",
  });
});
afterAll(() => agent.close());

test("files of the project are added to the media library, and nothing that is hidden or outside", async () => {
  const { use, root } = agent;
  writeFileSync(join(root, "dot.gif"), GIF);
  await use("session_begin", { name: "files" });
  const refused = [
    ".env",
    ".galley/content.db",
    "config/secret.txt",
    "CONFIG/secret.txt",
    "../x.png",
    "none.png",
    "src",
  ];
  const { uploaded, failed } = await use("media_upload", {
    files: [{ path: "dot.gif", alternativeText: "A dot" }, ...refused.map((path) => ({ path })), {}],
  });
  expect(uploaded).toMatchObject([{ name: "dot.gif", alternativeText: "A dot", mime: "image/gif" }]);
  expect(failed.map(({ file }: { file?: string }) => file)).toEqual([...refused, undefined]);
  const { failed: urls } = await use("media_upload", { files: [{ url: "http://127.0.0.1/a.png" }] });
  expect(urls[0].reason).toContain("blocked address");
  await use("session_undo");
  expect((await use("media_list_assets")).results).toEqual([]);
});

test("a call that takes too long adds no files after its answer, which would belong to no session", async () => {
  const settings = { "config/server.json": JSON.stringify({ mcp: { requestTimeoutMs: 20 } }) };
  const { use, root, galley, close } = await createAgent(settings);
  const names = Array.from({ length: 20 }, (_, index) => `${index}.gif`);
  for (const name of names) writeFileSync(join(root, name), GIF);
  await expect(use("media_upload", { files: names.map((path) => ({ path })) })).rejects.toThrow("takes longer than");
  await Bun.sleep(1_000);
  expect(await galley.documents("plugin::upload.file").count({})).toBeLessThan(names.length);
  await close();
}, 60_000);

test("a locale is added, and removed by the undo", async () => {
  const { use, root } = agent;
  const config = () => JSON.parse(readFileSync(join(root, "config/galley.json"), "utf8")).locales;
  const before = config();
  await use("session_begin", { name: "locale" });
  expect(await use("locale_add", { code: "fr", name: "French" })).toEqual({ locales: ["en", "de", "fr"] });
  await expect(use("locale_add", { code: "fr" })).rejects.toThrow("already exists");
  await expect(use("locale_add", { code: "zz" })).rejects.toThrow("code must be one of");
  const documents = [{ text: "un" }];
  expect(await use("content_create", { uid: "api::note.note", documents, locale: "fr" })).toMatchObject({ created: 1 });
  await use("session_undo");
  expect(config()).toEqual(before);
});

test("clients learn how the tools belong together, with the names of tools that exist", async () => {
  const text = agent.client.getInstructions() ?? "";
  const names = (await agent.client.listTools()).tools.map(({ name }) => name);
  const named = text.match(/[a-z]+_[a-z]+/g) ?? [];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

test("clients are notified of the tools of a new type, and of those that an undo removes", async () => {
  const { use, client } = agent;
  let notified = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    notified++;
  });
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await use("session_begin", { name: "tools" });
  const types = [{ uid: "api::tag.tag", attributes: { label: { type: "string" } } }];
  await use("model_apply", { types, version: (await use("model_plan", { types })).version });
  expect(notified).toBe(1);
  expect(await names()).toContain("create_tag");
  await use("session_undo");
  expect(notified).toBe(2);
  expect(await names()).not.toContain("create_tag");
});
