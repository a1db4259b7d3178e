/**
 * Kills imports at random moments: what is there afterwards is the earlier content or the new one, with its media files and its
 * schema files.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject } from "../../src/server/project/project.ts";
import { Random } from "../../test/random.ts";
import { metadata, writeArchive } from "../../test/transfer/tar.ts";
import { writeProject } from "./project.ts";
import { FROM_SOURCE } from "./server.ts";

export interface ImportKillOptions {
  readonly kills: number;
  readonly seed: number;
  /** The command line before its arguments; Galley from source. */
  readonly program?: readonly string[] | undefined;
}

export interface ImportKillResult {
  readonly kills: number;
  /** After how many kills the earlier content was there, and after how many the new one. */
  readonly kept: number;
  readonly replaced: number;
  readonly problems: readonly string[];
}

/** The latest kill, as a part of what an import takes: some are killed when all is written, and some have ended. */
const LATEST = 1.1;
const DOCUMENTS = 2_000;
const FILES = 40;

const POST = "src/api/post/content-types/post/schema.json";

/** The schemas of the project, with an attribute of posts that only this archive has. */
function schemaRows(root: string, name: string): string[] {
  const files = {
    "api::post.post": POST,
    "api::tag.tag": "src/api/tag/content-types/tag/schema.json",
    "part.row": "src/components/part/row.json",
  };
  return Object.entries(files).map(([uid, file]) => {
    const schema = JSON.parse(readFileSync(join(root, file), "utf8")) as { attributes: object };
    const attributes = { ...schema.attributes, ...(file === POST ? { [`only_${name}`]: { type: "string" } } : {}) };
    return JSON.stringify({ ...schema, uid, modelType: uid.includes("::") ? "contentType" : "component", attributes });
  });
}

/** An archive in which everything carries its name. */
async function makeArchive(file: string, root: string, name: string): Promise<void> {
  const time = "2026-01-01T00:00:00.000Z";
  const row = (type: string, id: number, data: object): string =>
    JSON.stringify({ type, id, data: { createdAt: time, updatedAt: time, publishedAt: time, ...data } });
  const entities = [row("api::tag.tag", 1, { documentId: `${name}-tag`, label: name })];
  const links: string[] = [];
  for (let id = 1; id <= DOCUMENTS; id++) {
    entities.push(
      row("api::post.post", id, { documentId: `${name}-${id}`, title: name, rows: [{ id, name }], publishedAt: null }),
    );
    const left = { type: "api::post.post", ref: id, field: "tags", pos: 1 };
    links.push(
      JSON.stringify({
        kind: "relation.basic",
        relation: "manyToMany",
        left,
        right: { type: "api::tag.tag", ref: 1 },
      }),
    );
  }
  const assets = Array.from({ length: FILES }, (_, index) => {
    const hash = `file_${index + 1}`;
    const record = { name: hash, hash, ext: ".txt", mime: "text/plain", size: 1, url: `/uploads/${hash}.txt` };
    entities.push(row("plugin::upload.file", index + 1, { ...record, provider: "local", caption: name }));
    return [
      { name: `assets/metadata/${hash}.txt.json`, content: JSON.stringify({ id: index + 1, ...record }) },
      { name: `assets/uploads/${hash}.txt`, content: name },
    ];
  });
  await writeArchive(file, [
    { name: "schemas/schemas_00001.jsonl", content: schemaRows(root, name).join("\n") },
    { name: "entities/entities_00001.jsonl", content: entities.join("\n") },
    ...assets.flat(),
    { name: "links/links_00001.jsonl", content: links.join("\n") },
    metadata,
  ]);
}

/** The name that everything carries. Throws an error that lists what differs. */
async function readContent(root: string): Promise<string> {
  // opening it finishes or undoes what a killed process left
  const project = openProject(root, { memory: false, publicRead: false, environment: {} });
  const { storage } = project.context;
  try {
    const found = storage.all(`SELECT title, count(*) FROM posts GROUP BY title
      UNION ALL SELECT name, count(*) FROM components_part_row GROUP BY name
      UNION ALL SELECT caption, count(*) FROM files GROUP BY caption
      UNION ALL SELECT t.label, count(*) FROM galley_links l JOIN galley_names n ON n.id = l.field
        JOIN tags t ON t.id = l.target WHERE n.name LIKE 'posts.tags>%' GROUP BY t.label`) as [string, number][];
    const folder = join(root, "public/uploads");
    const names = readdirSync(folder).filter((name) => !name.startsWith("."));
    const inFiles = [...new Set(names.map((name) => readFileSync(join(folder, name), "utf8")))];
    const [name] = found[0]!;
    const schema = JSON.parse(readFileSync(join(root, POST), "utf8")) as { attributes: object };
    const inSchema = Object.keys(schema.attributes).filter((attribute) => attribute.startsWith("only_"));
    const counts = JSON.stringify([...found.map(([label, count]) => [label, count]), inFiles, names.length, inSchema]);
    const expected = [DOCUMENTS, DOCUMENTS, FILES, DOCUMENTS].map((count) => [name, count]);
    if (counts !== JSON.stringify([...expected, [name], FILES, [`only_${name}`]]))
      throw new Error(`content is in parts: ${counts}`);
    return name;
  } finally {
    await project.close();
  }
}

export async function runImportKills({
  kills,
  seed,
  program = FROM_SOURCE,
}: ImportKillOptions): Promise<ImportKillResult> {
  const folder = mkdtempSync(join(tmpdir(), "galley-kill-import-"));
  const root = join(folder, "project");
  mkdirSync(root);
  const random = new Random(seed);
  const problems: string[] = [];
  let [kept, replaced] = [0, 0];
  const archive = (name: string): string => join(folder, `${name}.tar.gz`);
  const start = (name: string): Bun.Subprocess<"ignore", "ignore", "pipe"> =>
    Bun.spawn([...program, "import", archive(name), root, "--schemas", "--yes"], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
  try {
    writeProject(root);
    writeFileSync(join(root, "config/galley.json"), "{}");
    for (const name of ["one", "two"]) await makeArchive(archive(name), root, name);
    // the first goes into an empty project, which is faster than what is killed
    let usual = 0;
    for (const name of ["one", "two"]) {
      const began = performance.now();
      const whole = start(name);
      if ((await whole.exited) !== 0) throw new Error(await new Response(whole.stderr).text());
      usual = performance.now() - began;
    }
    let current = await readContent(root);
    for (let round = 1; round <= kills && problems.length === 0; round++) {
      const next = current === "one" ? "two" : "one";
      const process = start(next);
      await Promise.race([Bun.sleep(random.below(Math.ceil(usual * LATEST))), process.exited]);
      process.kill("SIGKILL");
      await process.exited;
      const found = await readContent(root).catch((error: Error) => error.message);
      if (found === current) kept++;
      else if (found === next) replaced++;
      else problems.push(`after kill ${round}: ${found}`);
      current = found;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { kills, kept, replaced, problems };
}
