/** Requests: their order, limits, failures, and the end of the process. */
import { afterEach, expect, test } from "bun:test";
import type { GalleySettings } from "../../../src/engine/config/galley-file.ts";
import type { Settings } from "../../../src/engine/config/settings.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { DeliveryQueue } from "../../../src/engine/webhooks/delivery-queue.ts";
import { readReach } from "../../../src/engine/webhooks/request.ts";
import {
  asImported,
  changeWebhook,
  insertWebhook,
  storedWebhooks,
  WEBHOOKS,
  type WebhookValues,
} from "../../../src/engine/webhooks/webhook.ts";
import { Webhooks } from "../../../src/engine/webhooks/webhooks.ts";
import { Clock } from "../../../src/lib/clock.ts";
import { until } from "../../until.ts";
import { startReceiver } from "./receiver.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const settingsOf = (webhooks: GalleySettings["webhooks"], environment = {}) =>
  ({ galley: { webhooks }, environment, server: { webhookHeaders: {} } }) as unknown as Settings;

function setUp(hooks: readonly WebhookValues[], settings = settingsOf(undefined)) {
  const storage = Storage.open(":memory:");
  const lines: string[] = [];
  for (const [index, hook] of hooks.entries())
    insertWebhook(storage, { name: `hook ${index + 1}`, events: ["e"], ...hook });
  const webhooks = new Webhooks(storage, settings, (line) => lines.push(line), { clock: new Clock() });
  cleanups.push(async () => {
    await webhooks.close();
    storage.close();
  });
  return { webhooks, lines };
}

function receive(...args: Parameters<typeof startReceiver>) {
  const receiver = startReceiver(...args);
  cleanups.push(() => receiver.stop());
  return receiver;
}

