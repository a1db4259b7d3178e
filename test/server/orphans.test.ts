/** Child processes end with a server that is killed, and a start waits for a process that holds the database's lock while it works. */
import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { LockWait } from "../../src/engine/storage/lock-holder.ts";
import { PROGRAM } from "../program.ts";
import { projectFolder, typeFile, writeFiles } from "../project.ts";
import { until } from "../until.ts";
import { isAlive, Server } from "./worker-server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const ROWS = 120_000;

/** A project whose next migration takes seconds. */
async function largeProject() {
  const { root, remove } = projectFolder(typeFile("post", { title: { type: "string" }, size: { type: "string" } }));
  cleanups.push(remove);
  const server = new Server(root, PROGRAM, []);
  await server.started();
  const db = new Database(join(root, ".galley/content.db"));
  db.run("PRAGMA busy_timeout = 10000");
  db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
    INSERT INTO posts (document_id, status, created_at, updated_at, title, size)
    SELECT printf('d%023d', i), 'published', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', hex(randomblob(60)), i FROM n`);
  db.close();
  cleanups.push(() => server.stop("SIGKILL"));
  return { root, server };
}

const command = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");

describe.skipIf(process.platform !== "linux")("a server that is killed", () => {
  test("while it changes a large table takes its child along, and the next start serves", async () => {
    const { root, server } = await largeProject();
    writeFiles(root, typeFile("post", { title: { type: "json" }, size: { type: "integer" } }));
    const migrating = (): number | undefined => server.workers().find((pid) => command(pid).includes(" migrate "));
    await until("the tables are being changed", () => migrating() !== undefined);
    const child = migrating()!;
    await until("it holds the lock", () => existsSync(join(root, ".galley/content.db-holder")) || !isAlive(child));
    expect(isAlive(child)).toBe(true);
    await server.stop("SIGKILL");
    await Bun.sleep(200);
    expect(isAlive(child)).toBe(false);
    const next = new Server(root, PROGRAM, []);
    cleanups.push(() => next.stop("SIGKILL"));
    await next.started();
    expect(next.errors).toBe("");
  }, 120_000);

  test("ends its workers, also one that is stopped", async () => {
    const { root, remove } = projectFolder(typeFile("post", { title: { type: "string" } }));
    cleanups.push(remove);
    const server = new Server(root);
    await server.started();
    const children = server.workers();
    // neither can a stopped process handle the end of its channel
    process.kill(children[0]!, "SIGSTOP");
    await server.stop("SIGKILL");
    await Bun.sleep(200);
    expect(children.filter(isAlive)).toEqual([]);
  }, 180_000);
});

test.skipIf(process.platform !== "linux")(
  "a server that changes a large table at its start is waited for by name",
  async () => {
    const { root, server } = await largeProject();
    await server.stop("SIGKILL");
    const file = join(root, ".galley/content.db-holder");
    writeFiles(root, typeFile("post", { title: { type: "json" }, size: { type: "integer" } }));
    const first = new Server(root, PROGRAM, []);
    cleanups.push(() => first.stop("SIGKILL"));
    await until("it holds the lock", () => existsSync(file));
    first.child.kill("SIGSTOP");
    const next = new Server(root, PROGRAM, []);
    cleanups.push(() => next.stop("SIGKILL"));
    await until("it says what it waits for", () => {
      // a slow machine could take longer to start than the file counts as renewed
      utimesSync(file, new Date(), new Date());
      return next.errors !== "";
    });
    expect(next.errors).toMatch(
      new RegExp(`^galley: waits for process ${first.child.pid}, which changes its tables, for \\d+ s now`),
    );
    first.child.kill("SIGCONT");
    await Promise.all([first.started(), next.started()]);
    expect(existsSync(file)).toBe(false);
  },
  120_000,
);

test("every process that this program starts of itself ends with it", async () => {
  const src = join(import.meta.dir, "../../src");
  const spawned: string[] = [];
  for await (const file of new Bun.Glob("{lib,server,testing,media,access,transfer}/**/*.ts").scan(src)) {
    const text = readFileSync(join(src, file), "utf8");
    for (const [call] of text.matchAll(/(?:Bun\.| )spawn\([^;]*;/g))
      spawned.push(`${file}: ${call.includes("childEnvironment(")}`);
  }
  expect(spawned.sort()).toEqual([
    // git, which is killed after a minute
    "lib/git.ts: false",
    "server/change-tables.ts: true",
    "server/published/load.ts: true",
    "server/readers/reader-processes.ts: true",
    "server/workers/pool.ts: true",
    "testing/client.ts: true",
  ]);
});

/** A process that holds the lock of a database, and names itself. */
async function holder(database: string) {
  const module = (name: string): string => JSON.stringify(join(import.meta.dir, "../../src/engine/storage", name));
  const script = `const { Storage } = await import(${module("storage.ts")});
    const { whileHolding } = await import(${module("lock-holder.ts")});
    const storage = Storage.open(process.argv.at(-1));
    storage.transaction(() => whileHolding(storage, "imports content", () => { console.log("held"); Bun.sleepSync(60_000); }));`;
  const child = Bun.spawn([process.execPath, "-e", script, database], { stdout: "pipe", stderr: "inherit" });
  cleanups.push(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  for await (const chunk of child.stdout) if (new TextDecoder().decode(chunk).includes("held")) break;
  return child;
}

describe("a wait for the database's lock", () => {
  test("lasts while the holder works, and ends after a time when that is stopped", async () => {
    const { root, remove } = projectFolder({});
    cleanups.push(remove);
    const database = join(root, "content.db");
    const child = await holder(database);
    const printed: string[] = [];
    const wait = new LockWait(database, 200, (line) => printed.push(line));
    for (const end = Date.now() + 2_500; Date.now() < end; await Bun.sleep(50)) expect(wait.goesOn()).toBe(true);
    expect(printed).toEqual([expect.stringContaining(`waits for process ${child.pid}, which imports content`)]);
    expect(wait.holder).toBe(`process ${child.pid}, which imports content`);
    child.kill("SIGSTOP");
    await until("it has waited long enough", () => !wait.goesOn());
  }, 30_000);

  test.skipIf(process.platform !== "linux")("names processes of other programs on Linux", async () => {
    const { root, remove } = projectFolder({});
    cleanups.push(remove);
    const database = join(root, "content.db");
    const db = new Database(database, { create: true });
    cleanups.push(() => db.close());
    db.run("PRAGMA journal_mode = WAL");
    db.run("CREATE TABLE t (x)");
    db.run("BEGIN IMMEDIATE");
    expect(new LockWait(database, 0).holder).toMatch(new RegExp(`^process ${process.pid} \\(\\S+\\)$`));
    db.run("COMMIT");
    expect(new LockWait(database, 0).holder).toBeUndefined();
  });
});
