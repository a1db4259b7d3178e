/** Limits of tests are those of processor time, so that a busy machine does not fail them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { processTime, quickest, threadTime } from "./processor-time.ts";

test("work takes processor time, and waiting none", async () => {
  const waited = await quickest(20, async () => {
    const start = processTime();
    await Bun.sleep(100);
    return processTime() - start;
  });
  expect(waited).toBeLessThan(50);
  const [thread, whole] = [threadTime(), processTime()];
  for (const end = threadTime() + 50; threadTime() < end; );
  expect(threadTime() - thread).toBeGreaterThanOrEqual(50);
  expect(processTime() - whole).toBeGreaterThanOrEqual(45);
});

test("the quickest of some tries counts", async () => {
  const times = [9, 7, 3, 1];
  expect(await quickest(5, async () => times.shift()!)).toBe(3);
  expect(times).toEqual([1]);
});

/** What is waited for instead of done: a lock, a snapshot, the end of a process, connections that close. */
const WAITS = [
  "admin/events.test.ts",
  "engine/storage/lock.test.ts",
  "engine/storage/read-snapshot.test.ts",
  "engine/webhooks/webhooks.test.ts",
  "server/reload.test.ts",
];

test("no other test limits the time on the clock", async () => {
  const found: string[] = [];
  for await (const name of new Bun.Glob("**/*.test.ts").scan(import.meta.dir)) {
    const text = await Bun.file(join(import.meta.dir, name)).text();
    if (/expect\((?:performance|Date)\.now\(\) - \w+\)\.toBeLessThan/.test(text)) found.push(name);
  }
  expect(found.sort()).toEqual(WAITS);
});
