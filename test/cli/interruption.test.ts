/** Long commands that are interrupted leave nothing half done. */
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { configFile, typeFile } from "../project.ts";
import { until } from "../until.ts";

setDefaultTimeout(60_000);

const ROWS = 20_000;
const TAGS = 250;
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
  const files = {
    ...typeFile("note", { title: { type: "string" }, body: { type: "text" } }),
    ...typeFile("tag", { name: { type: "string" } }),
  };
  for (const [file, text] of Object.entries(files)) await Bun.write(join(root, file), text);
  await Bun.write(join(archives, ".keep"), "");
  expect(await start("migrate", root).exited).toBe(0);
  const db = new Database(join(root, ".galley/content.db"));
  db.run(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) " +
      "INSERT INTO notes (document_id, status, created_at, updated_at, published_at, title, body) SELECT 'document' || i, 'published', t, t, t, 'note ' || i, hex(randomblob(1000)) FROM n, (SELECT '2026-01-01T00:00:00.000Z' AS t)",
    [ROWS],
  );
  db.run(
    "INSERT INTO tags (document_id, status, created_at, updated_at, published_at, name) " +
      "SELECT document_id, status, created_at, updated_at, published_at, title FROM notes LIMIT ?",
    [TAGS],
  );
  db.close();
});

test("export: no part of an archive, with password hashes, is left", async () => {
  const signal = await interrupt(["export", join(archives, "all.tar.gz"), root], () => hasPart(archives));
  expect(signal).toBe("SIGINT");
  expect(readdirSync(archives)).toEqual([".keep"]);
  expect(await start("export", join(archives, "all.tar.gz"), root).exited).toBe(0);
});