/** Calls that a test lets go on. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  cleanups.push(resolve);
  return { opened: promise, open: resolve };
}

test("by default, development calls this machine, and production what is public", () => {
  expect(readReach(settingsOf(undefined)).send).toBe("local");
  expect(readReach(settingsOf(undefined, { NODE_ENV: "test" })).send).toBe("local");
  expect(readReach(settingsOf(undefined, { NODE_ENV: "production" })).send).toBe("public");
  // of an archive, or with --memory: what it calls could be that of the original
  expect(readReach(settingsOf(undefined, { NODE_ENV: "production" }), true).send).toBe("local");
  const both: NonNullable<GalleySettings["webhooks"]> = { send: "off", hosts: ["a"] };
  expect(readReach(settingsOf(both, { NODE_ENV: "production" }))).toEqual({ send: "off", hosts: ["a"] });
});

test("a webhook that may not be called is logged once, without its URL and headers", async () => {
  const url = "https://example.com/hook?key=url-secret";
  const { webhooks, lines } = setUp([{ url, headers: { authorization: "header-secret" } }]);
  webhooks.emit("e", {});
  webhooks.emit("e", {});
  expect(lines).toEqual([
    'webhook "hook 1" is not sent: only this machine is called; see webhooks in config/galley.json',
  ]);
  expect(await webhooks.run({ url, headers: {} }, "e")).toEqual({
    statusCode: 500,
    message: "not sent: only this machine is called",
  });
});

test("failures are logged once until a request succeeds, and headers never", async () => {
  let status = 500;
  const receiver = receive(() => new Response("body", { status }));
  const headers = { "x-token": "secret\nsecret" };
  const { webhooks, lines } = setUp([{ url: receiver.url }, { url: receiver.url, headers }]);
  for (const next of [500, 500, 200, 500]) {
    status = next;
    webhooks.emit("e", {});
    await receiver.next(1);
    await until("it has ended", () => webhooks.queue.running === 0);
  }
  const failed = 'webhook "hook 1" failed: status 500 Internal Server Error';
  expect(lines.filter((line) => line.includes("hook 1"))).toEqual([failed, failed]);
  expect(lines.filter((line) => line.includes("hook 2"))).toEqual([
    'webhook "hook 2" failed: status 500 its headers are not valid',
  ]);
});

test("events of one webhook arrive in order, and a receiver that does not answer delays no other", async () => {
  const { opened, open } = gate();
  const receiver = receive(async (path) => {
    if (path === "/dead") await opened;
    return new Response();
  });
  const { webhooks } = setUp([{ url: `${receiver.url}/dead` }, { url: `${receiver.url}/alive` }]);
  for (let n = 0; n < 20; n++) webhooks.emit("e", { n });
  await until("the other one has all", () => receiver.received.filter(({ path }) => path === "/alive").length === 20);
  const numbers = receiver.received.filter(({ path }) => path === "/alive").map(({ body }) => body.n);
  expect(numbers).toEqual([...Array(20).keys()]);
  expect(receiver.received.filter(({ path }) => path === "/dead")).toHaveLength(1);
  open();
  await receiver.next(40);
});

test("at most five requests run at once", async () => {
  const { opened, open } = gate();
  const receiver = receive(async () => {
    await opened;
    return new Response();
  });
  const { webhooks } = setUp(Array.from({ length: 9 }, () => ({ url: receiver.url })));
  webhooks.emit("e", {});
  await until("five have arrived", () => receiver.received.length === 5);
  expect([webhooks.queue.running, webhooks.queue.waiting.length]).toEqual([5, 4]);
  open();
  await receiver.next(9);
});

test("the queue is bounded, by number for each webhook and by size in total", async () => {
  const { opened } = gate();
  const queue = new DeliveryQueue();
  const send = () => opened;
  const add = (webhookId: string, size = 1) => queue.add({ webhookId, size, send });
  let added = 0;
  while (add("a")) added++;
  expect(added).toBe(1001);
  expect(add("b")).toBe(true);
  expect(add("c", 64 * 1024 * 1024)).toBe(false);
  expect(await queue.close(0)).toBe(1002);
  expect(add("d")).toBe(false);
});

test("closing waits a moment for what is running, and no longer", async () => {
  const receiver = receive((path) => (path === "/dead" ? new Promise<Response>(() => {}) : new Response()));
  const { webhooks, lines } = setUp([{ url: `${receiver.url}/dead` }, { url: `${receiver.url}/alive` }]);
  webhooks.emit("e", {});
  const start = performance.now();
  await webhooks.close();
  expect(performance.now() - start).toBeLessThan(8_000);
  expect(receiver.received.some(({ path }) => path === "/alive")).toBe(true);
  expect(lines).toEqual(["webhooks: 1 requests were cut off by the end of the process"]);
});

test("what cannot be sent breaks nothing", async () => {
  const receiver = receive();
  const { webhooks, lines } = setUp([{ url: receiver.url }]);
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  webhooks.emit("e", cyclic);
  webhooks.emit("e", { text: "x".repeat(9_000_000) });
  webhooks.emit("e", "text");
  webhooks.emit("e", null);
  webhooks.emit("e");
  expect((await receiver.next(3)).map(({ body }) => Object.keys(body))).toEqual(Array(3).fill(["event", "createdAt"]));
  expect(lines[0]).toStartWith("webhooks: e is not sent: ");
  expect(lines[1]).toBe('webhook "hook 1" is not sent: e is too large');
});

test("an imported webhook of the local network is sent once somebody has saved it, or named its host", async () => {
  const receiver = receive();
  const row = { id: 1, name: "build", url: `${receiver.url}/hook`, headers: {}, events: ["e"], enabled: true };
  const storage = Storage.open(":memory:");
  const lines: string[] = [];
  const open = (settings: Settings) => {
    const webhooks = new Webhooks(storage, settings, (line) => lines.push(line), { clock: new Clock() });
    cleanups.push(() => webhooks.close());
    return webhooks;
  };
  storage.setMeta(WEBHOOKS, JSON.stringify([asImported(row)]));
  const webhooks = open(settingsOf(undefined));
  webhooks.emit("e", { of: "nobody" });
  webhooks.emit("e", { of: "nobody" });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('webhook "build" is not sent: it was imported, and its host is not public');
  open(settingsOf({ hosts: [new URL(receiver.url).host] })).emit("e", { of: "named" });
  expect((await receiver.next(1)).map(({ body }) => body.of)).toEqual(["named"]);
  changeWebhook(storage, "1", { name: "build" });
  expect(storedWebhooks(storage)[0]).not.toHaveProperty("isUnconfirmed");
  webhooks.emit("e", { of: "saved" });
  expect((await receiver.next(1)).map(({ body }) => body.of)).toEqual(["saved"]);
  cleanups.push(() => storage.close());
});

test("requests are sent and logged where they cannot be kept", async () => {
  const receiver = receive();
  const { webhooks, lines } = setUp([{ url: receiver.url }]);
  webhooks.deliveries.add = () => {
    throw new Error("disk full");
  };
  webhooks.emit("e", {});
  await receiver.next(1);
  await webhooks.queue.idle();
  expect(lines).toEqual(['webhook "hook 1" was called, which could not be kept: disk full']);
});
