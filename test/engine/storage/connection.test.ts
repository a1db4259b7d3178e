/** What a connection keeps: prepared statements, and what settings and tokens were read for. */
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { perSettings } from "../../../src/engine/storage/connection.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";

let folder: string;
let storage: Storage;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-connection-"));
  storage = Storage.open(join(folder, "content.db"));
  storage.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)");
});
afterEach(() => {
  storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = perSettings((from: Storage) => from.meta("a") ?? "none");
const write = (value: string): void => storage.setMeta("a", value);
const note = (text: string): unknown => storage.run("INSERT INTO notes (text) VALUES (?)", [text]);

test("settings are read again once they were written, and not after content", () => {
  expect(read(storage)).toBe("none");
  write("1");
  expect(read(storage)).toBe("1");
  note("galley_meta");
  const before = storage.statements;
  expect(read(storage)).toBe("1");
  expect(storage.statements).toBe(before);
});

test("settings are read again after what was written is taken back", () => {
  const work = (): void => {
    write("2");
    expect(read(storage)).toBe("2");
    throw new Error("taken back");
  };
  expect(() => storage.transaction(work)).toThrow("taken back");
  expect(read(storage)).toBe("none");
  storage.run("SAVEPOINT inner");
  write("3");
  expect(read(storage)).toBe("3");
  storage.run("ROLLBACK TO inner");
  expect(read(storage)).toBe("none");
  storage.run("RELEASE inner");
});

test("settings of another connection are read in the next turn", async () => {
  expect(read(storage)).toBe("none");
  const other = Storage.open(join(folder, "content.db"));
  other.setMeta("a", "4");
  other.close();
  await Bun.sleep(0);
  expect(read(storage)).toBe("4");
});

test("more statements than are kept, and one that is too long, run again and again", () => {
  for (let turn = 0; turn < 2; turn++)
    for (let index = 0; index < 300; index++) expect(storage.first(`SELECT ${index}`)).toEqual([index]);
  const long = `SELECT '${"x".repeat(5_000)}'`;
  for (let turn = 0; turn < 2; turn++) expect(storage.first(long)![0]).toHaveLength(5_000);
  storage.trim();
  expect(note("b")).toMatchObject({ changes: 1 });
  expect(() => storage.first("SELECT 1 FROM nowhere")).toThrow("no such table");
});

test("a statement follows a table whose columns change", () => {
  note("a");
  const all = (): unknown => storage.all("SELECT * FROM notes");
  expect(all()).toEqual([[1, "a"]]);
  storage.run("ALTER TABLE notes ADD COLUMN size");
  expect(all()).toEqual([[1, "a", null]]);
});

test.skipIf(process.platform === "win32")("a log that is removed before the first write takes none", async () => {
  const spy = spyOn(console, "error").mockImplementation(() => {});
  const opened = Storage.open(storage.db.filename);
  rmSync(`${opened.db.filename}-wal`);
  const written = opened.write(() => opened.run("INSERT INTO notes (text) VALUES ('lost')"));
  await expect(written).rejects.toThrow("The database was removed or replaced");
  opened.close();
  spy.mockRestore();
});