test.skipIf(process.platform === "win32")("export: nor where the terminal is closed", async () => {
  const args = ["export", join(archives, "closed.tar.gz"), root];
  const child = Bun.spawn([...PROGRAM, ...args], { terminal: { cols: 80, rows: 24, data: () => {} } });
  await until("it is under way", () => hasPart(archives));
  child.kill("SIGHUP");
  await child.exited;
  expect(child.signalCode).toBe("SIGHUP");
  expect(readdirSync(archives).sort()).toEqual([".keep", "all.tar.gz"]);
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
  // so many that it is still at work when the signal comes
  const paths = Array.from({ length: 1_000 }, (_, page) => `/api/notes?pagination[page]=${page + 1}`);
  await Bun.write(requests, JSON.stringify(paths.map((path) => ({ method: "GET", path }))));
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

/** A server of the project, whose requests are noted. */
async function withOrigin(use: (origin: string, key: string, requests: string[]) => Promise<void>): Promise<void> {
  const key = "key-for-tests-of-interruptions";
  for (const [name, text] of Object.entries(configFile({ tokens: [{ name: "all", type: "full-access", key }] })))
    await Bun.write(join(root, name), text);
  await using galley = await createGalley({ project: root, memory: false, environment: {} });
  const requests: string[] = [];
  const server = Bun.serve({
    port: 0,
    fetch: (request) => {
      requests.push(decodeURIComponent(request.url));
      return galley.handle(request);
    },
  });
  try {
    await use(`http://localhost:${server.port}`, key, requests);
  } finally {
    await server.stop(true);
  }
}

test("pull: the content is what it was, and nothing of the answers is left", () =>
  withOrigin(async (origin, key, requests) => {
    const [content, files] = [countNotes(copy), dataFiles(copy)];
    // pages of 100 of 20,000
    const args = ["pull", origin, copy, "--token", key, "--yes"];
    expect(await interrupt(args, () => requests.filter((url) => url.includes("/api/notes?")).length > 10)).toBe(
      "SIGINT",
    );
    expect([countNotes(copy), dataFiles(copy)]).toEqual([content, files]);
  }));

test(
  "mirror: the lists that were read are kept, and the next one reads the others",
  () =>
    withOrigin(async (origin, key, requests) => {
      const twin = join(folder, "twin");
      cpSync(join(root, "src"), join(twin, "src"), { recursive: true });
      const port = freePort();
      const args = ["mirror", origin, twin, "--token", key, "--port", String(port)];
      const pagesOf = (path: string): number =>
        requests.filter((url) => url.includes(`${path}?`) && url.includes("pagination[pageSize]=100")).length;
      const kept = (): Record<string, number> => {
        const [file] = readdirSync(twin, { recursive: true, encoding: "utf8" }).filter((name) =>
          name.endsWith("rows.db"),
        );
        const db = new Database(join(twin, file!), { readonly: true });
        try {
          const sql = "SELECT list, count(*) FROM complete_lists JOIN rows USING (list) GROUP BY list";
          return Object.fromEntries(db.query(sql).values() as [string, number][]);
        } finally {
          db.close();
        }
      };
      expect(await interrupt(args, () => pagesOf("/api/notes") > 10)).toBe("SIGINT");
      const left = readdirSync(twin, { recursive: true, encoding: "utf8" });
      expect(left.filter((name) => /\.part$|archive|copy-/.test(name))).toEqual([]);
      expect(pagesOf("/api/tags")).toBeGreaterThan(2);
      expect(kept()).toEqual({ "api::tag.tag draft null": TAGS, "api::tag.tag published null": TAGS });
      requests.length = 0;
      const child = start(...args);
      await until("the mirror answers", async () => {
        expect(child.exitCode).toBeNull();
        return (await fetch(`http://localhost:${port}/_health`).catch(() => undefined))?.status === 204;
      });
      expect(pagesOf("/api/tags")).toBe(0);
      const totals = await Promise.all(
        ["notes", "tags"].map(async (name) => {
          const response = await fetch(`http://localhost:${port}/api/${name}?pagination[pageSize]=1`);
          return ((await response.json()) as { meta: { pagination: { total: number } } }).meta.pagination.total;
        }),
      );
      expect(totals).toEqual([ROWS, TAGS]);
      child.kill("SIGTERM");
      await child.exited;
    }),
  150_000,
);

test("a start that changes tables: these are what they were, and the next one changes them", async () => {
  const old = join(folder, "old");
  const file = join(old, ".galley/content.db");
  const many = 5 * ROWS;
  const writeType = async (type: "string" | "integer", draftAndPublish: boolean): Promise<void> => {
    const attributes = { title: { type: "string" }, number: { type } };
    for (const [name, text] of Object.entries(typeFile("note", attributes, { draftAndPublish })))
      await Bun.write(join(old, name), text);
  };
  await writeType("string", false);
  expect(await start("migrate", old).exited).toBe(0);
  {
    using db = new Database(file);
    db.run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) " +
        "INSERT INTO notes (document_id, status, created_at, updated_at, published_at, title, number) SELECT 'document' || i, 'published', t, t, t, 'note ' || i, i FROM n, (SELECT '2026-01-01T00:00:00.000Z' AS t)",
      [many],
    );
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  /** The format, whether the file is whole, and the versions of documents with the sum of their numbers. */
  const content = (): unknown => {
    using db = new Database(file, { readonly: true });
    const versions = "SELECT status, typeof(number), count(*), sum(number) FROM notes GROUP BY 1, 2 ORDER BY 1";
    return ["PRAGMA user_version", "PRAGMA quick_check", versions].map((sql) => db.query(sql).values());
  };
  const before = content();
  await writeType("integer", true);
  const port = freePort();
  const args = ["serve", old, "--port", String(port), "--quiet"];
  // rows that are not committed
  const isUnderWay = () => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000;
  expect(await interrupt(args, isUnderWay)).toBe("SIGINT");
  expect(content()).toEqual(before);
  const child = start(...args);
  await until("the server answers", async () => {
    expect(child.exitCode).toBeNull();
    return (await fetch(`http://localhost:${port}/_health`).catch(() => undefined))?.status === 204;
  });
  child.kill("SIGTERM");
  await child.exited;
  const sum = (many * (many + 1)) / 2;
  const versions = ["draft", "published"].map((status) => [status, "integer", many, sum]);
  expect(content()).toEqual([[[2]], [["ok"]], versions]);
}, 150_000);
