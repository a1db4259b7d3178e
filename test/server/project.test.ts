/** What a start does with the files of a project: everything when they have changed, and nothing when they have not. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { configFile, projectFolder, typeFile, writeFiles } from "../project.ts";

let root: string;
let remove: () => void;
beforeEach(() => {
  ({ root, remove } = projectFolder({ ...configFile(), ...typeFile("post", { title: { type: "string" } }) }));
});
afterEach(() => remove());

/** Opens the project, closes it, and answers what `see` answers of it. */
async function opened<T>(see: (project: Project) => T): Promise<T> {
  const project = openProject(root, { memory: false, publicRead: false, environment: {} });
  try {
    return see(project);
  } finally {
    await project.close();
  }
}

function query(sql: string): unknown[][] {
  const db = new Database(join(root, ".galley/content.db"));
  try {
    return db.query(sql).values();
  } finally {
    db.close();
  }
}

const MARK = "SELECT value FROM galley_meta WHERE key = 'checked'";
const LAYOUT = "SELECT value FROM galley_meta WHERE key = 'layout'";
const COLUMNS = "SELECT name FROM pragma_table_info('posts')";

test("files that are as they were cost a start a few reads", async () => {
  const first = await opened(({ context }) => context.storage.statements);
  expect(first).toBeGreaterThan(20);
  expect(await opened(({ context }) => context.storage.statements)).toBeLessThanOrEqual(10);
});

test("a change is applied with the mark that it is, or neither", async () => {
  await opened(() => {});
  const before = [query(MARK), query(LAYOUT), query(COLUMNS)];
  writeFiles(root, typeFile("post", { title: { type: "string" }, size: { type: "integer" } }));
  query(`CREATE TRIGGER refuse BEFORE UPDATE ON galley_meta WHEN new.key = 'checked'
         BEGIN SELECT RAISE(ABORT, 'no mark'); END`);
  await expect(opened(() => {})).rejects.toThrow("no mark");
  expect([query(MARK), query(LAYOUT), query(COLUMNS)]).toEqual(before);
  query("DROP TRIGGER refuse");
  expect(await opened(({ changes }) => changes)).toEqual([{ table: "posts", text: "size is new" }]);
  expect(query(MARK)).not.toEqual(before[0]!);
  expect(query(COLUMNS)).toContainEqual(["size"]);
  expect(await opened(({ changes }) => changes)).toEqual([]);
});

test("files that change back are applied again", async () => {
  const of = (attributes: object) => writeFiles(root, typeFile("post", { title: { type: "string" }, ...attributes }));
  await opened(() => {});
  of({ size: { type: "integer" } });
  await opened(() => {});
  of({});
  expect(await opened(({ changes }) => changes)).toEqual([
    { table: "posts", text: "size is gone from the schema; its column and values are kept" },
  ]);
  of({ size: { type: "integer" } });
  expect(await opened(({ changes }) => changes)).toEqual([
    { table: "posts", text: "size is back, with the values it had" },
  ]);
});
