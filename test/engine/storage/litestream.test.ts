/** A live copy with Litestream: a server that is killed under writes is restored from it with every acknowledged one. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { PROGRAM } from "../../program.ts";
import { ADMIN, configFile, projectFolder, typeFile } from "../../project.ts";
import { until } from "../../until.ts";

/** The executable of the package for this platform; there is none for Windows. */
function findLitestream(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.path);
    return resolve(`@flydotio/litestream-${process.platform}-${process.arch}/litestream`);
  } catch {
    return undefined;
  }
}

const litestream = findLitestream();
const WRITES = 60;
/** Litestream copies so often; what was written since then is lost with the disk. */
const SYNC = "100ms";

const folder = mkdtempSync(join(tmpdir(), "galley-litestream-"));
const { root, remove } = projectFolder({
  ...configFile(),
  ...typeFile("tag", { name: { type: "string" } }),
  ...typeFile(
    "post",
    {
      title: { type: "string" },
      tags: { type: "relation", relation: "manyToMany", target: "api::tag.tag" },
    },
    { draftAndPublish: true },
  ),
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  remove();
});

/** The rows of every table. */
function readContent(file: string): Record<string, unknown[]> {
  const db = new Database(file, { readonly: true });
  try {
    expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
    const names = db
      .query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_litestream%' ESCAPE '\\'")
      .values() as [string][];
    return Object.fromEntries(names.sort().map(([name]) => [name, db.query(`SELECT * FROM "${name}"`).values()]));
  } finally {
    db.close();
  }
}

const start = (command: readonly string[]) =>
  Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe", env: { PATH: process.env.PATH ?? "" } });

async function run(command: readonly string[]): Promise<void> {
  const child = start(command);
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(out + errors);
}

test.skipIf(litestream === undefined)(
  "what Litestream has copied of a killed server is all that it had",
  async () => {
    const config = join(folder, "litestream.yml");
    const database = join(root, ".galley/content.db");
    const replica = { type: "file", path: join(folder, "replica"), "sync-interval": SYNC };
    writeFileSync(config, JSON.stringify({ dbs: [{ path: database, replicas: [replica] }] }));
    const port = freePort();
    const server = start([...PROGRAM, "serve", root, "--port", `${port}`, "--quiet"]);
    const url = `http://127.0.0.1:${port}/api`;
    await until("the server answers", () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    const copying = start([litestream!, "replicate", "-config", config]);
    await until(
      "the first copy is there",
      () =>
        existsSync(replica.path) &&
        readdirSync(replica.path, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile()),
    );

    const acknowledged: string[] = [];
    const headers = { ...ADMIN, "content-type": "application/json" };
    const write = async (kind: string, data: unknown): Promise<string> => {
      const response = await fetch(`${url}/${kind}`, { method: "POST", headers, body: JSON.stringify({ data }) });
      const { documentId } = ((await response.json()) as { data: { documentId: string } }).data;
      acknowledged.push(documentId);
      return documentId;
    };
    const writer = async (): Promise<void> => {
      for (;;) {
        const tag = await write("tags", { name: `tag ${acknowledged.length}` });
        await write("posts", { title: `post ${acknowledged.length}`, tags: [tag] });
      }
    };
    const writing = Promise.allSettled([writer(), writer()]);
    await until("enough is written", () => acknowledged.length > WRITES);
    server.kill("SIGKILL");
    await Promise.all([server.exited, writing]);

    // copies what is there, and ends
    await Bun.sleep(500);
    copying.kill("SIGTERM");
    await copying.exited;
    const restored = join(folder, "restored/content.db");
    mkdirSync(join(folder, "restored"));
    await run([litestream!, "restore", "-config", config, "-o", restored, database]);
    const content = readContent(restored);
    expect(content).toEqual(readContent(database));
    const ids = new Set(Object.values(content).flat(2));
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  },
  180_000,
);
