/** The database is locked by another process, or its file is damaged. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { WriteQueue } from "../../../src/engine/storage/write-queue.ts";
import { ApiError, ProjectError } from "../../../src/lib/errors.ts";

let folder: string;
const file = (): string => join(folder, ".galley/content.db");
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setNumber = (storage: Storage, number: number) => () => storage.setMeta("number", String(number));

// without it, an older SQLite that ends the last connection that it sees, such as that of the sqlite3 shell, removes the -wal file
test.if(process.platform === "linux")("a second connection leaves the lock of the first on the file", () => {
  const countLocks = (): number =>
    readFileSync("/proc/locks", "latin1")
      .split("\n")
      .filter((line) => line.includes(`:${statSync(file()).ino} `)).length;
  const first = Storage.open(file());
  first.setMeta("number", "1");
  const locks = countLocks();
  const second = Storage.open(file());
  second.setMeta("number", "2");
  const kept = countLocks();
  second.close();
  first.close();
  expect(kept).toBe(locks);
});

describe("a lock of another process", () => {
  let storage: Storage;
  let other: Database;
  beforeEach(() => {
    storage = Storage.open(file());
    storage.serve();
    other = new Database(file());
    other.run("BEGIN IMMEDIATE");
  });
  afterEach(() => {
    other.close();
    storage.close();
  });

  test("makes writes wait in order, while reads continue", async () => {
    const order: number[] = [];
    const writes = [1, 2, 3].map((number) =>
      storage.write(() => {
        order.push(number);
        storage.setMeta("number", String(number));
      }),
    );
    const started = performance.now();
    for (let reads = 0; reads < 20; reads++) {
      expect(storage.meta("number")).toBeUndefined();
      await Bun.sleep(1);
    }
    // no read was stopped by the lock, which would take until it is gone
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(order).toEqual([]);
    other.run("COMMIT");
    await Promise.all(writes);
    expect(order).toEqual([1, 2, 3]);
    expect(storage.meta("number")).toBe("3");
  });

  test("runs the next write after one that throws", async () => {
    const failing = storage.write(() => {
      throw new Error("no");
    });
    const next = storage.write(setNumber(storage, 5));
    other.run("COMMIT");
    await expect(failing).rejects.toThrow("no");
    await next;
    expect(storage.meta("number")).toBe("5");
  });

  test("refuses synchronous statements after a short time", () => {
    const started = performance.now();
    expect(setNumber(storage, 1)).toThrow("The database is busy");
    expect(() => storage.transaction(setNumber(storage, 1))).toThrow(ApiError);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(storage.tryTransaction(setNumber(storage, 1))).toBe(false);
    other.run("COMMIT");
    storage.transaction(setNumber(storage, 2));
    expect(storage.meta("number")).toBe("2");
  });
});

test("refuses a write with 503 after the timeout, and runs later ones", async () => {
  const queue = new WriteQueue(() => false, 30);
  const refused = queue.once(() => false);
  await expect(refused).rejects.toMatchObject({ httpStatus: 503, name: "ServiceUnavailableError" });
  await queue.once(() => true);
  expect(queue.isFree).toBe(true);
});

test("serves other requests after a long write", async () => {
  const storage = Storage.open(":memory:");
  const order: string[] = [];
  const write = (name: string) =>
    storage.write(() => {
      Bun.sleepSync(60);
      order.push(name);
    });
  const turns = (async () => {
    for (let turn = 0; turn < 200 && order.length < 6; turn++) {
      await Bun.sleep(1);
      order.push("other");
    }
  })();
  await Promise.all([write("one"), write("two"), write("three"), turns]);
  const [one, two, three] = ["one", "two", "three"].map((name) => order.indexOf(name)) as [number, number, number];
  expect(one).toBe(0);
  expect(order.slice(one, two)).toContain("other");
  expect(order.slice(two, three)).toContain("other");
  storage.close();
});

test("fails only reads of a damaged page, and leaves no transaction open", async () => {
  const first = Storage.open(file());
  first.run("CREATE TABLE t (x)");
  first.run("CREATE TABLE u (x)");
  first.transaction(() => {
    for (let row = 0; row < 2000; row++) first.run("INSERT INTO t VALUES (?)", ["x".repeat(100)]);
    first.run("INSERT INTO u VALUES (1)");
  });
  const [[pages]] = first.all("PRAGMA page_count") as [[number]];
  first.db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  first.close();
  const descriptor = openSync(file(), "r+");
  for (let page = 10; page < pages - 5; page++) writeSync(descriptor, Buffer.alloc(4096, 0xff), 0, 4096, page * 4096);
  const storage = Storage.open(file());
  for (let round = 0; round < 3; round++) {
    storage.hold();
    expect(() => storage.all("SELECT x FROM t")).toThrow(/malformed/);
    expect(() => storage.transaction(() => storage.all("SELECT x FROM t"))).toThrow(/malformed/);
    await Bun.sleep(0);
    expect(storage.db.inTransaction).toBe(false);
    expect(storage.all("SELECT x FROM u")).toEqual([[1]]);
  }
  storage.close();
});

test("rolls back a snapshot whose commit fails, and opens the next one", async () => {
  const storage = Storage.open(file());
  storage.hold();
  const { db } = storage;
  const query = db.query;
  // the commit of a read fails when a page that it needs is damaged, which cannot be had at will
  db.query = ((sql: string) => {
    if (sql === "COMMIT") throw new Error("disk I/O error");
    return query.call(db, sql);
  }) as typeof query;
  await Bun.sleep(0);
  db.query = query;
  expect(db.inTransaction).toBe(false);
  storage.setMeta("number", "1");
  storage.hold();
  expect(storage.meta("number")).toBe("1");
  await Bun.sleep(0);
  storage.close();
});

describe("the database's file", () => {
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  const modes = () => [join(folder, ".galley"), ...["", "-wal", "-shm"].map((end) => file() + end)].map(modeOf);

  test.skipIf(process.platform === "win32")("is private, also where it was not", () => {
    const storage = Storage.open(file());
    storage.setMeta("a", "b");
    expect(modes()).toEqual([0o700, 0o600, 0o600, 0o600]);
    for (const path of ["", "-wal", "-shm"]) chmodSync(file() + path, 0o644);
    chmodSync(join(folder, ".galley"), 0o755);
    Storage.open(file()).close();
    expect(modes()).toEqual([0o700, 0o600, 0o600, 0o600]);
    storage.close();
  });

  const broken: readonly (readonly [name: string, prepare: () => void, message: RegExp])[] = [
    ["is not a database", () => writeFileSync(file(), "x".repeat(5000)), /is damaged, or not a SQLite database/],
    [
      "is cut off",
      () => {
        const storage = Storage.open(file());
        storage.run("CREATE TABLE t (x)");
        storage.close();
        truncateSync(file(), 5000);
      },
      /is damaged, or not a SQLite database/,
    ],
    ["is a folder", () => mkdirSync(file()), /cannot be opened or created/],
    [
      "lies where a file is",
      () => {
        rmSync(join(folder, ".galley"), { recursive: true });
        writeFileSync(join(folder, ".galley"), "");
      },
      /cannot be opened or created/,
    ],
    [
      "was written by a newer Galley",
      () => {
        Storage.open(file()).close();
        const db = new Database(file());
        db.run("PRAGMA user_version = 99");
        db.close();
      },
      /was written by a newer Galley/,
    ],
  ];
  for (const [name, prepare, message] of broken) {
    test(`${name}: it is refused with its name, and left as it is`, () => {
      mkdirSync(join(folder, ".galley"));
      prepare();
      const content = () =>
        statSync(join(folder, ".galley")).isFile() || statSync(file()).isDirectory() ? "" : readFileSync(file());
      const before = content();
      const open = () => Storage.open(file());
      expect(open).toThrow(ProjectError);
      expect(open).toThrow(message);
      expect(open).toThrow(".galley");
      expect(content()).toEqual(before);
    });
  }
});

test("a start waits for another one that creates the same database", async () => {
  mkdirSync(join(folder, ".galley"));
  const script = `import { Database } from "bun:sqlite";
    const db = new Database(${JSON.stringify(file())}, { create: true });
    db.run("BEGIN EXCLUSIVE");
    console.log("locked");
    await Bun.sleep(300);
    db.run("COMMIT");`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  await child.stdout.getReader().read();
  const storage = Storage.open(file());
  storage.close();
  expect(await child.exited).toBe(0);
});
