#!/usr/bin/env bun
/**
 * Builds the manual of `data/manual` into a folder, as a static site that any web server, or a browser from the disk, can show.
 *
 *   bun scripts/manual.ts [--out DIR]     dist/manual by default
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readPages } from "./manual/pages.ts";
import { buildSite } from "./manual/site.ts";

/** The files of the site by name. */
export async function buildManual(): Promise<ReadonlyMap<string, Uint8Array>> {
  const encoder = new TextEncoder();
  return new Map([...buildSite(await readPages())].map(([name, text]) => [name, encoder.encode(text)]));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: "string" } } });
  const out = resolve(values.out ?? join(import.meta.dir, "../dist/manual"));
  mkdirSync(out, { recursive: true });
  const files = await buildManual();
  for (const [name, content] of files) writeFileSync(join(out, name), content);
  console.log(`${files.size} files in ${out}`);
}
