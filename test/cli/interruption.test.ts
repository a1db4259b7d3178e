/** Long commands that are interrupted leave nothing half done. */
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { configFile, typeFile } from "../project.ts";

setDefaultTimeout(60_000);

const ROWS = 20_000;
const folder = mkdtempSync(join(tmpdir(), "galley-interruption-"));
const [root, copy, archives] = ["project", "copy", "archives"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (...args: readonly string[]) =>
  Bun.spawn([...PROGRAM, ...args], { stdin: "ignore", stdout: "ignore", stderr: "inherit" });

/** Interrupts a command as soon as `isUnderWay`. */
async function interrupt(args: readonly string[], isUnderWay: () => boolean): Promise<NodeJS.Signals | number | null> {
  const child = start(...args);
  while (!isUnderWay()) {
    if (child.exitCode !== null) throw new Error(`galley ${args[0]} has ended before it was interrupted`);
    await Bun.sleep(1);
  }
  child.kill("SIGINT");
  await child.exited;
  return child.signalCode;
}

const hasPart = (path: string): boolean => readdirSync(path).some((name) => name.endsWith(".part"));

test("a large project is made", async () => {
  for (const [file, text] of Object.entries(typeFile("note", { title: { type: "string" }, body: { type: "text" } })))
    await Bun.write(join(root, file), text);
  await Bun.write(join(archives, ".keep"), "");
  expect(await start("migrate", root).exited).toBe(0);
  const db = new Database(join(root, ".galley/content.db"));
  db.run(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) " +
      "INSERT INTO notes (document_id, status, created_at, updated_at, published_at, title, body) SELECT 'document' || i, 'published', t, t, t, 'note ' || i, hex(randomblob(1000)) FROM n, (SELECT '2026-01-01T00:00:00.000Z' AS t)",
    [ROWS],
  );
  db.close();
});

test("export: no part of an archive, with password hashes, is left", async () => {
  const signal = await interrupt(["export", join(archives, "all.tar.gz"), root], () => hasPart(archives));
  expect(signal).toBe("SIGINT");
  expect(readdirSync(archives)).toEqual([".keep"]);
  expect(await start("export", join(archives, "all.tar.gz"), root).exited).toBe(0);
});

test("check: no files of a commit are left", async () => {
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: root });
  for (const args of [
    ["init", "-q"],
    ["add", "src"],
    ["commit", "-qm", "first"],
  ])
    expect(git(...args).exitCode).toBe(0);
  const requests = join(folder, "requests.json");
  await Bun.write(requests, JSON.stringify([{ method: "GET", path: "/api/notes" }]));
  const commits = () => readdirSync(join(root, ".galley")).filter((name) => name.startsWith("commit-"));
  const signal = await interrupt(
    ["check", root, "--against", "HEAD", "--requests", requests],
    () => commits().length > 0,
  );
  expect([signal, commits()]).toEqual(["SIGINT", []]);
});

test("backup: no copy of the database is left", async () => {
  const unfinished = join(root, ".galley/backup-unfinished");
  const signal = await interrupt(["backup", join(archives, "backup.tar.gz"), root], () => existsSync(unfinished));
  expect(signal).toBe("SIGINT");
  expect(existsSync(unfinished)).toBe(false);
  expect(readdirSync(archives).toSorted()).toEqual([".keep", "all.tar.gz"]);
});

test("import: neither schemas nor content are changed", async () => {
  const schema = join(copy, "src/api/note/content-types/note/schema.json");
  const args = ["import", join(archives, "all.tar.gz"), copy, "--schemas", "--yes"];
  expect(await interrupt(args, () => existsSync(schema))).toBe("SIGINT");
  expect(existsSync(schema)).toBe(false);
  expect(await start(...args).exited).toBe(0);
  const db = new Database(join(copy, ".galley/content.db"), { readonly: true });
  expect(db.query("SELECT count(*) FROM notes").values()).toEqual([[ROWS]]);
  db.close();
});

const countNotes = (project: string): unknown => {
  const db = new Database(join(project, ".galley/content.db"), { readonly: true });
  try {
    return db.query("SELECT count(*), max(title) FROM notes").values();
  } finally {
    db.close();
  }
};
const dataFiles = (project: string): string[] =>
  readdirSync(join(project, ".galley")).filter((name) => !/^content\.db-|-lock$/.test(name));

test("restore: the content is what it was, and nothing of the backup is left", async () => {
  const file = join(archives, "backup.tar.gz");
  expect(await start("backup", file, root).exited).toBe(0);
  const [content, files] = [countNotes(copy), dataFiles(copy)];
  const unfinished = join(copy, ".galley/backup-unfinished");
  expect(await interrupt(["restore", file, copy, "--yes"], () => existsSync(unfinished))).toBe("SIGINT");
  expect([countNotes(copy), dataFiles(copy)]).toEqual([content, files]);
  expect(await start("restore", file, copy, "--yes").exited).toBe(0);
});

test("pull and mirror: the content is what it was, and nothing of the answers is left", async () => {
  const key = "a key for tests of interruptions";
  for (const [name, text] of Object.entries(configFile({ tokens: [{ name: "all", type: "full-access", key }] })))
    await Bun.write(join(root, name), text);
  await using galley = await createGalley({ project: root, memory: false, environment: {} });
  let requests = 0;
  const server = Bun.serve({
    port: 0,
    fetch: (request) => {
      requests++;
      return galley.handle(request);
    },
  });
  const origin = `http://localhost:${server.port}`;
  const [content, files] = [countNotes(copy), dataFiles(copy)];
  // pages of 100 of 20,000
  expect(await interrupt(["pull", origin, copy, "--token", key, "--yes"], () => requests > 3)).toBe("SIGINT");
  expect([countNotes(copy), dataFiles(copy)]).toEqual([content, files]);
  requests = 0;
  const twin = join(folder, "twin");
  cpSync(join(root, "src"), join(twin, "src"), { recursive: true });
  const args = ["mirror", origin, twin, "--token", key, "--port", String(freePort())];
  await interrupt(args, () => requests > 3);
  const left = readdirSync(twin, { recursive: true, encoding: "utf8" }).filter((name) => /\.part$|archive/.test(name));
  expect(left).toEqual([]);
  // the next one is not held up by it
  requests = 0;
  await interrupt(args, () => requests > 3);
  await server.stop(true);
}, 60_000);
