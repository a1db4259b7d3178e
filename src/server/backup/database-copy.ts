/** Copies a database into a file, and puts the content of such a copy back into an open database. */
import type { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import type { FileSwap } from "../../engine/media/file-change.ts";
import { changeLog } from "../../engine/storage/change-log/change-log.ts";
import { setEpoch } from "../../engine/storage/change-log/epochs.ts";
import { copyDatabase } from "../../engine/storage/copy-database.ts";
import { storedKeys, storedValue } from "../../engine/storage/core-store.ts";
import { dropSearchIndexes } from "../../engine/storage/search-index.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { WorkInTurns } from "../../lib/in-turns.ts";

/** Bytes of a database that another process copies, which takes seconds. */
const LARGE = 20_000_000;

/** Copies what is committed. Rejects with a ServiceUnavailableError if that takes too long. */
export async function keepDatabase(storage: Storage, file: string): Promise<void> {
  const { filename } = storage.db;
  const { longReads } = storage;
  if (longReads && statSync(filename).size > LARGE) await longReads.read({ sql: "VACUUM INTO ?", params: [file] });
  else copyDatabase(filename, file);
}

interface Entry {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Search indexes are made again when a search needs them. */
const SEARCH = "galley_search_";

const listEntries = (db: Database, schema: "main" | "saved"): Entry[] =>
  (db.query(`SELECT type, name, sql FROM ${schema}.sqlite_master WHERE sql IS NOT NULL`).all() as Entry[]).filter(
    ({ name }) => !name.startsWith("sqlite_"),
  );

const isOfSearch = ({ name, sql }: Entry): boolean => name.startsWith(SEARCH) || sql.includes(SEARCH);

/** Who is signed in is none of the content: whoever has signed out stays so. */
const SIGN_INS = "galley_sessions";
const isOfSignIns = ({ sql }: Entry): boolean => sql.includes(SIGN_INS);

function dropAll(db: Database): void {
  const entries = listEntries(db, "main").filter((entry) => !isOfSignIns(entry));
  for (const { name } of entries.filter(({ type }) => type === "trigger")) db.run(`DROP TRIGGER ${quote(name)}`);
  const tables = entries.filter(({ type }) => type === "table");
  // a virtual table removes the tables behind it
  const isVirtual = ({ sql }: Entry): boolean => /^CREATE VIRTUAL/i.test(sql);
  for (const { name } of [...tables.filter(isVirtual), ...tables]) db.run(`DROP TABLE IF EXISTS ${quote(name)}`);
}

function copyAll(db: Database): void {
  const entries = listEntries(db, "saved").filter((entry) => !isOfSearch(entry) && !isOfSignIns(entry));
  for (const { name, sql } of entries.filter(({ type }) => type === "table")) {
    db.run(sql);
    const columns = db.query(`SELECT name FROM pragma_table_xinfo(?, 'saved') WHERE hidden = 0`).values(name);
    const list = columns.map(([column]) => quote(String(column))).join(", ");
    db.run(`INSERT INTO main.${quote(name)} (${list}) SELECT ${list} FROM saved.${quote(name)}`);
  }
  for (const { sql } of entries.filter(({ type }) => type !== "table")) db.run(sql);
  db.run("DELETE FROM main.sqlite_sequence");
  db.run("INSERT INTO main.sqlite_sequence SELECT * FROM saved.sqlite_sequence");
}

/**
 * The number of rows and the newest time of each table that has times, the folders of files, and settings: another value after a write of
 * content, and the same after what reads leave, such as indexes.
 */
export function* contentMark(storage: Storage): WorkInTurns<string> {
  const { db } = storage;
  const sql = `SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.name = 'updated_at' ORDER BY m.name`;
  const marks: unknown[] = [];
  for (const [name] of db.query(sql).values()) {
    marks.push([name, ...db.query(`SELECT count(*), max(updated_at) FROM ${quote(String(name))}`).values()]);
    yield;
  }
  // a file that is moved keeps its time
  const folders = db.query("SELECT folderPath, count(*), sum(id) FROM files GROUP BY folderPath").values();
  const settings = storedKeys(storage).map((key) => [key, storedValue(storage, key)]);
  return Bun.hash(JSON.stringify([marks, folders, settings])).toString(36);
}

/**
 * Replaces everything in the database by the copy, in one transaction. Throws for a file that does not exist: SQLite would make an empty
 * database of it. `files`: a change of files that is made with it, or not at all.
 */
export function restoreDatabase(storage: Storage, file: string, files?: FileSwap): void {
  if (!existsSync(file)) throw new Error(`The copy of the database is missing: ${file}`);
  const db = storage.withoutSnapshot();
  db.run("ATTACH ? AS saved", [file]);
  try {
    storage.transaction(() => {
      dropAll(db);
      copyAll(db);
      storage.invalidate();
      // the state of indexes that were not copied
      dropSearchIndexes(storage);
      // who has read later changes notices that they are gone
      if (changeLog(storage) !== undefined) setEpoch(storage);
      files?.apply();
    });
  } catch (error) {
    files?.undo();
    throw error;
  } finally {
    storage.withoutSnapshot().run("DETACH saved");
  }
  storage.loadNumbers();
  files?.finish();
}
