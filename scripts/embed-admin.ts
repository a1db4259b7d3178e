/** Packs the admin page into `dist/admin.tar`, compressed as browsers take it. Runs before an executable is compiled. */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { bundlePage } from "../src/server/admin/bundle.ts";

const DIST = join(import.meta.dir, "../dist");

/** Returns the archive's path. */
export async function embedAdmin(): Promise<string> {
  mkdirSync(DIST, { recursive: true });
  const path = join(DIST, "admin.tar");
  const files: Record<string, Blob> = {};
  for (const [name, content] of await bundlePage()) {
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    files[`${name}.br`] = new Blob([brotliCompressSync(content, { params })]);
  }
  // others may compile at the same time
  const unfinished = `${path}.${crypto.randomUUID()}`;
  await Bun.Archive.write(unfinished, files);
  renameSync(unfinished, path);
  return path;
}

if (import.meta.main) console.log(await embedAdmin());
