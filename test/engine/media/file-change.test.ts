import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { commitFiles, recover } from "../../../src/engine/media/file-change.ts";
import { UploadFolder } from "../../../src/engine/media/upload-folder.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";

let root: string;
let locks: string;
let folder: UploadFolder;
let storage: Storage;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "galley-files-"));
  locks = mkdtempSync(join(tmpdir(), "galley-locks-"));
  folder = new UploadFolder(root, locks);
  storage = Storage.open(":memory:");
});
afterEach(() => {
  storage.close();
  rmSync(root, { recursive: true, force: true });
  rmSync(locks, { recursive: true, force: true });
});

const visible = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root)
      .filter((name) => name !== ".galley")
      .map((name) => [name, readFileSync(join(root, name), "utf8")]),
  );
const unfinished = (): string[] => readdirSync(join(root, ".galley"));
const put = async (files: Readonly<Record<string, string>>): Promise<Map<string, string>> => {
  const map = new Map<string, string>();
  for (const [name, text] of Object.entries(files)) map.set(name, await folder.write(Buffer.from(text)));
  return map;
};

test("files appear with the record, replace old ones and leave nothing behind", async () => {
  writeFileSync(join(root, "a.txt"), "old");
  writeFileSync(join(root, "gone.txt"), "old");
  const files = await put({ "a.txt": "new", "b.txt": "new" });
  const answer = commitFiles(folder, storage, { put: files, drop: ["gone.txt", "never.txt"] }, () => {
    storage.setMeta("record", "1");
    return 5;
  });
  expect(answer).toBe(5);
  expect(visible()).toEqual({ "a.txt": "new", "b.txt": "new" });
  expect(unfinished()).toEqual([]);
  // after those that were requested before
  await storage.write(() => {});
  expect(storage.all("SELECT key FROM galley_meta WHERE key LIKE 'upload:%'")).toEqual([]);
});

test("a change that is committed is reported as done, though its mark cannot be removed", async () => {
  const files = await put({ "a.txt": "new" });
  storage.db.run("CREATE TRIGGER full BEFORE DELETE ON galley_meta BEGIN SELECT raise(ABORT, 'full'); END");
  expect(commitFiles(folder, storage, { put: files, drop: [] }, () => 5)).toBe(5);
  expect(visible()).toEqual({ "a.txt": "new" });
  expect(storage.metaKeys("upload:").length).toBe(1);
  storage.db.run("DROP TRIGGER full");
  folder.close();
  recover(folder, storage);
  expect([visible(), storage.metaKeys("upload:")]).toEqual([{ "a.txt": "new" }, []]);
});

test("a failing record leaves every file as it was", async () => {
  writeFileSync(join(root, "a.txt"), "old");
  writeFileSync(join(root, "keep.txt"), "old");
  const files = await put({ "a.txt": "new", "b.txt": "new" });
  const fail = () =>
    commitFiles(folder, storage, { put: files, drop: ["keep.txt"] }, () => {
      storage.setMeta("record", "1");
      throw new Error("no");
    });
  expect(fail).toThrow("no");
  expect(visible()).toEqual({ "a.txt": "old", "keep.txt": "old" });
  expect(unfinished()).toEqual([]);
  expect(storage.meta("record")).toBeUndefined();
});

test("a file that cannot be moved into place undoes the others", async () => {
  const files = await put({ "a.txt": "new" });
  files.set("b.txt", join(root, ".galley", "missing.part"));
  expect(() => commitFiles(folder, storage, { put: files, drop: [] }, () => {})).toThrow();
  expect(visible()).toEqual({});
});

test.each(["../x", "a/b", ".hidden", "..", "", "a\0b", "/etc/passwd"])(
  "%j is not a name to write or remove",
  (name) => {
    const outside = join(root, "..", "x");
    expect(() => commitFiles(folder, storage, { put: new Map([[name, outside]]), drop: [] }, () => {})).toThrow(
      "plain",
    );
    writeFileSync(join(root, "a"), "x");
    commitFiles(folder, storage, { put: new Map(), drop: [name] }, () => {});
    expect(existsSync(join(root, "a"))).toBe(true);
  },
);

