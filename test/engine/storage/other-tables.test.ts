/** Another process changes the tables: requests that were prepared for the old ones are refused. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Layout } from "../../../src/engine/storage/layout.ts";
import { migrate } from "../../../src/engine/storage/migrate.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";

let folder: string;
let served: Storage;
let other: Storage;

const layoutOf = (table: string, draftAndPublish = false): Layout => ({
  [table]: {
    uid: "api::post.post",
    modelType: "contentType",
    draftAndPublish,
    localized: false,
    columns: {},
    fields: [],
  },
});
const INSERT = (table: string) =>
  `INSERT INTO ${table} (document_id, status, created_at, updated_at) VALUES ('a', 'published', '', '')`;
const insert = (table: string) => served.write(() => served.run(INSERT(table)));
const refused = "The content-types have changed, please try again.";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-tables-"));
  const file = join(folder, "content.db");
  served = Storage.open(file);
  migrate(served, layoutOf("posts"), "en");
  served.serve();
  other = Storage.open(file);
});
afterEach(() => {
  served.close();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

test("refuses reads of a renamed table with 503", () => {
  migrate(other, layoutOf("articles"), "en");
  expect(() => served.all("SELECT * FROM posts")).toThrow(refused);
  served.loadNumbers();
  expect(served.all("SELECT * FROM articles")).toEqual([]);
});

test("refuses writes, even if every statement would succeed, and rolls them back", async () => {
  await insert("posts");
  migrate(other, layoutOf("posts", true), "en");
  await expect(insert("posts")).rejects.toThrow(refused);
  await expect(served.beginTransaction()).rejects.toThrow(refused);
  expect(served.db.inTransaction).toBe(false);
  expect(() => served.tryTransaction(() => served.run(INSERT("posts")))).toThrow(refused);
  expect(served.all("SELECT count(*) FROM posts")).toEqual([[1]]);
  served.loadNumbers();
  await insert("posts");
  expect(served.all("SELECT count(*) FROM posts")).toEqual([[2]]);
});

test("reports a table that never existed as an internal error", () => {
  expect(() => served.all("SELECT * FROM nowhere")).toThrow("no such table: nowhere");
});
