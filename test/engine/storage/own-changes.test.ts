/** What the change feed reads of the log: own changes by type and status, whatever happens to others. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { enableChangeLog, lastSequence } from "../../../src/engine/storage/change-log/change-log.ts";
import { currentEpoch, isOfEpoch, setEpoch } from "../../../src/engine/storage/change-log/epochs.ts";
import { ownChanges, type Status } from "../../../src/engine/storage/change-log/own-changes.ts";
import { prune } from "../../../src/engine/storage/change-log/prune.ts";
import type { Layout } from "../../../src/engine/storage/layout.ts";
import { migrate } from "../../../src/engine/storage/migrate.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";

const type = (uid: string, columns: Layout[string]["columns"] = {}): Layout[string] => ({
  ...{ uid, modelType: "contentType", draftAndPublish: true, localized: false, links: [], fields: [], columns },
});
const POST = "api::post.post";
const NOTE = "api::note.note";
const layout: Layout = { posts: type(POST), notes: type(NOTE) };
const KEPT = { count: 3, ageMs: 1_000 };

let storage: Storage;
beforeEach(() => {
  storage = Storage.open(":memory:");
  migrate(storage, layout, "en");
  enableChangeLog(storage);
});
afterEach(() => storage.close());

const insert = (table: string, document: string, status: Status = "published"): unknown =>
  storage.run(`INSERT INTO ${table} (document_id, status, created_at, updated_at) VALUES (?, ?, '', '')`, [
    document,
    status,
  ]);
const read = (
  uid: string,
  since: number,
  { status = "published", limit = 100 }: { status?: Status; limit?: number } = {},
) => ownChanges(storage, { types: new Set([uid]), status, limit }, since);
const ids = (...args: Parameters<typeof read>): unknown => read(...args)?.versions.map(({ documentId }) => documentId);

describe("forgets", () => {
  test("by the number of versions of each type and status", () => {
    insert("posts", "a");
    const first = lastSequence(storage);
    for (const name of "bcde") {
      insert("notes", name);
      insert("posts", name, "draft");
    }
    prune(storage, KEPT, 0);
    expect([ids(POST, 0), ids(NOTE, 0), ids(POST, 0, { status: "draft" })]).toEqual([["a"], undefined, undefined]);
    // what was forgotten is older than that
    expect(ids(NOTE, first + 2)).toEqual(["c", "d", "e"]);
    expect(ids(POST, first + 2, { status: "draft" })).toEqual(["c", "d", "e"]);
  });

  test("by age", () => {
    insert("posts", "a");
    prune(storage, KEPT, 0);
    const first = lastSequence(storage);
    insert("posts", "b");
    prune(storage, KEPT, 1_001);
    expect([ids(POST, 0), ids(POST, first)]).toEqual([undefined, ["b"]]);
  });

  test("nothing of a type because another one has changed as a whole", () => {
    insert("posts", "a");
    const title = { type: "string", affinity: "TEXT", indexed: false } as const;
    migrate(storage, { ...layout, notes: type(NOTE, { title }) }, "en");
    prune(storage, KEPT, 0);
    expect([ids(POST, 0), ids(NOTE, 0), ids(NOTE, lastSequence(storage))]).toEqual([["a"], undefined, []]);
  });
});

test("kinds do not depend on when the log was compacted", () => {
  const kinds = (prunes: boolean): unknown => {
    const since = lastSequence(storage);
    const step = (sql: string): void => {
      storage.run(sql);
      if (prunes) prune(storage, { count: 100, ageMs: 1_000 }, 0);
    };
    const documents = ["x", "y", "z"].map((name) => `${name}${prunes}`);
    for (const name of documents) insert("notes", name, "draft");
    step(`UPDATE notes SET updated_at = '1' WHERE document_id = '${documents[0]}'`);
    // it is replaced by another row
    step(`DELETE FROM notes WHERE document_id = '${documents[1]}'`);
    insert("notes", documents[1]!, "draft");
    step(`DELETE FROM notes WHERE document_id = '${documents[2]}'`);
    prune(storage, { count: 100, ageMs: 1_000 }, 0);
    return read(NOTE, since, { status: "draft" })!.versions.map(({ kind }) => kind);
  };
  const compactedOnce = kinds(false);
  expect(kinds(true)).toEqual(compactedOnce);
  expect(compactedOnce).toEqual(["create", "update", "delete"]);
});

test("a page ends where it would without other types", () => {
  for (const name of "abc") {
    insert("notes", name);
    insert("posts", name);
    insert("posts", name, "draft");
  }
  prune(storage, { count: 100, ageMs: 1_000 }, 0);
  const first = read(NOTE, 0, { limit: 2 })!;
  expect([first.versions.length, first.hasMore]).toEqual([2, true]);
  const second = read(NOTE, first.sequence, { limit: 2 })!;
  expect([second.versions.length, second.hasMore]).toEqual([1, false]);
  expect(second.sequence).toBe(lastSequence(storage));
});

test("a sequence is of its epoch until the next one begins", () => {
  const first = currentEpoch(storage);
  insert("posts", "a");
  expect([isOfEpoch(storage, first, 1), isOfEpoch(storage, first, 2)]).toEqual([true, false]);
  setEpoch(storage);
  insert("posts", "b");
  const second = currentEpoch(storage);
  expect([first, second].map((epoch) => isOfEpoch(storage, epoch, 2))).toEqual([false, true]);
  expect(isOfEpoch(storage, first, 1)).toBe(true);
  for (let count = 0; count < 1_000; count++) setEpoch(storage);
  expect([first, second].map((epoch) => isOfEpoch(storage, epoch, 1))).toEqual([false, false]);
  expect(storage.first("SELECT count(*) FROM galley_change_epochs")).toEqual([1_000]);
});
