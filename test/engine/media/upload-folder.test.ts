/** Copies of a folder of uploads share its files until one of them changes. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UploadFolder } from "../../../src/engine/media/upload-folder.ts";

/** Adds a file, as a change of files does. */
function add(uploads: UploadFolder, name: string, text = name): void {
  writeFileSync(join(uploads.ensure().path, name), text);
  uploads.changed();
}

test("copies have no folder before they write, and leave nothing behind", () => {
  const parent = new UploadFolder(undefined);
  add(parent, "a.txt");
  const [one, two] = [parent.copy(), parent.copy()];
  const shared = one.path!;
  expect(two.path).toBe(shared);
  const inner = one.copy();
  add(one, "b.txt");
  expect([one.list(), two.list(), inner.list(), parent.list()].map((names) => [...names].sort())).toEqual([
    ["a.txt", "b.txt"],
    ["a.txt"],
    ["a.txt"],
    ["a.txt"],
  ]);
  const own = one.path!;
  for (const closed of [parent, one, two]) {
    closed.close();
    expect(readFileSync(join(inner.path!, "a.txt"), "utf8")).toBe("a.txt");
  }
  inner.close();
  inner.close();
  expect([shared, own].map((folder) => existsSync(folder))).toEqual([false, false]);
});

test("files of copies that are gone are removed while the folder is still open", () => {
  const parent = new UploadFolder(undefined);
  const folders = [1, 2, 3].map((number) => {
    add(parent, `${number}.txt`);
    const copy = parent.copy();
    expect(copy.list()).toHaveLength(number);
    const { path } = copy;
    copy.close();
    return path!;
  });
  add(parent, "last.txt");
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, false, false]);
  parent.close();
});

test("a snapshot is restored as often as wanted, also one without files", () => {
  const uploads = new UploadFolder(undefined);
  const empty = uploads.snapshot();
  add(uploads, "a.txt", "first");
  const first = uploads.snapshot();
  expect(uploads.snapshot()).toBe(first);
  add(uploads, "b.txt");
  for (const _ of ["once", "again"]) {
    uploads.restore(empty);
    expect(uploads.list()).toEqual([]);
    uploads.restore(first);
    expect(uploads.list()).toEqual(["a.txt"]);
    expect(readFileSync(join(uploads.path!, "a.txt"), "utf8")).toBe("first");
    add(uploads, "c.txt");
    expect(readdirSync(first.folder!)).toEqual(["a.txt"]);
  }
  uploads.close();
  expect(existsSync(first.folder!)).toBe(false);
});
