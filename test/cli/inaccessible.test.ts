/** What another user owns, what is full, and unusual paths: one sentence says what to do, and nothing is lost. */
import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { configFile, typeFile } from "../project.ts";
import { until } from "../until.ts";

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "galley-inaccessible-"));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const prepared = join(folder, "prepared");
const root = join(folder, "project");
const at = (...names: string[]): string => join(root, ...names);

/** "nobody" of most systems. */
const USER = 65_534;
const asUser = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
/** The program and the folder may be where only root may enter. */
const canBeUser =
  process.getuid?.() === 0 &&
  Bun.which("setpriv") !== null &&
  Bun.spawnSync([...asUser, ...PROGRAM, "types", "--help"], { cwd: folder }).exitCode === 0 &&
  Bun.spawnSync([...asUser, "ls", folder]).exitCode === 0;

async function run(command: readonly string[], environment: Record<string, string> = {}) {
  const child = Bun.spawn([...command], {
    cwd: "/",
    env: { PATH: process.env.PATH, HOME: "/nonexistent", ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 30_000,
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, output, errors };
}

const titles = (project: string): unknown => {
  using db = new Database(join(project, ".galley/content.db"), { readonly: true });
  return db.query("SELECT title FROM notes ORDER BY id").values().flat();
};

const files = {
  ...typeFile("note", { title: { type: "string" }, body: { type: "text" } }),
  ...configFile({ tokens: [{ name: "all", type: "full-access", key: "test-key" }], cacheTags: true }),
  "public/uploads/note.txt": "a note",
};

test("a project is made", async () => {
  for (const [file, text] of Object.entries(files)) await Bun.write(join(prepared, file), text);
  expect(await run([...PROGRAM, "token", "list", prepared])).toMatchObject({ code: 0 });
  const db = new Database(join(prepared, ".galley/content.db"));
  db.run(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) " +
      "INSERT INTO notes (document_id, status, created_at, updated_at, published_at, title, body) SELECT 'document' || i, 'published', t, t, t, 'note ' || i, hex(randomblob(500)) FROM n, (SELECT '2026-01-01T00:00:00.000Z' AS t)",
  );
  db.close();
});

function own(path: string, user: number): void {
  chownSync(path, user, user);
  if (!statSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) own(join(path, name), user);
}

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  if (existsSync(prepared)) cpSync(prepared, root, { recursive: true });
});

/** What another user has, with what of it may not be done. */
const inaccessible: Readonly<Record<string, { path: string; mode: number }>> = {
  "the project": { path: ".", mode: 0o700 },
  "its data": { path: ".galley", mode: 0o700 },
  "its data, for writing": { path: ".galley", mode: 0o755 },
  "its database": { path: ".galley/content.db", mode: 0o600 },
  "its database, for writing": { path: ".galley/content.db", mode: 0o644 },
  "its secrets": { path: ".galley/secrets.json", mode: 0o600 },
  "its settings": { path: "config/galley.json", mode: 0o600 },
};

/** Commands that read only, where they may do without. */
const works: Readonly<Record<string, readonly string[]>> = {
  "its data": ["types"],
  "its data, for writing": ["types"],
  "its database": ["types"],
  "its database, for writing": ["types", "upgrade", "doctor", "backup"],
  "its secrets": ["types", "upgrade", "doctor"],
};

const commands: readonly (readonly string[])[] = [
  ["serve", "PROJECT", "--port", "0"],
  ["token", "create", "a", "PROJECT"],
  ["export", "OUT/a.tar.gz", "PROJECT"],
  ["backup", "OUT/b.tar.gz", "PROJECT"],
  ["upgrade", "PROJECT", "--check"],
  ["doctor", "PROJECT"],
  ["types", "PROJECT"],
  ["run", "PROJECT", "--", "true"],
];

describe.skipIf(!canBeUser).each(Object.entries(inaccessible))("another user has %s", (what, { path, mode }) => {
  test.each(commands.map((words) => [words[0]!, words] as const))("galley %s", async (name, words) => {
    const out = join(folder, "out");
    mkdirSync(out, { recursive: true });
    own(out, USER);
    own(root, USER);
    const isFolder = statSync(at(path)).isDirectory();
    for (const file of path === ".galley/content.db" ? readdirSync(at(".galley")) : [""])
      if (file === "" || file.startsWith("content.db")) {
        const owned = file === "" ? at(path) : at(".galley", file);
        if (isFolder) own(owned, 0);
        chownSync(owned, 0, 0);
        chmodSync(owned, mode);
      }
    const before = titles(root);
    const { code, errors, output } = await run([
      ...asUser,
      ...PROGRAM,
      ...words.map((word) => word.replace("PROJECT", root).replace("OUT", out)),
    ]);
    expect(titles(root)).toEqual(before);
    rmSync(out, { recursive: true });
    if (works[what]?.includes(name)) {
      expect([code, errors]).toEqual([0, ""]);
      return;
    }
    const told = name === "doctor" && path !== "." ? output : errors;
    expect({ code, told }).toEqual({ code: 1, told: expect.stringContaining(join(root, path)) });
    if (path !== "config/galley.json") expect(told).toMatch(/give this user the right to/);
    expect(errors.trim().split("\n").length).toBe(1);
    // no stack
    expect(errors).not.toMatch(/^\s+at /m);
  });
});

