#!/usr/bin/env bun
/**
 * Imports an archive of many documents with relations into Galley, and the same archive into Strapi; prints the time,
 * processor time and memory of both. Strapi is stopped once it has taken `--most` times as long as Galley.
 *
 *   bun scripts/bench/import.ts [--documents 100000] [--reference DIR] [--most 30]
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { referenceProject } from "../roundtrip/servers.ts";
import { SCHEMAS, writeArchive } from "./archive.ts";
import { peakMemory } from "./peak-memory.ts";

const { values: options } = parseArgs({
  options: {
    documents: { type: "string", default: "100000" },
    reference: { type: "string" },
    most: { type: "string", default: "30" },
  },
});
const root = join(import.meta.dir, "../..");
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
  const [errors, memory] = await Promise.all([new Response(child.stderr).text(), peakMemory(child)]);
  const milliseconds = performance.now() - began;
  const wasStopped = child.signalCode !== null;
  if (!wasStopped && child.exitCode !== 0)
    throw new Error(`${name} ended with ${child.exitCode}:\n${errors.slice(-2_000)}`);
  const { cpuTime } = child.resourceUsage()!;
  const figures = [`${Number(cpuTime.total) / 1e6} s of processor time`, `${(memory / 2 ** 20).toFixed(0)} MiB`];
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
