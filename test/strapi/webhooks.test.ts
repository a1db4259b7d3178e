/** Webhooks of a project with own code. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startReceiver } from "../engine/webhooks/receiver.ts";
import { type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const run = `module.exports = {
  run: async (ctx) => {
    const AsyncFunction = (async () => {}).constructor;
    ctx.body = { value: await new AsyncFunction("strapi", "store", "runner", "url", ctx.request.body.code)(
      strapi, strapi.get("webhookStore"), strapi.get("webhookRunner"), ctx.request.body.url) };
  },
};`;
const files = {
  ...typeFile("note", { title: { type: "string" }, secret: { type: "string", private: true } }),
  ...typeFile("page", { title: { type: "string" } }, { localized: true }),
  ...configFile({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
  ...serviceFile("note"),
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note");`,
  "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
  "src/api/run/controllers/run.js": run,
  "src/api/run/routes/run.js": `module.exports = { routes: [{ method: "POST", path: "/run", handler: "run.run", config: { auth: false } }] };`,
};

let failing = false;
const receiver = startReceiver(() => new Response("answer", { status: failing ? 500 : 200 }));
let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(async () => {
  await app.close();
  await receiver.stop();
});

const evaluate = async (code: string): Promise<Body> =>
  (await app.call("POST", "/api/run", { code, url: receiver.url })).body.value;

const createHook = (events: readonly string[]) =>
  evaluate(
    `return store.createWebhook({ name: "h", url, headers: { "x-own": "v" }, events: ${JSON.stringify(events)} })`,
  );

test("stored webhooks are sent for writes of requests and of code, and once if they are also added", async () => {
  const hook = await createHook(["entry.create", "entry.update"]);
  expect(hook).toMatchObject({ id: "1", name: "h", headers: { "x-own": "v" }, isEnabled: true });
  await app.call("POST", "/api/notes", { data: { title: "a", secret: "s" } });
  const [first] = await receiver.next(1);
  expect(first!.body).toMatchObject({
    event: "entry.create",
    model: "note",
    uid: "api::note.note",
    entry: { title: "a" },
  });
  expect(JSON.stringify(first!.body)).not.toContain("secret");
  expect(first!.headers.get("x-own")).toBe("v");
  await evaluate("runner.add(await store.findWebhook(1))");
  await evaluate(`const [n] = await strapi.documents("api::note.note").findMany();
    await strapi.documents("api::note.note").update({ documentId: n.documentId, data: { title: "b" } })`);
  await evaluate(`await strapi.eventHub.emit("entry.create", { own: true })`);
  const others = await receiver.next(2);
  expect(others.map(({ body }) => [body.event, body.entry?.title, body.own])).toEqual([
    ["entry.update", "b", undefined],
    ["entry.create", undefined, true],
  ]);
  expect(await evaluate("return [...runner.webhooksMap].map(([event, list]) => [event, list.length])")).toEqual([
    ["entry.create", 1],
    ["entry.update", 1],
  ]);
  await evaluate("runner.remove(await store.deleteWebhook(1))");
});

test("plugins emit events through the runner", async () => {
  const { id } = await createHook(["entry.update"]);
  await evaluate(`strapi.eventHub.once("entry.update", ({ heard }) => { globalThis.heard = heard });
    await strapi.webhookRunner.eventHub.emit("entry.update", { model: "own", heard: 1 });
    await runner.executeListener({ event: "entry.update", info: { model: "other", heard: 2 } })`);
  expect((await receiver.next(2)).map(({ body }) => [body.event, body.model])).toEqual([
    ["entry.update", "own"],
    ["entry.update", "other"],
  ]);
  expect(await evaluate("return globalThis.heard")).toBe(1);
  await evaluate(`await store.deleteWebhook(${id})`);
});

test("an update of code that adds a locale is sent as a creation", async () => {
  const { id } = await createHook(["entry.create", "entry.update"]);
  await evaluate(`const pages = strapi.documents("api::page.page");
    const { documentId } = await pages.create({ data: { title: "a" } });
    for (const title of ["b", "c"]) await pages.update({ documentId, locale: "fr", data: { title } })`);
  const sent = (await receiver.next(3)).map(({ body: { event, entry } }) => [event, entry.title, entry.locale]);
  expect(sent).toEqual([
    ["entry.create", "a", "en"],
    ["entry.create", "b", "fr"],
    ["entry.update", "c", "fr"],
  ]);
  await evaluate(`await store.deleteWebhook(${id})`);
});

test("an entry whose transaction is rolled back is not sent", async () => {
  await createHook(["entry.create"]);
  await evaluate(`await strapi.db.transaction(async () => {
    await strapi.documents("api::note.note").create({ data: { title: "lost" } });
    throw new Error("stop");
  }).catch(() => {})`);
  await evaluate(`await strapi.documents("api::note.note").create({ data: { title: "kept" } })`);
  expect((await receiver.next(1)).map(({ body }) => body.entry.title)).toEqual(["kept"]);
  await evaluate("for (const hook of await store.findWebhooks()) await store.deleteWebhook(hook.id)");
});

test("events of code are allowed, stored and sent", async () => {
  await evaluate(
    "globalThis.refused = await store.createWebhook({ events: ['own.thing'] }).catch((e) => [e.name, e.message])",
  );
  expect(await evaluate("return globalThis.refused")).toEqual([
    "ValidationError",
    "Webhook event own.thing is not supported",
  ]);
  await evaluate(`store.addAllowedEvent("OWN", "own.thing")`);
  const { id } = await createHook(["own.thing"]);
  await evaluate(`await strapi.eventHub.emit("own.thing", { a: 1 })`);
  expect((await receiver.next(1))[0]!.body).toMatchObject({ event: "own.thing", a: 1 });
  const changed =
    await evaluate(`const changed = await store.updateWebhook(${id}, { events: ["own.thing"], isEnabled: false });
    runner.update(changed); await strapi.eventHub.emit("own.thing", { a: 4 }); return changed`);
  expect(changed.isEnabled).toBe(false);
  await evaluate(
    `runner.update({ ...(await store.findWebhook(${id})), isEnabled: true }); await strapi.eventHub.emit("own.thing", { a: 5 })`,
  );
  expect((await receiver.next(1))[0]!.body.a).toBe(5);
  await evaluate(`await store.deleteWebhook(${id})`);
});

test("members of the store", async () => {
  expect(
    await evaluate(
      `return [store.getAllowedEvent("ENTRY_DRAFT_DISCARD"), store.listAllowedEvents().length, [...store.allowedEvents][6]]`,
    ),
  ).toEqual(["entry.draft-discard", 10, ["MEDIA_CREATE", "media.create"]]);
  expect(await evaluate("store.removeAllowedEvent('OWN'); return store.listAllowedEvents().length")).toBe(9);
  expect(
    await evaluate(
      "return [await store.findWebhook(99), await store.updateWebhook(99, { events: [] }), await store.deleteWebhook(99), await store.findWebhooks()]",
    ),
  ).toEqual([null, null, null, []]);
});

test("run sends one request and returns its outcome", async () => {
  expect(await evaluate(`return runner.run({ url, headers: { "x-r": "1" } }, "own.event", { a: 1 })`)).toEqual({
    statusCode: 200,
  });
  const [request] = await receiver.next(1);
  expect([request!.headers.get("x-r"), request!.headers.get("x-strapi-event"), request!.body.a]).toEqual([
    "1",
    "own.event",
    1,
  ]);
  failing = true;
  expect(await evaluate(`return runner.run({ url }, "own.event")`)).toEqual({ statusCode: 500, message: "answer" });
  failing = false;
  expect(await evaluate(`return runner.run({ url: "http://127.0.0.1:1/" }, "e")`)).toMatchObject({ statusCode: 500 });
  expect(await evaluate(`return runner.run({ url: "https://example.com/" }, "e")`)).toEqual({
    statusCode: 500,
    message: "not sent: only this machine is called",
  });
  receiver.received.length = 0;
});
