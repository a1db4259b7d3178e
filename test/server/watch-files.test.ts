/** Changes of files are noticed with and without the system's reports. */
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchFiles } from "../../src/server/watch-files.ts";
import { until } from "../until.ts";

let root: string;
let stop: () => void = () => {};
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "galley-watch-"));
  mkdirSync(join(root, "src/api"), { recursive: true });
  writeFileSync(join(root, "src/api/a.json"), "{}");
  // what changes just before the start may count as changed: times of files are not exact
  await Bun.sleep(30);
});
afterEach(() => {
  stop();
  rmSync(root, { recursive: true, force: true });
});

function start(
  subscribe: typeof watch = watch,
  interval = 50,
): { readonly changes: () => number; readonly messages: string[] } {
  let changes = 0;
  const messages: string[] = [];
  stop = watchFiles(root, {
    watched: ["src", ".env"],
    changed: () => changes++,
    report: (message) => messages.push(message),
    interval,
    subscribe,
  });
  return { changes: () => changes, messages };
}

const edits: readonly (readonly [name: string, edit: () => void])[] = [
  ["another content", () => writeFileSync(join(root, "src/api/a.json"), '{"a":1}')],
  ["another time", () => utimesSync(join(root, "src/api/a.json"), 1, 1)],
  ["a new file", () => writeFileSync(join(root, "src/api/b.json"), "")],
  ["a file that is gone", () => rmSync(join(root, "src/api/a.json"))],
  ["a file that is not in a folder", () => writeFileSync(join(root, ".env"), "A=1")],
  [
    "a file that replaces another of the same size",
    () => {
      writeFileSync(join(root, "src/api/.new"), "[]");
      renameSync(join(root, "src/api/.new"), join(root, "src/api/a.json"));
    },
  ],
  ["a folder that is gone", () => rmSync(join(root, "src"), { recursive: true })],
];

async function checkEdits(changes: () => number): Promise<void> {
  for (const [name, edit] of edits) {
    const before = changes();
    edit();
    await until(`${name} is noticed`, () => changes() > before);
    // what came in several reports has settled
    await Bun.sleep(150);
  }
}

test("every kind of change is noticed", async () => {
  const { changes, messages } = start();
  await checkEdits(changes);
  expect(messages).toEqual([]);
});

test("what changes before the first look is noticed", async () => {
  for (const [, edit] of edits.slice(0, 4)) {
    const { changes } = start();
    edit();
    await until("it is noticed", () => changes() > 0);
    stop();
    await Bun.sleep(30);
  }
});

test("a folder that replaces another is watched, also where the system reports the change itself", async () => {
  const watchedInodes: number[] = [];
  let reportChange = () => {};
  const recorded = ((path: string, _: object, listener: () => void) => {
    watchedInodes.push(statSync(path).ino);
    reportChange = listener;
    return watch(path);
  }) as typeof watch;
  const { changes } = start(recorded, 60_000);
  await until("the folder is watched", () => watchedInodes.length > 0);
  renameSync(join(root, "src"), join(root, "old"));
  mkdirSync(join(root, "src"));
  reportChange();
  await until("it is noticed", () => changes() > 0);
  expect(watchedInodes).toEqual([statSync(join(root, "old")).ino, statSync(join(root, "src")).ino]);
});

test("a poll that a busy machine has paused does not put off the next ones", async () => {
  const unavailable = (() => {
    throw new Error("no watches left");
  }) as typeof watch;
  const clock = spyOn(performance, "now").mockReturnValueOnce(0).mockReturnValueOnce(10_000);
  try {
    const { changes } = start(unavailable);
    await until("the first poll has ended", () => clock.mock.calls.length >= 2);
    writeFileSync(join(root, "src/api/a.json"), '{"a":1}');
    await until("it is noticed", () => changes() > 0);
  } finally {
    clock.mockRestore();
  }
}, 30_000);

for (const failure of ["throws", "reports an error later"]) {
  test(`also where the system ${failure}, which is told once`, async () => {
    // limits of the system cannot be exhausted in a test: others run beside it
    const error = Object.assign(new Error("EMFILE: too many open files, watch"), { code: "EMFILE" });
    const failing = ((...args: Parameters<typeof watch>) => {
      if (failure === "throws") throw error;
      const watcher = watch(...args);
      setTimeout(() => watcher.emit("error", error), 1);
      return watcher;
    }) as typeof watch;
    const { changes, messages } = start(failing);
    await until("it is told", () => messages.length > 0);
    await checkEdits(changes);
    expect(messages).toEqual([expect.stringContaining("The system does not report changes of files (EMFILE")]);
  });
}

test("nothing is noticed while nothing changes", async () => {
  const { changes } = start();
  await Bun.sleep(400);
  expect(changes()).toBe(0);
});
