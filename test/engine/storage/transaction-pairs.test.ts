/** Every kind of transaction, begun while one of every kind is open on the same connection: each waits, or joins, and all are done. */

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Storage } from "../../../src/engine/storage/storage.ts";

let folder: string;
let storage: Storage;
const file = (): string => join(folder, "content.db");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-pairs-"));
  storage = Storage.open(file());
  storage.serve();
});
afterEach(() => {
  storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const set = (name: string) => (): void => storage.setMeta(name, "done");
const pause = (): Promise<void> => Bun.sleep(30);
const retried = async (work: () => boolean | undefined): Promise<void> => {
  while (!work()) await Bun.sleep(1);
};
/** What a synchronous write does while a snapshot is pinned: the client tries again. */
const onceFree = (work: () => void): Promise<void> =>
  retried(() => {
    try {
      work();
      return true;
    } catch (error) {
      if (!/busy/.test((error as Error).message)) throw error;
      return false;
    }
  });

/** What each kind does under a name. Those that write have written once their promise is resolved. */
const kinds: Readonly<Record<string, { readonly run: (name: string) => Promise<unknown>; readonly writes?: true }>> = {
  write: { run: (name) => storage.write(set(name)), writes: true },
  "long write": {
    run: (name) =>
      storage.write(() => {
        set(name)();
        Bun.sleepSync(60);
      }),
    writes: true,
  },
  transaction: { run: (name) => onceFree(() => storage.transaction(set(name))), writes: true },
  tryTransaction: { run: (name) => retried(() => storage.tryTransaction(set(name))), writes: true },
  "nested write": { run: (name) => storage.write(() => void storage.write(set(name))), writes: true },
  "transaction that the caller ends": {
    run: async (name) => {
      await storage.beginTransaction();
      set(name)();
      storage.commit();
    },
    writes: true,
  },
  exclusive: {
    run: (name) =>
      storage.exclusive(async () => {
        await pause();
        await storage.write(set(name));
        await pause();
      }),
    writes: true,
  },
  "snapshot of reads": {
    run: (name) =>
      storage.snapshotReads(async () => {
        const before = storage.meta(name);
        await pause();
        expect(storage.meta(name)).toBe(before as never);
      }),
  },
  "snapshot of reads that fails": {
    run: (name) =>
      storage
        .snapshotReads(async () => {
          await pause();
          throw new Error(name);
        })
        .catch((error: Error) => expect(error.message).toBe(name)),
  },
  "rolled back": {
    run: (name) =>
      storage
        .exclusive(async () => {
          storage.setMeta(`lost ${name}`, "");
          await pause();
          throw new Error(name);
        })
        .catch((error: Error) => expect(error.message).toBe(name)),
  },
  rehearse: { run: (name) => storage.rehearse(() => storage.setMeta(`lost ${name}`, "")) },
  hold: {
    run: async () => {
      storage.hold();
      storage.meta("hold");
    },
  },
  pin: {
    run: async () => {
      await storage.pin();
      await pause();
      storage.unpin();
    },
  },
  version: { run: async () => storage.version() },
};

/** Of another connection, so that only what is committed counts. */
function committed(): string[] {
  const other = new Database(file());
  const names = other.query("SELECT key FROM galley_meta ORDER BY key").values().flat() as string[];
  other.close();
  return names;
}

const names = Object.keys(kinds);
// both synchronous writes join what is open, which a rollback takes back: only a start and the command line run such transactions
const isJoined = (first: string, second: string): boolean => first === "rolled back" && second === "transaction";
const pairs = names.flatMap((first) =>
  names.filter((second) => !isJoined(first, second)).map((second) => [first, second] as const),
);

describe.each([
  ["at once", async (): Promise<unknown> => undefined],
  ["while others wait", (): Promise<unknown> => storage.write(() => Bun.sleepSync(60))],
] as const)("%s", (_, prepare) => {
  test.each(pairs)("%s, then %s", async (first, second) => {
    await prepare();
    const started = [kinds[first]!.run("first"), kinds[second]!.run("second"), storage.write(set("last"))];
    await Promise.all(started);
    const written = [first, second].flatMap((name, index) =>
      kinds[name]!.writes ? [["first", "second"][index]!] : [],
    );
    expect(committed()).toEqual([...written, "last"].sort());
    expect(storage.isWriting).toBe(false);
    expect(storage.db.inTransaction).toBe(false);
  });
});

test("a write that waits begins after a snapshot that was begun meanwhile", async () => {
  const other = new Database(file());
  other.run("BEGIN IMMEDIATE");
  const write = storage.write(set("waiting"));
  const reads = storage.snapshotReads(async () => {
    other.run("COMMIT");
    await Bun.sleep(100);
    expect(storage.meta("waiting")).toBeUndefined();
  });
  await Promise.all([write, reads]);
  expect(committed()).toEqual(["waiting"]);
  other.close();
});

test("a rehearsal inside a transaction is taken back, and the transaction goes on", async () => {
  await storage.exclusive(async () => {
    storage.setMeta("before", "");
    await storage.rehearse(() => storage.setMeta("lost", ""));
    storage.setMeta("after", "");
  });
  expect(committed()).toEqual(["after", "before"]);
});
