/** Folders of the media library: paths, moves, and the folder of what the Content API uploads. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Folders } from "../../../src/engine/media/folders.ts";
import { setStored } from "../../../src/engine/storage/core-store.ts";
import type { Storage } from "../../../src/engine/storage/storage.ts";
import { type Library, openLibrary } from "./library.ts";

let library: Library;
let folders: Folders;
let storage: Storage;

beforeEach(() => {
  library = openLibrary();
  folders = library.project.media().folders;
  storage = library.project.context.storage;
});
afterEach(() => library.close());

test("paths are the path ids from the root, and follow a folder that moves", () => {
  storage.transaction(() => {
    const a = folders.create("a", null);
    const b = folders.create("b", a.id);
    const c = folders.create("c", b.id);
    const other = folders.create("other", null);
    expect([a, b, c, other].map(({ path }) => path)).toEqual(["/1", "/1/2", "/1/2/3", "/4"]);
    folders.move(b, other.id);
    expect(folders.list([a.id, b.id, c.id]).map(({ path }) => path)).toEqual(["/1", "/4/2", "/4/2/3"]);
    expect(folders.listChildren(other.id).map(({ name }) => name)).toEqual(["b"]);
    folders.move(folders.find(b.id)!, null);
    expect(folders.list([b.id, c.id]).map(({ path }) => path)).toEqual(["/2", "/2/3"]);
    expect(folders.listChildren(null).map(({ name }) => name)).toEqual(["a", "b", "other"]);
    expect(folders.below(["/2"]).map(({ name }) => name)).toEqual(["b", "c"]);
  });
});

test("uploads of clients go into one folder, which is made again where it was removed", async () => {
  const [first] = (await library.send([{ content: "one", name: "one.txt" }])).body;
  expect(first).not.toHaveProperty("folderPath");
  const api = folders.all();
  expect(api).toMatchObject([{ name: "API Uploads", path: "/1" }]);
  expect(folders.filesBelow(["/1"])).toEqual([first.id]);
  storage.transaction(() => folders.rename(api[0]!.id, "renamed"));
  const [second] = (await library.send([{ content: "two", name: "two.txt" }])).body;
  expect(folders.filesBelow(["/1"])).toEqual([first.id, second.id]);
  storage.transaction(() => {
    folders.create("API Uploads", null);
    folders.remove(api[0]!.id);
  });
  await library.send([{ content: "three", name: "three.txt" }]);
  expect(folders.all().map(({ name }) => name)).toEqual(["API Uploads", "API Uploads (1)"]);
});

test("responsive copies can be switched off; the small one stays", async () => {
  const image = await Bun.file(`${import.meta.dir}/../../conformance/files/upload-large-1200x800.jpg`).bytes();
  const send = async () => (await library.send([{ content: image, name: "large.jpg", type: "image/jpeg" }])).body[0];
  expect(Object.keys((await send()).formats).length).toBeGreaterThan(1);
  storage.transaction(() =>
    setStored(storage, "plugin_upload_settings", { sizeOptimization: true, responsiveDimensions: false }),
  );
  expect(Object.keys((await send()).formats)).toEqual(["thumbnail"]);
});