test.skipIf(!canBeUser)(
  "uploads of another user: pages and content are served, and an upload says what is missing",
  async () => {
    own(root, USER);
    own(at("public/uploads"), 0);
    chmodSync(at("public/uploads"), 0o700);
    const port = freePort();
    const child = Bun.spawn([...asUser, ...PROGRAM, "serve", root, "--port", String(port)], {
      env: { PATH: process.env.PATH, HOME: "/nonexistent" },
      stdout: "ignore",
      stderr: "pipe",
    });
    const url = `http://localhost:${port}`;
    const headers = { authorization: "Bearer test-key" };
    await until(
      "the server answers",
      async () => (await fetch(`${url}/_health`).catch(() => undefined))?.status === 204,
    );
    expect((await fetch(`${url}/api/notes`, { headers })).status).toBe(200);
    const body = new FormData();
    body.append("files", new File(["x"], "x.txt", { type: "text/plain" }));
    const statuses = [
      (await fetch(`${url}/uploads/note.txt`)).status,
      (await fetch(`${url}/api/upload`, { method: "POST", headers, body })).status,
    ];
    expect((await fetch(`${url}/api/notes`, { headers })).status).toBe(200);
    child.kill("SIGTERM");
    const errors = await child.stderr.text();
    expect(await child.exited).toBe(0);
    expect([statuses, errors]).toEqual([[404, 500], expect.stringContaining(at("public/uploads"))]);
  },
);

describe.skipIf(process.platform === "win32")("a full disk", () => {
  /** Below the size of the database. */
  const BLOCKS = 400;
  const limited = ["sh", "-c", `ulimit -f ${BLOCKS}; exec "$@"`, "sh"];
  const full: readonly (readonly [name: string, words: readonly string[]])[] = [
    ["an export", ["export", "OUT/a.tar.gz", "PROJECT"]],
    ["a backup", ["backup", "OUT/b.tar.gz", "PROJECT"]],
    ["an import", ["import", "ARCHIVE", "PROJECT", "--yes"]],
  ];
  test.each(full)("%s", async (_, words) => {
    const out = join(folder, "out");
    mkdirSync(out, { recursive: true });
    const archive = join(folder, "whole.tar.gz");
    if (!existsSync(archive)) expect(await run([...PROGRAM, "export", archive, root])).toMatchObject({ code: 0 });
    const before = titles(root);
    const named = words.map((word) => word.replace("PROJECT", root).replace("OUT", out).replace("ARCHIVE", archive));
    const { code, errors } = await run([...limited, ...PROGRAM, ...named]);
    expect(titles(root)).toEqual(before);
    const left = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => /\.part|tar/.test(name));
    rmSync(out, { recursive: true });
    expect(left).toEqual([]);
    expect([code, errors.trim().split("\n").length]).toEqual([1, 1]);
    expect(errors).toMatch(/the disk is full|the disk reports an error/);
    expect(readdirSync(at(".galley")).filter((name) => /unfinished|temporary|import/.test(name))).toEqual([]);
  });
});

/** A disk of its own, of this size; false where this user may not have one. */
function mount(path: string, size: string): boolean {
  mkdirSync(path, { recursive: true });
  const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  return exitCode === 0;
}
const disk = join(folder, "disk");
const unmount = (): void => void Bun.spawnSync(["umount", disk]);
const canMount = process.platform === "linux" && process.getuid?.() === 0 && mount(disk, "64k");
if (canMount) unmount();

