/** Packs the projects of `data` into `dist/starter.tar.gz`, which an executable carries. Runs before the executable is compiled. */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { readStarterFolder, templateFolder, templates } from "../src/server/starter.ts";

const DIST = join(import.meta.dir, "../dist");

/** Returns the archive's path. */
export async function embedStarter(): Promise<string> {
  mkdirSync(DIST, { recursive: true });
  const path = join(DIST, "starter.tar.gz");
  const files = Object.fromEntries(
    templates.flatMap((template) =>
      [...readStarterFolder(templateFolder(template))].map(([name, content]) => [
        `${template}/${name}`,
        new Blob([content]),
      ]),
    ),
  );
  // others may compile at the same time
  const unfinished = `${path}.${process.pid}`;
  await Bun.Archive.write(unfinished, files, { compress: "gzip", level: 9 });
  renameSync(unfinished, path);
  return path;
}

if (import.meta.main) console.log(await embedStarter());
