/** Errors of SQLite, as the command line shows them. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { asProjectError } from "../../../src/engine/storage/problems.ts";

test("a table whose foreign keys keep rows from being deleted is named as the reason", () => {
  using database = new Database(":memory:");
  database.run("PRAGMA foreign_keys = ON");
  database.run("CREATE TABLE notes (id INTEGER PRIMARY KEY)");
  database.run("CREATE TABLE marks (note INTEGER REFERENCES notes)");
  database.run("INSERT INTO notes VALUES (1)");
  database.run("INSERT INTO marks VALUES (1)");
  try {
    database.run("DELETE FROM notes");
    expect.unreachable();
  } catch (error) {
    expect(String(asProjectError(error, "content.db"))).toContain(
      "content.db: has a table beside those of the content whose foreign keys refer to rows that would be deleted",
    );
  }
});
