/** npm's archives: a folder as `package/` in a gzipped tar, the same bytes for the same files. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pack } from "tar-stream";

/** 1985-10-26: what npm writes, too. */
const MTIME = new Date(499_162_500_000);

/** `executable` says which paths, with slashes, get the right to be run. `level` is gzip's. */
export async function writeTarball(
  folder: string,
  outfile: string,
  executable: (path: string) => boolean,
  level: number,
): Promise<void> {
  const archive = pack();
  const chunks: Buffer[] = [];
  const read = (async () => {
    for await (const chunk of archive) chunks.push(chunk as Buffer);
  })();
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
  for (const path of paths) {
    const header = { name: `package/${path}`, mtime: MTIME, mode: executable(path) ? 0o755 : 0o644 };
    archive.entry(header, readFileSync(join(folder, path)));
  }
  archive.finalize();
  await read;
  writeFileSync(outfile, Bun.gzipSync(Buffer.concat(chunks), { level: level as 6 }));
}
