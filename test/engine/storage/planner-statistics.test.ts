/** Plans use the most selective index, independent of the content, also after changes of the tables. */
import { expect, test } from "bun:test";
import { setStatistics } from "../../../src/engine/storage/planner-statistics.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";

function openTable(): Storage {
  const storage = Storage.open(":memory:");
  storage.run(`CREATE TABLE notes (id INTEGER PRIMARY KEY, document_id TEXT, locale TEXT, status TEXT, slug TEXT)`);
  storage.run("CREATE INDEX notes_document ON notes (document_id)");
  storage.run("CREATE INDEX notes_version ON notes (status, locale)");
  storage.run("CREATE INDEX notes_slug ON notes (slug)");
  return storage;
}

const planOf = (storage: Storage, sql: string): string =>
  storage
    .all(`EXPLAIN QUERY PLAN ${sql}`)
    .map((row) => String(row[3]))
    .join("\n");

const VERSION = "status = 'published' AND locale = 'en'";
const cases: [what: string, where: string, index: string][] = [
  ["a document", `document_id = 'a' AND ${VERSION}`, "notes_document"],
  ["a unique value", `slug = 'a' AND ${VERSION}`, "notes_slug"],
  ["a version", VERSION, "notes_version"],
];

for (const [what, where, index] of cases) {
  test(`${what} is looked up by its index`, () => {
    const storage = openTable();
    setStatistics(storage, ["notes"]);
    expect(planOf(storage, `SELECT id FROM notes WHERE ${where}`)).toContain(`INDEX ${index} (`);
  });
}

test("updates the statistics of a table without changing those of others", () => {
  const storage = openTable();
  storage.run("CREATE TABLE other (id INTEGER PRIMARY KEY, document_id TEXT)");
  storage.run("CREATE INDEX other_document ON other (document_id)");
  setStatistics(storage, ["notes", "other"]);
  storage.run("DROP INDEX notes_slug");
  storage.run("CREATE INDEX notes_listed ON notes (status, locale, slug)");
  setStatistics(storage, ["notes"]);
  expect(storage.all("SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY idx")).toEqual([
    ["notes", "notes_document", "1000000 4"],
    ["notes", "notes_listed", "1000000 500000 250000 10"],
    ["notes", "notes_version", "1000000 500000 250000"],
    ["other", "other_document", "1000000 4"],
  ]);
});
