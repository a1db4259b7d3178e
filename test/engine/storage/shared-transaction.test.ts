/** Writes that are requested together share a transaction, and each can fail alone. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Storage } from "../../../src/engine/storage/storage.ts";

let folder: string;
let storage: Storage;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-shared-"));
  storage = Storage.open(join(folder, "content.db"));
  storage.serve();
});
afterEach(() => {
  storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const set = (name: string) => (): void => storage.setMeta(name, "done");
const fail =
  (name: string, before: () => void = () => {}) =>
  (): void => {
    set(name)();
    before();
    throw new Error(name);
  };

/** Of another connection, so that only what is committed counts. */
function committed(): string[] {
  const other = new Database(join(folder, "content.db"));
  const names = other.query("SELECT key FROM galley_meta ORDER BY key").values().flat() as string[];
  other.close();
  return names;
}

const settle = async (...works: readonly (() => void)[]): Promise<string[]> => {
  const results = await Promise.allSettled(works.map((work) => storage.write(work)));
  return results.map((result) => (result.status === "rejected" ? (result.reason as Error).message : result.status));
};

test("they are committed once, before any of them is done", async () => {
  await storage.write(set("a"));
  const before = storage.statements;
  const seen = await Promise.all(["b", "c", "d"].map((name) => storage.write(set(name)).then(committed)));
  // BEGIN, COMMIT, three rows, and two savepoints
  expect(storage.statements - before).toBe(9);
  expect(seen).toEqual(Array(3).fill(["a", "b", "c", "d"]));
});

test("one that fails is taken back alone", async () => {
  expect(await settle(set("a"), fail("b"), set("c"), fail("d"), set("e"))).toEqual([
    "fulfilled",
    "b",
    "fulfilled",
    "d",
    "fulfilled",
  ]);
  expect(committed()).toEqual(["a", "c", "e"]);
});

test("the next ones are written when the first one fails", async () => {
  expect(await settle(fail("a"), fail("b"), set("c"), set("d"))).toEqual(["a", "b", "fulfilled", "fulfilled"]);
  expect(committed()).toEqual(["c", "d"]);
});

test("an asynchronous one is refused and taken back", async () => {
  const work = async (): Promise<void> => set("b")();
  expect(await settle(set("a"), work as () => void, set("c"))).toEqual([
    "fulfilled",
    "A transaction must not be asynchronous",
    "fulfilled",
  ]);
  expect(committed()).toEqual(["a", "c"]);
});

test("an error that ends the transaction fails those that have written, and no others", async () => {
  const end = fail("b", () => storage.db.run("ROLLBACK"));
  expect(await settle(set("a"), end, set("c"), set("d"))).toEqual(["b", "b", "fulfilled", "fulfilled"]);
  expect(committed()).toEqual(["c", "d"]);
  expect(storage.isWriting).toBe(false);
});

test("all of them fail when the commit does", async () => {
  const { db } = storage;
  const { prepare } = db;
  storage.trim();
  // a full disk, which cannot be had at will
  db.prepare = ((sql: string) => {
    if (sql === "COMMIT") throw new Error("no space");
    return prepare.call(db, sql);
  }) as typeof prepare;
  expect(await settle(set("a"), set("b"))).toEqual(["no space", "no space"]);
  db.prepare = prepare;
  expect(await settle(set("c"))).toEqual(["fulfilled"]);
  expect(committed()).toEqual(["c"]);
});

test("a read never finds what is not committed yet", async () => {
  const works = ["a", "b", "c"].map((name) => storage.write(set(name)));
  expect(storage.meta("a")).toBeUndefined();
  const read = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) {
      const own = storage.metaKeys("");
      expect(own).toEqual(committed());
      await Bun.sleep(0);
    }
  };
  await Promise.all([read(), ...works]);
});

test("what was requested is written before the database is closed", async () => {
  const write = storage.write(set("a"));
  storage.close();
  await write;
  expect(committed()).toEqual(["a"]);
});
