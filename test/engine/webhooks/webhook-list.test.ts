/** Webhooks in memory. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Storage } from "../../../src/engine/storage/storage.ts";
import {
  changeWebhook,
  deleteWebhooks,
  insertWebhook,
  storedWebhooks,
  WEBHOOKS,
  WebhookList,
} from "../../../src/engine/webhooks/webhook.ts";
import { until } from "../../until.ts";

const values = { name: "a", url: "http://localhost/", headers: {}, events: ["entry.create"] };
const names = (list: WebhookList) => (list.byEvent.get("entry.create") ?? []).map(({ name }) => name);

test("webhooks are read once, and again when this process has changed settings", async () => {
  const storage = Storage.open(":memory:");
  const list = new WebhookList(storage);
  expect(names(list)).toEqual([]);
  await storage.write(() => storage.run("CREATE TABLE other (id)"));
  const before = storage.statements;
  expect(names(list)).toEqual([]);
  expect(storage.statements).toBe(before);
  await storage.write(() => insertWebhook(storage, values));
  expect(names(list)).toEqual(["a"]);
  await storage.write(() => changeWebhook(storage, "1", { name: "b" }));
  expect(names(list)).toEqual(["b"]);
  await storage.write(() => deleteWebhooks(storage, new Set(["1"])));
  expect(names(list)).toEqual([]);
  storage.close();
});

test("changes of other processes are seen within a moment", async () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-test-"));
  const file = join(folder, "content.db");
  const [one, other] = [Storage.open(file), Storage.open(file)];
  const list = new WebhookList(one);
  expect(names(list)).toEqual([]);
  await other.write(() => insertWebhook(other, values));
  await until("the webhook is seen", () => names(list).length === 1);
  one.close();
  other.close();
  rmSync(folder, { recursive: true });
});

test("what code adds or removes counts until something else is stored", async () => {
  const storage = Storage.open(":memory:");
  const list = new WebhookList(storage);
  const stored = await storage.write(() => insertWebhook(storage, values));
  list.set({ ...stored, name: "changed" });
  list.set({ ...stored, id: "own", name: "added" });
  expect(names(list)).toEqual(["changed", "added"]);
  list.remove("own");
  list.remove(stored.id);
  expect(names(list)).toEqual([]);
  await storage.write(() => changeWebhook(storage, stored.id, { name: "again" }));
  expect(names(list)).toEqual(["again"]);
  storage.close();
});

test("a database that cannot be read keeps what is known", () => {
  const storage = Storage.open(":memory:");
  insertWebhook(storage, values);
  const list = new WebhookList(storage);
  expect(names(list)).toEqual(["a"]);
  list.invalidate();
  storage.close();
  expect(names(list)).toEqual(["a"]);
});

test("imported rows may have any values", () => {
  const storage = Storage.open(":memory:");
  const rows = [null, 1, { id: 1, url: 2, headers: ["x"], events: ["entry.create", 3, null], enabled: "yes" }];
  storage.setMeta(WEBHOOKS, JSON.stringify(rows));
  expect(storedWebhooks(storage)).toEqual([
    { id: "1", name: "", url: "2", headers: {}, events: ["entry.create"], isEnabled: false },
  ]);
  expect(new WebhookList(storage).byEvent.size).toBe(1);
  storage.close();
});
