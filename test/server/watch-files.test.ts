/** Changes of files are noticed with and without the system's reports. */
import { afterEach, beforeEach, expect, test } from "bun:test";
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

/** As on network drives: watching does not fail, and nothing is reported. */
const silent = ((_: string) => watch(tmpdir(), { persistent: false }, () => {})) as typeof watch;

test("what the system does not report is noticed, and told with its path", async () => {
  const paths: string[] = [];
  const changed = (found: ReadonlySet<string>) => paths.push(...found);
  stop = watchFiles(root, { watched: ["src", ".env"], changed, report: () => {}, interval: 50, subscribe: silent });
  await Bun.sleep(300);
  expect(paths).toEqual([]);
  for (const [name, edit] of edits.slice(0, 6)) {
    paths.length = 0;
    edit();
    await until(`${name} is noticed`, () => paths.length > 0);
    await Bun.sleep(150);
    const [file] = paths.filter((path) => path !== join(root, "src/api"));
    expect(file).toStartWith(join(root, name.includes("not in a folder") ? ".env" : "src/api/"));
  }
});

test("a new folder and what is in it, and all that was in one that is gone", async () => {
  for (const subscribe of [watch, silent]) {
    const paths = new Set<string>();
    const changed = (found: ReadonlySet<string>): void => {
      for (const path of found) paths.add(path);
    };
    stop = watchFiles(root, { watched: ["src"], changed, report: () => {}, interval: 50, subscribe });
    await Bun.sleep(200);
    mkdirSync(join(root, "src/new/deep"), { recursive: true });
    writeFileSync(join(root, "src/new/deep/b.json"), "{}");
    await until("the file is noticed", () => paths.has(join(root, "src/new/deep/b.json")));
    await Bun.sleep(150);
    paths.clear();
    renameSync(join(root, "src/new"), join(root, "elsewhere"));
    await until("it is noticed that it is gone", () => paths.has(join(root, "src/new/deep/b.json")));
    stop();
    rmSync(join(root, "elsewhere"), { recursive: true });
    await Bun.sleep(30);
  }
});

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
