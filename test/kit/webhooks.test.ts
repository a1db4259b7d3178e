/** Requests to webhooks that a test has caused: those that were sent, and those that would have been. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley, type GalleyOptions } from "../../src/index.ts";
import { startReceiver } from "../engine/webhooks/receiver.ts";
import { configFile, createCall, projectFolder, relation, typeFile } from "../project.ts";

const ADMIN_KEY = "test-admin";
const files = {
  ...typeFile(
    "post",
    { title: { type: "string" }, secret: { type: "string", private: true }, tags: relation("manyToMany", "tag") },
    { draftAndPublish: true },
  ),
  ...typeFile("tag", { name: { type: "string" } }),
  ...configFile({
    tokens: [{ name: "admin", type: "admin", key: ADMIN_KEY }],
    webhooks: { send: "public", hosts: ["receiver.invalid"] },
  }),
  "config/server.json": JSON.stringify({ webhooks: { defaultHeaders: { "x-default": "d" } } }),
};
const { root, remove } = projectFolder(files);
const open = (options: Partial<GalleyOptions> = {}) =>
  createGalley({ project: root, admin: true, environment: {}, now: "2030-01-01", ...options });

let status = 200;
const receiver = startReceiver(async () => {
  await Bun.sleep(50);
  return new Response("answer", { status });
});
let galley: Galley;
beforeAll(async () => {
  galley = await open({ webhooks: [{}] });
});
afterAll(async () => {
  await galley.close();
  await receiver.stop();
  remove();
});

const store = async (of: Galley, url: string, events: readonly string[]) => {
  const call = createCall(of, { authorization: `Bearer ${ADMIN_KEY}` });
  const response = await call("POST", "/admin/webhooks", { name: "stored", url, events, headers: { "x-own": "own" } });
  expect(response.status).toBe(201);
};

test("one without a URL is told of all events, with the payload that would be sent", async () => {
  await using branch = await galley.branch();
  const tag = await branch.make("tag", { name: "fog" });
  const { documentId } = await branch.make(
    "post",
    { title: "a", secret: "hidden", tags: [tag.documentId] },
    { status: "draft" },
  );
  await branch.documents("api::post.post").publish({ documentId });
  await branch.documents("api::post.post").delete({ documentId });
  const sent = await branch.webhooks();
  expect(sent.map(({ event }) => event)).toEqual([
    ...["entry.create", "entry.create", "entry.publish", "entry.delete", "entry.delete"],
  ]);
  expect(sent[2]).toMatchObject({
    webhook: "webhook 1",
    headers: { "x-default": "d", "x-strapi-event": "entry.publish", "content-type": "application/json" },
    payload: {
      event: "entry.publish",
      uid: "api::post.post",
      model: "post",
      entry: { title: "a", tags: [{ name: "fog" }] },
    },
    problem: "it has no URL",
  });
  expect(sent[2]!.payload.createdAt).toStartWith("2030-01-01T00:00:00");
  expect([sent[2]!.url, sent[2]!.status]).toEqual([undefined, undefined]);
  expect(JSON.stringify(sent)).not.toContain("hidden");
  expect(await galley.webhooks()).toEqual([]);
  await branch.reset();
  expect(await branch.webhooks()).toEqual([]);
  await branch.make("tag");
  expect((await branch.webhooks()).length).toBe(1);
});

test("those of this machine are sent and awaited, with what was answered; those of other hosts are not sent, whatever the configuration says", async () => {
  await using own = await open();
  await store(own, `${receiver.url}/local`, ["entry.create"]);
  await store(own, "https://receiver.invalid/hook", ["entry.create"]);
  await store(own, "https://example.org/hook", ["entry.create"]);
  const before = receiver.received.length;
  await own.make("tag", { name: "one" });
  await own.webhooks();
  status = 503;
  await own.make("tag", { name: "two" });
  const sent = await own.webhooks();
  status = 200;
  expect(receiver.received.length - before).toBe(2);
  const told = sent.map(({ url, status: answered, problem }) => [new URL(url!).hostname, answered, problem]);
  const others = ["receiver.invalid", "example.org"].map((host) => [host, undefined, "only this machine is called"]);
  expect(told).toEqual([
    ["127.0.0.1", 200, undefined],
    ...others,
    ["127.0.0.1", 503, "Service Unavailable"],
    ...others,
  ]);
  expect(sent[0]!.headers).toMatchObject({
    "x-own": "own",
    "x-strapi-event": "entry.create",
    "cache-tag": expect.any(String),
  });
});

test("those of the test are sent to the URL that it names, for its events", async () => {
  await using own = await open({
    webhooks: [
      {
        name: "revalidate",
        url: `${receiver.url}/revalidate`,
        events: ["entry.publish"],
        headers: { authorization: "Bearer x" },
      },
    ],
  });
  await own.make("tag");
  await own.make("post");
  const [sent, ...others] = await own.webhooks();
  expect(others).toEqual([]);
  expect(sent).toMatchObject({
    webhook: "revalidate",
    event: "entry.publish",
    status: 200,
    headers: { authorization: "Bearer x" },
  });
  expect(receiver.received.at(-1)).toMatchObject({ path: "/revalidate" });
});

test("are told in a project with own code, also what its code sends by itself", async () => {
  const own = projectFolder({
    ...files,
    "src/index.js": `module.exports = { bootstrap({ strapi }) { strapi.eventHub.on("entry.create", () => new Promise((done) => setTimeout(done, 30))); } };`,
  });
  await using app = await createGalley({
    project: own.root,
    environment: {},
    webhooks: [{ events: ["entry.create"] }],
  });
  await app.make("tag", { name: "fog" });
  const [sent] = await app.webhooks();
  expect(sent).toMatchObject({ event: "entry.create", payload: { entry: { name: "fog" } } });
  const strapi = (
    globalThis as { strapi?: { get: (name: string) => { run: (hook: object, event: string) => Promise<unknown> } } }
  ).strapi!;
  await strapi.get("webhookRunner").run({ url: "https://example.org", headers: {} }, "custom");
  expect((await app.webhooks()).at(-1)).toMatchObject({
    event: "custom",
    url: "https://example.org",
    problem: "only this machine is called",
  });
  own.remove();
});

test("are bounded in number", async () => {
  await using branch = await galley.branch();
  for (let index = 0; index < 1_010; index++)
    await branch.documents("api::tag.tag").create({ data: { name: `t${index}` } });
  const sent = await branch.webhooks();
  expect(sent.length).toBe(1_000);
  expect((sent.at(-1)!.payload.entry as { name: string }).name).toBe("t1009");
}, 30_000);

test.each([
  [7, "webhooks must be a list"],
  [new Array(101).fill({}), "webhooks must be a list of 100"],
  [[null], "webhooks[0] must be an object"],
  [[{}, { event: "a" }], "webhooks[1] has no event; there are name, url, events, headers"],
  [[{ url: "ftp://example.org" }], "webhooks[0].url must be a URL of http or https"],
  [[{ url: 7 }], "webhooks[0].url"],
  [[{ events: [] }], "webhooks[0].events must be a list of events"],
  [[{ events: "entry.create" }], "webhooks[0].events"],
  [[{ headers: { a: 1 } }], "webhooks[0].headers"],
  [[{ name: {} }], "webhooks[0].name"],
])("the option %j is refused", async (webhooks, message) => {
  const error = await open({ webhooks: webhooks as never }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toStartWith(message);
});

test("are those of a database in memory", async () => {
  await expect(open({ memory: false, webhooks: [] })).rejects.toThrow(
    "webhooks are for a project whose database is in memory",
  );
  const folder = projectFolder(files);
  await using stored = await createGalley({ project: folder.root, memory: false, environment: {} });
  await expect(stored.webhooks()).rejects.toThrow("for a database in memory only");
  await stored.close();
  folder.remove();
});
