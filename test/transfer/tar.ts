/** Tar files by hand, for archives that no writer makes. */
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Headers, pack } from "tar-stream";

export interface TarEntry extends Partial<Headers> {
  readonly name: string;
  readonly content?: string | Buffer;
}

export async function createTar(entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const { content = "", ...header } of entries) tar.entry(header, content);
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function writeArchive(file: string, entries: readonly TarEntry[]): Promise<string> {
  writeFileSync(file, gzipSync(await createTar(entries)));
  return file;
}

export const metadata: TarEntry = {
  name: "metadata.json",
  content: JSON.stringify({ createdAt: "2026-01-01T00:00:00.000Z", strapi: { version: "5.54.0" } }),
};
