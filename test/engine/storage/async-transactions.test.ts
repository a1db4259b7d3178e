/** Asynchronous transactions: alone, nested, timed out, and concurrent with synchronous writes of the same process. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AsyncTransactions, CutOffError } from "../../../src/engine/storage/async-transactions.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";

let folder: string;
let main: Storage;
let transactions: AsyncTransactions;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-async-"));
  const file = join(folder, "content.db");
  main = Storage.open(file);
  main.run("CREATE TABLE words (word TEXT)");
  transactions = new AsyncTransactions(main, Storage.open(file), 200);
});

afterEach(() => {
  transactions.close();
  main.close();
  rmSync(folder, { recursive: true });
});

const add = (word: string) => transactions.storage.run("INSERT INTO words VALUES (?)", [word]);
const words = (storage = main) => storage.all("SELECT word FROM words ORDER BY word").map(([word]) => word);

test("isolates reads: others read committed content, the transaction its own writes", async () => {
  const opened = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const version = main.version();
  const writing = transactions.run(async () => {
    add("a");
    opened.resolve();
    await promise;
    return words(transactions.storage);
  });
  await opened.promise;
  expect(words()).toEqual([]);
  resolve();
  expect(await writing).toEqual(["a"]);
  expect(words()).toEqual(["a"]);
  expect(main.version()).not.toBe(version);
});

test("is not committed while a pinned snapshot is read, which would not have it", async () => {
  const opened = Promise.withResolvers<void>();
  const first = transactions.run(async () => {
    add("a");
    opened.resolve();
    await Bun.sleep(50);
  });
  await opened.promise;
  await main.pin();
  expect(words()).toEqual(["a"]);
  let isDone = false;
  const second = transactions
    .run(async () => void add("b"))
    .finally(() => {
      isDone = true;
    });
  await Bun.sleep(100);
  expect(isDone).toBe(false);
  await main.pin();
  main.unpin();
  await Promise.all([first, second]);
  expect(words()).toEqual(["a", "b"]);
});

test("rolls back on errors", async () => {
  const writing = transactions.run(async () => {
    add("a");
    await Bun.sleep(1);
    throw new Error("refused");
  });
  expect(writing).rejects.toThrow("refused");
  await writing.catch(() => {});
  expect(words()).toEqual([]);
});

test("runs one transaction after the other", async () => {
  const seen: number[] = [];
  await Promise.all(
    [1, 2, 3].map((turn) =>
      transactions.run(async () => {
        seen.push(turn);
        add(String(turn));
        await Bun.sleep(1);
        seen.push(turn);
      }),
    ),
  );
  expect(seen).toEqual([1, 1, 2, 2, 3, 3]);
  expect(words()).toEqual(["1", "2", "3"]);
});

test("rolls back a nested transaction alone", async () => {
  await transactions.run(async () => {
    add("outer");
    const inner = ["kept", "refused", "also kept"].map((word) =>
      transactions
        .run(async () => {
          add(word);
          await Bun.sleep(1);
          if (word === "refused") throw new Error(word);
        })
        .catch(() => {}),
    );
    await Promise.all(inner);
  });
  expect(words()).toEqual(["also kept", "kept", "outer"]);
});

test("rolls back a transaction that takes too long, and refuses later writes of its code", async () => {
  let late: unknown;
  const { promise, resolve } = Promise.withResolvers<void>();
  const writing = transactions.run(async () => {
    add("a");
    await Bun.sleep(400);
    try {
      add("late");
    } catch (error) {
      late = error;
    }
    resolve();
  });
  expect(writing).rejects.toBeInstanceOf(CutOffError);
  await writing.catch(() => {});
  await promise;
  expect(late).toBeInstanceOf(CutOffError);
  expect(words()).toEqual([]);
});

test("makes synchronous writes wait for the lock", async () => {
  const open = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const writing = transactions.run(async () => {
    add("a");
    open.resolve();
    await end.promise;
  });
  await open.promise;
  const later = main.write(() => main.run("INSERT INTO words VALUES ('c')"));
  expect(words()).toEqual([]);
  end.resolve();
  await Promise.all([writing, later]);
  expect(words()).toEqual(["a", "c"]);
});

test("lets code that outlives its transaction continue outside of it", async () => {
  const ended = Promise.withResolvers<void>();
  let late: Promise<unknown> = Promise.resolve();
  await transactions.run(async () => {
    add("a");
    late = ended.promise.then(() => transactions.run(async () => add("b")));
  });
  ended.resolve();
  await late;
  expect(words()).toEqual(["a", "b"]);
});

test("calls commit callbacks after the commit only", async () => {
  const calls: string[] = [];
  await transactions.run(async () => {
    transactions.onCommit(() => calls.push(`committed ${words().length}`));
    add("a");
  });
  await transactions
    .run(async () => {
      transactions.onCommit(() => calls.push("never"));
      transactions.onRollback(() => calls.push("rolled back"));
      throw new Error("no");
    })
    .catch(() => {});
  expect(calls).toEqual(["committed 1", "rolled back"]);
});

test("callbacks may write, in transactions of their own", async () => {
  const write = (word: string) => () => transactions.run(async () => add(word));
  await transactions.run(async () => {
    transactions.onCommit(write("committed"));
    transactions.onCommit(write("committed, too"));
  });
  await transactions
    .run(async () => {
      transactions.onRollback(write("rolled back"));
      throw new Error("no");
    })
    .catch(() => {});
  expect(words()).toEqual(["committed", "committed, too", "rolled back"]);
});

test("refuses writes that call each other without an end", async () => {
  const unlimited = new AsyncTransactions(main, Storage.open(join(folder, "content.db")), 60_000);
  const recur = (): Promise<void> => unlimited.run(recur);
  await expect(recur()).rejects.toThrow("more than 200 levels deep");
  expect(await unlimited.run(async () => 1)).toBe(1);
  unlimited.close();
});

test("gives others a turn between writes, and cuts off one that only writes", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const writing = transactions.run(async () => {
    for (;;) await transactions.run(async () => add("endless"));
  });
  await expect(writing).rejects.toThrow(CutOffError);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  expect(words()).toEqual([]);
});

test("nested writes of a transaction that was cut off do not go on", async () => {
  const late = Promise.withResolvers<unknown>();
  const writing = transactions.run(() =>
    transactions.run(async () => {
      add("before");
      await Bun.sleep(400);
      const after = async () => transactions.run(async () => add("after"));
      late.resolve(await after().catch((error: unknown) => error));
    }),
  );
  await expect(writing).rejects.toThrow(CutOffError);
  expect(await late.promise).toBeInstanceOf(CutOffError);
  expect(words()).toEqual([]);
});