describe.skipIf(!canMount)("another disk", () => {
  afterEach(unmount);

  test.each([
    ["types", ["types", "PROJECT", "--out", "DISK/types.ts"], "DISK/types.ts"],
    ["a project", ["init", "DISK/new"], "DISK/new"],
    ["an archive", ["export", "DISK/a.tar.gz", "PROJECT"], "DISK/a.tar.gz"],
    ["a backup", ["backup", "DISK/b.tar.gz", "PROJECT"], "DISK/b.tar.gz"],
  ] as const)("is too small for %s", async (_, words, named) => {
    mount(disk, "8k");
    const { code, errors } = await run([
      ...PROGRAM,
      ...words.map((word) => word.replace("PROJECT", root).replace("DISK", disk)),
    ]);
    const told = `galley: ${named.replace("DISK", disk)}: cannot be written: the disk is full`;
    expect([code, errors]).toEqual([1, expect.stringContaining(told)]);
    expect(errors.trim().split("\n").length).toBe(1);
    expect(readdirSync(disk).filter((name) => name !== "types.ts")).toEqual([]);
  });

  test("is full: a start and a backup to elsewhere say so", async () => {
    mount(disk, "20m");
    const project = join(disk, "project");
    cpSync(root, project, { recursive: true });
    const data = join(project, ".galley");
    for (const name of ["content.db-shm", "content.db-wal"]) rmSync(join(data, name), { force: true });
    Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(disk, "filler")}`, "bs=4k"], { stderr: "ignore" });
    for (const words of [
      ["serve", project, "--port", "0"],
      ["backup", join(folder, "elsewhere.tar.gz"), project],
    ]) {
      const { code, errors } = await run([...PROGRAM, ...words]);
      expect([code, errors]).toEqual([
        1,
        expect.stringMatching(/^galley: \S*\.galley\S*: cannot be written: the disk is full/),
      ]);
    }
  });

  test("has no room for a second copy of the uploads: a backup to elsewhere is made", async () => {
    mount(disk, "20m");
    const project = join(disk, "project");
    cpSync(root, project, { recursive: true });
    mkdirSync(join(project, "public/uploads"), { recursive: true });
    writeFileSync(join(project, "public/uploads/large.bin"), crypto.getRandomValues(Buffer.alloc(12_000_000)));
    const backup = join(folder, "elsewhere.tar.gz");
    expect(await run([...PROGRAM, "backup", backup, project])).toMatchObject({ code: 0 });
    rmSync(backup);
  });

  test("is read-only: a project there is served from memory only", async () => {
    mount(disk, "20m");
    cpSync(root, join(disk, "project"), { recursive: true });
    expect(Bun.spawnSync(["mount", "-o", "remount,ro", disk]).exitCode).toBe(0);
    const refused = await run([...PROGRAM, "serve", join(disk, "project"), "--port", "0"]);
    const file = join(disk, "project/.galley/content.db");
    const told = `galley: ${file}: cannot be written, since the disk is read-only: mount it for writing, or serve it with --memory`;
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining(told)]);
    const words = ["run", join(disk, "project"), "--memory", "--", "true"];
    expect(await run([...PROGRAM, ...words])).toMatchObject({ code: 0 });
  });
});

const long = "a".repeat(200);

describe.skipIf(process.platform === "win32").each([
  ["spaces and umlauts", "Größe und Maß"],
  ["200 characters", long],
  ["quotes and dollars", `it's "a" $HOME; project`],
  ["a link", "link"],
])("a path with %s", (_, name) => {
  test("is served, exported, backed up and restored", async () => {
    const project = join(folder, "paths", name);
    mkdirSync(join(project, ".."), { recursive: true });
    if (name === "link") symlinkSync(root, project);
    else renameSync(root, project);
    const before = titles(project);
    for (const words of [
      ["types", project, "--out", join(project, "types.ts")],
      ["export", join(project, "../a.tar.gz"), project],
      ["backup", join(project, "../b.tar.gz"), project],
      ["restore", join(project, "../b.tar.gz"), project, "--yes"],
      ["content", "setup-git", project],
      ["doctor", project],
    ]) {
      if (words[0] === "content") Bun.spawnSync(["git", "init", "--quiet", project]);
      const { code, errors } = await run([...PROGRAM, ...words]);
      expect([words[0], code, errors]).toEqual([words[0], 0, ""]);
    }
    expect(titles(project)).toEqual(before);
    const answer = await run([
      ...PROGRAM,
      "run",
      project,
      "--",
      process.execPath,
      "-e",
      "const r = await fetch(process.env.STRAPI_URL + '/api/notes', { headers: { authorization: 'Bearer ' + process.env.STRAPI_TOKEN } }); console.log((await r.json()).meta.pagination.total)",
    ]);
    expect([answer.code, answer.output.trim()]).toEqual([0, "2000"]);
    rmSync(join(folder, "paths"), { recursive: true, force: true });
  });
});

test.skipIf(process.platform === "win32")("a path that SQLite does not take is refused with what to do", async () => {
  const project = join(folder, long, long, long);
  mkdirSync(join(project, "src/api"), { recursive: true });
  const { code, errors } = await run([...PROGRAM, "token", "list", project]);
  expect([code, errors.trim().split("\n").length]).toEqual([1, 1]);
  expect(errors).toContain("its path is too long; move the project to a shorter one");
});
