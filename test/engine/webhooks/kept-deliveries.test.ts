/** What is kept of requests to webhooks: how many, for how long, and for whom. */
import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeptDeliveries, type NewDelivery } from "../../../src/engine/webhooks/kept-deliveries.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

function open(file?: string, log = (line: string): void => expect().fail(line)): KeptDeliveries {
  const deliveries = new KeptDeliveries(file, log);
  cleanups.push(() => deliveries.close());
  return deliveries;
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-deliveries-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "deliveries.db");
}

const delivery: NewDelivery = {
  ...{
    webhookId: "1",
    name: "site",
    url: "http://127.0.0.1/",
    event: "entry.create",
    sentAt: "2026-01-31T00:00:00.000Z",
  },
  ...{ status: 200, message: "", milliseconds: 3.6, body: "{}" },
};

test("the last 20 of a webhook are kept, the newest first, and those of others", () => {
  const deliveries = open();
  const other = deliveries.add({ ...delivery, webhookId: "2" });
  for (let number = 1; number <= 25; number++) deliveries.add({ ...delivery, event: `e${number}` });
  const kept = deliveries.list();
  expect(kept.map(({ event }) => event)).toEqual([
    ...Array.from({ length: 20 }, (_, index) => `e${25 - index}`),
    "entry.create",
  ]);
  expect(kept.at(-1)).toEqual(other);
  const { body: _, ...values } = delivery;
  expect(other).toEqual({ ...values, id: 1, webhookId: "2", milliseconds: 4, hasBody: true });
});

test("500 of all webhooks are kept", () => {
  const deliveries = open();
  for (let number = 1; number <= 520; number++) deliveries.add({ ...delivery, webhookId: String(number) });
  const kept = deliveries.list();
  expect([kept.length, kept[0]!.webhookId, kept.at(-1)!.webhookId]).toEqual([500, "520", "21"]);
});

test("what is older than 30 days is removed", () => {
  const deliveries = open();
  deliveries.add({ ...delivery, webhookId: "2", sentAt: "2025-12-31T23:59:59.999Z" });
  deliveries.add({ ...delivery, webhookId: "3", sentAt: "2026-01-01T00:00:00.000Z" });
  deliveries.add(delivery);
  expect(deliveries.list().map(({ webhookId }) => webhookId)).toEqual(["1", "3"]);
});

test("a long body is not kept", () => {
  const deliveries = open();
  const [short, long] = [100_000, 100_001].map((length) => deliveries.add({ ...delivery, body: "x".repeat(length) }));
  expect([short!.hasBody, long!.hasBody]).toEqual([true, false]);
  expect(deliveries.find(short!.id)?.body).toHaveLength(100_000);
  expect(deliveries.find(long!.id)?.body).toBeNull();
  expect(deliveries.find(99)).toBeUndefined();
});

test("those of deleted webhooks are forgotten, and their ids are not given again", () => {
  const deliveries = open();
  deliveries.add(delivery);
  deliveries.add({ ...delivery, webhookId: "2" });
  deliveries.forget(["2", "3"]);
  expect(deliveries.list().map(({ id }) => id)).toEqual([1]);
  expect(deliveries.add(delivery).id).toBe(3);
});

test("a file is made by the first one, for its owner only, and several processes share it", () => {
  const file = temporaryFile();
  const [one, other] = [open(file), open(file)];
  expect([one.list(), one.find(1), existsSync(file)]).toEqual([[], undefined, false]);
  one.forget(["1"]);
  one.add(delivery);
  expect(statSync(file).mode & 0o077).toBe(0);
  other.add({ ...delivery, event: "other" });
  expect(one.list().map(({ event }) => event)).toEqual(["other", "entry.create"]);
});

test.each([
  ["is not a database", (file: string) => writeFileSync(file, "not a database".repeat(500))],
  ["is cut off", (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 5_000))],
  ["has another table", (file: string) => new Database(file).run("ALTER TABLE deliveries DROP COLUMN url")],
])("a file that %s is replaced, which is logged once", (_name, damage) => {
  const file = temporaryFile();
  const before = open(file);
  before.add(delivery);
  before.close();
  damage(file);
  const lines: string[] = [];
  const deliveries = open(file, (line) => lines.push(line));
  expect([deliveries.list(), deliveries.find(1)]).toEqual([[], undefined]);
  deliveries.forget(["2"]);
  deliveries.add(delivery);
  expect(deliveries.list()).toHaveLength(1);
  expect(lines).toEqual([expect.stringContaining("the deliveries that were kept are gone: ")]);
});
