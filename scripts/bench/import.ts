#!/usr/bin/env bun
/**
 * Imports an archive of many documents with relations into Galley, and the same archive into the reference; prints the time,
 * processor time and memory of both. The reference is stopped once it has taken `--most` times as long as Galley.
 *
 *   bun scripts/bench/import.ts [--documents 100000] [--reference DIR] [--most 30]
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ProjectReport } from "../../src/errors.ts";
import { modelOf, readSource } from "../../src/server/project-source.ts";
import { ArchiveWriter } from "../../src/transfer/export/archive-writer.ts";
import { schemaRows } from "../../src/transfer/export/schemas.ts";
import { referenceProject } from "../roundtrip/servers.ts";

const { values: options } = parseArgs({
  options: {
    documents: { type: "string", default: "100000" },
    reference: { type: "string" },
    most: { type: "string", default: "30" },
  },
});
const root = join(import.meta.dir, "../..");
const SCHEMAS = join(root, "test/conformance/project");
const TIME = "2026-01-01T00:00:00.000Z";
/** Each in both versions. */
const TAGS_PER_ARTICLE = 2;
const ARTICLES_PER_TAG = 10;

const idOf = (prefix: string, number: number): string => prefix + String(number).padStart(23, "0");

function* entities(articles: number) {
  const times = { createdAt: TIME, updatedAt: TIME };
  for (let id = 1; id <= articles / ARTICLES_PER_TAG; id++) {
    const data = { documentId: idOf("t", id), label: `tag ${id}`, ...times, publishedAt: TIME, locale: null };
    yield { type: "api::tag.tag", id, data };
  }
  for (let row = 1; row <= articles * 2; row++) {
    const number = Math.ceil(row / 2);
    const texts = { title: `Title of ${number}`, slug: `title-${number}`, excerpt: "some text ".repeat(10) };
    const values = { body: "lorem ipsum ".repeat(40), kind: "news", views: number, rating: 4.5, metadata: { a: 1 } };
    const publishedAt = row % 2 === 0 ? TIME : null;
    const data = { documentId: idOf("a", number), ...texts, ...values, ...times, publishedAt, locale: "en" };
    yield { type: "api::article.article", id: row, data };
  }
}

function* links(articles: number) {
  const tags = Math.floor(articles / ARTICLES_PER_TAG);
  for (let ref = 1; ref <= articles * 2; ref++)
    for (let pos = 1; pos <= TAGS_PER_ARTICLE; pos++) {
      const tag = ((Math.ceil(ref / 2) * 7 + pos) % tags) + 1;
      const left = { type: "api::article.article", field: "tags", ref, pos };
      const right = { type: "api::tag.tag", ref: tag, field: "articles", pos: ref };
      yield { kind: "relation.basic", relation: "manyToMany", left, right };
    }
}

async function writeArchive(file: string, articles: number): Promise<void> {
  const source = readSource(SCHEMAS, {}, new ProjectReport());
  const writer = new ArchiveWriter({ file });
  await writer.rows("schemas", schemaRows(source.schema, modelOf(source)));
  const rows = await writer.rows("entities", entities(articles));
  const edges = await writer.rows("links", links(articles));
  await writer.text("metadata.json", JSON.stringify({ createdAt: TIME, strapi: { version: "5.54.0" } }));
  await writer.finish();
  console.log(`${articles} documents: ${rows} rows, ${edges} links`);
}

/** Returns the milliseconds that a command took, or was given. */
async function measure(name: string, command: readonly string[], cwd: string, most?: number): Promise<number> {
  const began = performance.now();
  const child = Bun.spawn([...command], {
    cwd,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    env: { ...process.env, NODE_ENV: "production", STRAPI_TELEMETRY_DISABLED: "true" },
    ...(most === undefined ? {} : { timeout: Math.ceil(most), killSignal: "SIGKILL" }),
  });
  const errors = await new Response(child.stderr).text();
  await child.exited;
  const milliseconds = performance.now() - began;
  const wasStopped = child.signalCode !== null;
  if (!wasStopped && child.exitCode !== 0)
    throw new Error(`${name} ended with ${child.exitCode}:\n${errors.slice(-2_000)}`);
  const { cpuTime, maxRSS } = child.resourceUsage()!;
  const figures = [`${Number(cpuTime.total) / 1e6} s of processor time`, `${(maxRSS / 2 ** 20).toFixed(0)} MiB`];
  const end = wasStopped ? ", and was stopped" : "";
  console.log(`${name}: ${(milliseconds / 1_000).toFixed(1)} s (${figures.join(", ")})${end}`);
  return milliseconds;
}

const folder = mkdtempSync(join(tmpdir(), "galley-import-"));
try {
  const archive = join(folder, "content.tar.gz");
  await writeArchive(archive, Number(options.documents));
  const project = join(folder, "project");
  mkdirSync(project);
  const command = [process.execPath, join(root, "src/main.ts"), "import", archive, project, "--schemas", "--yes"];
  const ours = await measure("galley import", command, folder);
  if (options.reference) {
    const theirs = referenceProject(options.reference, SCHEMAS);
    try {
      const strapi = ["node", "node_modules/.bin/strapi", "import", "-f", archive, "--force"];
      const time = await measure("strapi import", strapi, theirs, ours * Number(options.most));
      console.log(`${(time / ours).toFixed(1)} times as long`);
    } finally {
      rmSync(theirs, { recursive: true, force: true });
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
