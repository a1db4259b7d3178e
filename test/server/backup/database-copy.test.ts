/** A database that is restored from a copy: also with what is derived from its content, and what others have read of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { enableChangeLog, recordReplacement } from "../../../src/engine/storage/change-log/change-log.ts";
import { createGalley } from "../../../src/index.ts";
import { atOnce } from "../../../src/lib/in-turns.ts";
import { contentMark, keepDatabase, restoreDatabase } from "../../../src/server/backup/database-copy.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { ADMIN, configFile, createCall, projectFolder, typeFile } from "../../project.ts";

const folder = projectFolder({ ...typeFile("note", { text: { type: "string" } }), ...configFile() });
const copy = join(folder.root, "copy.db");
let project: Project;
beforeAll(() => {
  project = openProject(folder.root, { memory: false, publicRead: false, environment: {} });
});
afterAll(async () => {
  await project.close();
  folder.remove();
});

test("tables that came since are gone, and rows are as they were", async () => {
  const { storage } = project.context;
  const before = atOnce(contentMark(storage));
  await keepDatabase(storage, copy);
  storage.run(
    "INSERT INTO notes (document_id, status, text, created_at, updated_at) VALUES ('a', 'published', 'x', '2026', '2026')",
  );
  storage.run("CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)");
  storage.run("CREATE INDEX other_name ON other (name)");
  expect(atOnce(contentMark(storage))).not.toBe(before);
  restoreDatabase(storage, copy);
  expect(atOnce(contentMark(storage))).toBe(before);
  expect(storage.first("SELECT count(*) FROM sqlite_master WHERE name LIKE 'other%'")).toEqual([0]);
  expect(storage.first("PRAGMA integrity_check")).toEqual(["ok"]);
});

test("who has signed out since stays so, and who has signed in, too", async () => {
  const { storage } = project.context;
  const add = (id: string) => storage.run(`INSERT INTO galley_sessions SELECT ?1 ${", ?1".repeat(columns - 1)}`, [id]);
  storage.run("CREATE TABLE IF NOT EXISTS galley_sessions (id TEXT PRIMARY KEY, user TEXT)");
  const columns = storage.all("SELECT 1 FROM pragma_table_info('galley_sessions')").length;
  add("earlier");
  await keepDatabase(storage, `${copy}-2`);
  storage.run("DELETE FROM galley_sessions");
  add("later");
  restoreDatabase(storage, `${copy}-2`);
  expect(storage.all("SELECT id FROM galley_sessions")).toEqual([["later"]]);
});

test("a copy that is missing changes nothing", () => {
  const { storage } = project.context;
  const before = atOnce(contentMark(storage));
  expect(() => restoreDatabase(storage, join(folder.root, "none.db"))).toThrow("is missing");
  expect(atOnce(contentMark(storage))).toBe(before);
});

test("documents can be published when the change log came since: restored here, and by another process", async () => {
  const attributes = typeFile("note", { text: { type: "string" } }, { draftAndPublish: true });
  const { root, remove } = projectFolder({ ...attributes, ...configFile() });
  const galley = await createGalley({ project: root, memory: false, environment: {} });
  const call = createCall(galley, ADMIN);
  const other = openProject(root, { memory: false, publicRead: false, environment: {} });
  const { storage } = other.context;
  const file = join(root, "copy.db");
  await keepDatabase(storage, file);
  const publish = () => call("POST", "/api/notes", { data: { text: "x" } });
  const restored: Record<string, () => void> = {
    "another process": () => restoreDatabase(storage, file),
    here: () => {
      enableChangeLog(storage);
      storage.transaction(() => recordReplacement(storage, "notes", "replaceBegin"));
      restoreDatabase(storage, file);
      storage.transaction(() => recordReplacement(storage, "notes", "replaceBegin"));
    },
  };
  for (const restore of Object.values(restored)) {
    await call("GET", "/galley/changes");
    expect((await publish()).status).toBe(201);
    restore();
    expect((await publish()).status).toBe(201);
  }
  await other.close();
  await galley.close();
  remove();
});

test("a search index is made again, and tokens of the change feed from before are refused", async () => {
  const files = { ...typeFile("note", { text: { type: "string" } }), ...configFile() };
  const { root, remove } = projectFolder(files);
  const galley = await createGalley({ project: root, memory: false, environment: {} });
  const call = createCall(galley, ADMIN);
  const db = galley.database();
  const row =
    "INSERT INTO notes (document_id, status, text, created_at, updated_at, published_at) VALUES (?, 'published', ?, ?, ?, ?)";
  const time = "2026-01-01T00:00:00.000Z";
  db.query("BEGIN").run();
  for (let index = 0; index < 6000; index++)
    db.query(row).run(`d${index}`, `common ${index} needle${index}`, time, time, time);
  db.query("COMMIT").run();
  const search = async (text: string): Promise<number> =>
    (await call("GET", `/api/notes?_q=${text}`)).body.meta.pagination.total;
  expect(await search("needle5999")).toBe(1);
  const { token: old } = (await call("GET", "/galley/changes")).body;
  const other = openProject(root, { memory: false, publicRead: false, environment: {} });
  const file = join(root, "copy.db");
  await keepDatabase(other.context.storage, file);
  await other.close();
  await call("POST", "/api/notes", { data: { text: "later needle" } });
  const { token } = (await call("GET", `/galley/changes?since=${old}`)).body;
  const again = openProject(root, { memory: false, publicRead: false, environment: {} });
  restoreDatabase(again.context.storage, file);
  await again.close();
  expect(await search("needle5999")).toBe(1);
  expect(await search("later")).toBe(0);
  expect((await call("GET", `/galley/changes?since=${token}`)).status).toBe(410);
  await galley.close();
  remove();
}, 60_000);