// what a process that is gone may have left: its journal, kept contents and the mark of its transaction
const DEAD = "999999999-zzzzzzzz-1";
function leave(journal: Record<string, string[]>, kept: readonly string[], isMarked: boolean): void {
  mkdirSync(join(root, ".galley"), { recursive: true });
  writeFileSync(join(root, ".galley", `${DEAD}.json`), JSON.stringify(journal));
  for (const [index, text] of kept.entries()) writeFileSync(join(root, ".galley", `${DEAD}-${index}.old`), text);
  if (isMarked) storage.setMeta(`upload:${DEAD}`, "");
}

test("files without their record are taken away at the next start, and replaced ones are brought back", () => {
  writeFileSync(join(root, "added.txt"), "new");
  writeFileSync(join(root, "replaced.txt"), "new");
  writeFileSync(join(root, "dropped.txt"), "old");
  writeFileSync(join(root, "other.txt"), "old");
  leave({ added: ["added.txt", "later.txt"], replaced: ["replaced.txt"], drop: ["dropped.txt"] }, ["old"], false);
  recover(folder, storage);
  expect(visible()).toEqual({ "dropped.txt": "old", "other.txt": "old", "replaced.txt": "old" });
  expect(unfinished()).toEqual([]);
});

test("a change that broke off before anything was kept has changed nothing", () => {
  writeFileSync(join(root, "replaced.txt"), "old");
  leave({ added: [], replaced: ["replaced.txt"], drop: [] }, [], false);
  recover(folder, storage);
  expect(visible()).toEqual({ "replaced.txt": "old" });
});

test("what has its record is finished at the next start", () => {
  writeFileSync(join(root, "added.txt"), "new");
  writeFileSync(join(root, "replaced.txt"), "new");
  writeFileSync(join(root, "dropped.txt"), "old");
  leave({ added: ["added.txt"], replaced: ["replaced.txt"], drop: ["dropped.txt"] }, ["old"], true);
  recover(folder, storage);
  expect(visible()).toEqual({ "added.txt": "new", "replaced.txt": "new" });
  expect(unfinished()).toEqual([]);
  expect(storage.meta(`upload:${DEAD}`)).toBeUndefined();
});

test("a journal that was written in part, and one that names files elsewhere, do no harm", () => {
  leave({}, [], false);
  writeFileSync(join(root, ".galley", `${DEAD}.json`), '{"added":["ot');
  writeFileSync(join(root, ".galley", "999999998-zzzzzzzz-2.json"), '{"added":["../../x","a/b",5,".galley"]}');
  writeFileSync(join(root, "other.txt"), "old");
  recover(folder, storage);
  expect(visible()).toEqual({ "other.txt": "old" });
  expect(unfinished()).toEqual([]);
});

test("files of an owner whose process id was taken again are recovered, and its marks are removed", () => {
  writeFileSync(join(root, "replaced.txt"), "new");
  const id = `${process.ppid}-zzzzzzzz-1`;
  folder.unfinishedFile("");
  writeFileSync(join(root, ".galley", `${id}.json`), '{"replaced":["replaced.txt"]}');
  writeFileSync(join(root, ".galley", `${id}-0.old`), "old");
  storage.setMeta(`upload:${id}`, "");
  // killed between the removal of its journal and that of its mark
  storage.setMeta("upload:5-yyyyyyyy-9", "");
  recover(folder, storage);
  expect(visible()).toEqual({ "replaced.txt": "new" });
  expect(unfinished()).toEqual([]);
  expect(storage.metaKeys("upload:")).toEqual([]);
});

test("the files and marks of an owner that is still at work are left to it", async () => {
  const own = await folder.write(Buffer.from("own"));
  const script = `
    import { UploadFolder } from ${JSON.stringify(join(import.meta.dir, "../../../src/engine/media/upload-folder.ts"))};
    console.log(await new UploadFolder(...process.argv.slice(1)).write(Buffer.from("x")));
    await new Promise(() => setInterval(() => {}, 1000));`;
  const child = Bun.spawn([process.execPath, "-e", script, root, locks], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  const other = new TextDecoder().decode(value).trim();
  storage.setMeta(`upload:${basename(other, ".part")}`, "");
  recover(folder, storage);
  expect([own, other].map((path) => existsSync(path))).toEqual([true, true]);
  expect(storage.metaKeys("upload:").length).toBe(1);
  child.kill("SIGKILL");
  await child.exited;
  recover(folder, storage);
  expect([own, other].map((path) => existsSync(path))).toEqual([true, false]);
  expect([storage.metaKeys("upload:"), readdirSync(locks).length]).toEqual([[], 1]);
  folder.close();
  expect(readdirSync(locks)).toEqual([]);
});
