/** The version changes with every write of any process; a microtask reads one snapshot. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Storage } from "../../../src/engine/storage/storage.ts";

let folder: string;
let storage: Storage;
let other: Storage;

const file = (): string => join(folder, "content.db");
/** Snapshots end with the current microtask. */
const nextMicrotask = (): Promise<void> => Promise.resolve();
const numberOf = (of: Storage): number => Number(of.meta("number"));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-moment-"));
  storage = Storage.open(file());
  other = Storage.open(file());
});
afterEach(() => {
  storage.close();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

test("runs no statement for the version within the same microtask", () => {
  const first = storage.version();
  const query = spyOn(storage.db, "query");
  expect(storage.version()).toBe(first);
  expect(query).not.toHaveBeenCalled();
  query.mockRestore();
});

test("runs one statement for the version, and one more for a snapshot after it", async () => {
  const query = spyOn(storage.db, "query");
  const version = storage.version();
  expect(query.mock.calls.map(([sql]) => sql)).toEqual(["PRAGMA data_version"]);
  storage.hold();
  expect(storage.version()).toBe(version);
  expect(query.mock.calls.map(([sql]) => sql).slice(1)).toEqual(["BEGIN"]);
  other.setMeta("number", "1");
  await nextMicrotask();
  expect(storage.version()).not.toBe(version);
  query.mockRestore();
});

test("keeps a pinned snapshot, and refuses writes", async () => {
  storage.setMeta("number", "1");
  const before = storage.version();
  storage.pin();
  other.transaction(() => {
    other.setMeta("number", "2");
    other.run("ALTER TABLE galley_meta RENAME TO elsewhere");
  });
  await Bun.sleep(5);
  expect(storage.version()).toBe(before);
  expect(numberOf(storage)).toBe(1);
  expect(() => storage.setMeta("number", "3")).toThrow("The database is busy");
  const write = storage.write(() => storage.run("UPDATE elsewhere SET value = '4' WHERE key = 'number'"));
  await Bun.sleep(20);
  storage.unpin();
  await write;
  expect(storage.all("SELECT value FROM elsewhere WHERE key = 'number'")).toEqual([["4"]]);
});

test("changes the version with every write: by this process, by another, and after a checkpoint", async () => {
  const seen = new Set([storage.version()]);
  for (let number = 0; number < 60; number++) {
    await nextMicrotask();
    (number % 3 === 0 ? storage : other).setMeta("number", String(number));
    if (number % 7 === 0) other.db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const version = storage.version();
    expect(seen.has(version)).toBe(false);
    seen.add(version);
    expect(numberOf(storage)).toBe(number);
    await nextMicrotask();
    expect(storage.version()).toBe(version);
  }
});

test("shows a write of another process after the snapshot only", async () => {
  storage.setMeta("number", "1");
  const before = storage.version();
  storage.hold();
  expect(numberOf(storage)).toBe(1);
  other.setMeta("number", "2");
  expect(storage.version()).toBe(before);
  expect(numberOf(storage)).toBe(1);
  await nextMicrotask();
  expect(storage.version()).not.toBe(before);
  expect(numberOf(storage)).toBe(2);
});

/** Each writes the numbers that it is sent, and answers when that is done. */
const writers = {
  "another program": `
    const { Database } = require("bun:sqlite");
    const db = new Database(process.argv[1]);
    db.run("PRAGMA busy_timeout = 10000");
    const write = (line) => db.run("INSERT OR REPLACE INTO galley_meta VALUES ('number', ?)", [line]);`,
  "another Galley": `
    const { Storage } = require(${JSON.stringify(join(import.meta.dir, "../../../src/engine/storage/storage.ts"))});
    const storage = Storage.open(process.argv[1]);
    const write = (line) => storage.transaction(() => storage.setMeta("number", line));`,
};

async function startWriter(name: keyof typeof writers) {
  const code = `${writers[name]}
    for await (const line of console) {
      write(line);
      console.log(line);
    }`;
  const writer = Bun.spawn([process.execPath, "-e", code, file()], { stdin: "pipe", stdout: "pipe" });
  const lines = writer.stdout.getReader();
  return {
    write: async (number: number): Promise<void> => {
      writer.stdin.write(`${number}\n`);
      await writer.stdin.flush();
      await lines.read();
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      writer.stdin.end();
      expect(await writer.exited).toBe(0);
    },
  };
}

/** Each write is seen by the next read, which has the same version until then. */
async function expectEachWriteSeen(name: keyof typeof writers): Promise<void> {
  await using writer = await startWriter(name);
  let version = storage.version();
  for (let number = 0; number < 500; number++) {
    await nextMicrotask();
    expect(storage.version()).toBe(version);
    await writer.write(number);
    const moved = storage.version();
    expect(moved).not.toBe(version);
    expect(numberOf(storage)).toBe(number);
    version = moved;
  }
}

test("never misses an acknowledged write of another program", () => expectEachWriteSeen("another program"));

test("never misses one of another Galley, also where snapshots are kept", async () => {
  storage.serve();
  await expectEachWriteSeen("another Galley");
});

/** Looks until a snapshot is open that is kept: for some milliseconds, none is. */
async function keptSnapshot(): Promise<string> {
  for (;;) {
    const version = storage.version();
    await nextMicrotask();
    if (storage.db.inTransaction) return version;
    await Bun.sleep(1);
  }
}

describe("a server", () => {
  beforeEach(() => storage.serve());

  test("keeps a snapshot from one microtask to the next, and runs no statement for its version", async () => {
    const version = await keptSnapshot();
    const query = spyOn(storage.db, "query");
    storage.hold();
    expect(storage.version()).toBe(version);
    expect(query).not.toHaveBeenCalled();
    query.mockRestore();
  });

  test("reads what another Galley has written also where nobody asks for the version", async () => {
    for (let number = 0; number < 100; number++) {
      await keptSnapshot();
      other.setMeta("number", String(number));
      expect(numberOf(storage)).toBe(number);
    }
  });

  test("the counter of commits has its place on the disk: it would end the process if there was none left", () => {
    expect(statSync(`${file()}-commits`).blocks).toBeGreaterThan(0);
  });

  test("ends a snapshot by itself when nobody reads", async () => {
    await keptSnapshot();
    await Bun.sleep(60);
    expect(storage.db.inTransaction).toBe(false);
  });

  test("sees its own writes at once", async () => {
    for (let number = 0; number < 100; number++) {
      const version = await keptSnapshot();
      storage.setMeta("number", String(number));
      expect(storage.version()).not.toBe(version);
      expect(numberOf(storage)).toBe(number);
    }
  });

  test("sees writes of another program soon, however much is read", async () => {
    await using writer = await startWriter("another program");
    for (let number = 0; number < 20; number++) {
      await keptSnapshot();
      await writer.write(number);
      const since = performance.now();
      const read = (): number => {
        storage.version();
        return numberOf(storage);
      };
      while (read() !== number) {
        expect(performance.now() - since).toBeLessThan(1000);
        await Bun.sleep(0);
      }
    }
  });

  test("lets the log be emptied that another Galley writes, however much is read", async () => {
    other.db.run("PRAGMA wal_autocheckpoint = 10");
    other.run("CREATE TABLE filled (text)");
    const fill = async (milliseconds: number): Promise<number> => {
      for (const end = performance.now() + milliseconds; performance.now() < end; ) {
        other.run("INSERT INTO filled VALUES (?)", ["x".repeat(1000)]);
        for (let read = 0; read < 3; read++) {
          storage.version();
          storage.all("SELECT count(*) FROM galley_meta");
          await Bun.sleep(0);
        }
      }
      return Bun.file(`${file()}-wal`).size;
    };
    const size = await fill(200);
    // otherwise, it would have all rows that are ever written: about nine times as many
    expect(await fill(1_600)).toBeLessThan(4.5 * size);
  });

  test("keeps none once its database is handed out", async () => {
    await keptSnapshot();
    const db = storage.lend();
    expect(db.inTransaction).toBe(false);
    storage.version();
    await nextMicrotask();
    expect(db.inTransaction).toBe(false);
  });

  test("keeps none where memory cannot be shared", async () => {
    const folderWithout = join(folder, "without");
    const without = Storage.open(join(folderWithout, "content.db"));
    mkdirSync(join(folderWithout, "content.db-commits"));
    without.serve();
    const version = without.version();
    await nextMicrotask();
    expect(without.db.inTransaction).toBe(false);
    expect(without.version()).toBe(version);
    without.setMeta("number", "1");
    expect(without.version()).not.toBe(version);
    without.close();
  });
});

test("sees its own writes in a database that is not shared", () => {
  const alone = Storage.fromSnapshot(new Database(":memory:").serialize());
  const before = alone.version();
  expect(alone.version()).toBe(before);
  alone.setMeta("number", "1");
  expect(alone.version()).not.toBe(before);
  alone.close();
});

test("trimming finalizes the cached statements, and reads go on", () => {
  const cached = storage.db.query("SELECT 1");
  const version = storage.version();
  storage.trim();
  expect(() => cached.values()).toThrow("finalized");
  expect(storage.version()).toBe(version);
  expect(storage.all("SELECT 1")).toEqual([[1]]);
});

test("statements with long texts are finalized at once, instead of being cached", () => {
  const query = spyOn(storage.db, "query");
  const prepare = spyOn(storage.db, "prepare");
  const long = `SELECT ?, '${"x".repeat(5_000)}'`;
  expect(storage.all(long, [1])[0]?.[0]).toBe(1);
  expect(query).not.toHaveBeenCalled();
  const statement = prepare.mock.results[0]!.value as { readonly values: () => unknown };
  expect(() => statement.values()).toThrow("finalized");
  query.mockRestore();
  prepare.mockRestore();
});
