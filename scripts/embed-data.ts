/**
 * Packs the templates of `data`, and the manual as a site, into `dist/data.tar.gz`, which an executable carries. Runs before the
 * executable is compiled.
 */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { readStarterFolder, templateFolder, templates } from "../src/server/starter.ts";
import { buildManual } from "./manual.ts";

const DIST = join(import.meta.dir, "../dist");

/** Returns the archive's path. */
export async function embedData(): Promise<string> {
  mkdirSync(DIST, { recursive: true });
  const path = join(DIST, "data.tar.gz");
  const folders = new Map<string, ReadonlyMap<string, Uint8Array>>([
    ...templates.map((template) => [template, readStarterFolder(templateFolder(template))] as const),
    ["manual", await buildManual()],
  ]);
  const files = Object.fromEntries(
    [...folders].flatMap(([folder, contents]) =>
      [...contents].map(([name, content]) => [`${folder}/${name}`, new Blob([content as Uint8Array<ArrayBuffer>])]),
    ),
  );
  // others may compile at the same time
  const unfinished = `${path}.${crypto.randomUUID()}`;
  await Bun.Archive.write(unfinished, files, { compress: "gzip", level: 9 });
  renameSync(unfinished, path);
  return path;
}

if (import.meta.main) console.log(await embedData());
