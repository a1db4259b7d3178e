/** A server that is killed in the middle of writes keeps what it has acknowledged, and nothing by halves. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ADMIN, componentFile, configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";

const KILLS = 50;
const { root, remove } = projectFolder({
  ...configFile(),
  ...componentFile("part.row", { name: { type: "string" } }),
  ...typeFile("tag", { label: { type: "string" } }),
  ...typeFile(
    "post",
    {
      title: { type: "string" },
      copy: { type: "string" },
      rows: { type: "component", component: "part.row", repeatable: true },
      tags: { type: "relation", relation: "manyToMany", target: "api::tag.tag" },
    },
    { draftAndPublish: true },
  ),
});
afterAll(remove);

async function startServer() {
  const server = Bun.spawn([process.execPath, join(import.meta.dir, "writer.ts"), root], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await server.stdout.getReader().read();
  return { server, url: new TextDecoder().decode(value).trim() };
}

async function post(url: string, path: string, data: unknown): Promise<{ documentId: string }> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { ...ADMIN, "content-type": "application/json" },
    body: JSON.stringify({ data }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: { documentId: string } }).data;
}

test(`${KILLS} kills during writes`, async () => {
  const acknowledged = new Map<string, string>();
  let tags: string[] = [];
  for (let round = 0; round < KILLS; round++) {
    const { server, url } = await startServer();
    const before = acknowledged.size;
    if (tags.length === 0)
      tags = await Promise.all(["a", "b"].map(async (label) => (await post(url, "/api/tags", { label })).documentId));
    let open = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; open; i++) {
        const title = `${round}-${writer}-${i}`;
        try {
          const rows = [{ name: title }, { name: title }];
          const { documentId } = await post(url, "/api/posts", { title, copy: title, rows, tags });
          acknowledged.set(documentId, title);
        } catch {
          // the connection broke: this write was not acknowledged
          return;
        }
      }
    });
    await until("a write is answered", () => acknowledged.size > before);
    await Bun.sleep(Math.random() * 40);
    server.kill("SIGKILL");
    open = false;
    await Promise.all([...writers, server.exited]);
  }

  const db = new Database(join(root, ".galley/content.db"), { readonly: true });
  expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  const rows = db.query("SELECT document_id, title, copy, status FROM posts").all() as Record<string, string>[];
  const stored = Map.groupBy(rows, ({ document_id }) => document_id!);
  for (const [documentId, title] of acknowledged) {
    expect(
      stored
        .get(documentId)
        ?.map((row) => [row.title, row.status])
        .sort(),
    ).toEqual([
      [title, "draft"],
      [title, "published"],
    ]);
  }
  // every document has both versions, and each version its two rows and two tags
  for (const versions of stored.values()) expect(versions.length).toBe(2);
  expect(rows.every(({ title, copy }) => title === copy)).toBe(true);
  const [[links]] = db
    .query("SELECT count(*) FROM galley_links l JOIN galley_names n ON n.id = l.field WHERE n.name LIKE 'posts.%'")
    .values() as [[number]];
  expect(links).toBe(rows.length * 4);
  const [[parts]] = db.query("SELECT count(*) FROM components_part_row").values() as [[number]];
  expect(parts).toBe(rows.length * 2);
  db.close();
}, 120_000);
