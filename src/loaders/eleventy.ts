/** For Eleventy: a plugin with global data of documents, which asks a Galley or Strapi server for what has changed. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject, RequestError, type Server } from "./client.ts";
import type { Source } from "./documents.ts";
import { type Document, isDocument } from "./stamps.ts";
import { sync } from "./sync.ts";

export type { Document, Server, Source };
export { RequestError };

/** What is used of Eleventy's configuration. */
interface EleventyConfig {
  addGlobalData(name: string, data: () => Promise<unknown>): void;
}

export interface PluginOptions extends Server {
  /** By the names that templates know their documents by. */
  readonly data: Readonly<Record<string, Source>>;
  /** Where documents are kept between builds: ".cache/galley". */
  readonly folder?: string | undefined;
}

const FOLDER = ".cache/galley";

interface Kept {
  readonly state: string | undefined;
  /** By their keys. */
  readonly documents: ReadonlyMap<string, Document>;
}

const nothing: Kept = { state: undefined, documents: new Map() };

async function readKept(file: string): Promise<Kept> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return nothing;
    throw error;
  }
  const kept: unknown = JSON.parse(text);
  if (!isObject(kept) || typeof kept.state !== "string" || !isObject(kept.documents)) return nothing;
  const documents = Object.entries(kept.documents).filter((entry): entry is [string, Document] => isDocument(entry[1]));
  return { state: kept.state, documents: new Map(documents) };
}

/** A build that is stopped leaves what there was. */
async function writeKept(file: string, { state, documents }: Kept): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, JSON.stringify({ state, documents: Object.fromEntries(documents) }));
  await rename(unfinished, file);
}

/**
 * A list of documents, in the order of their ids; of a single type its document, or null. Rejects as `sync`, and if `file`, where documents
 * are kept, cannot be read or written.
 */
export async function readDocuments(
  source: Source & Server,
  file: string,
): Promise<readonly Document[] | Document | null> {
  const kept = await readKept(file);
  const { documents, removed, state } = await sync(source, source, kept.state);
  const all = new Map([...kept.documents, ...documents]);
  for (const key of removed) all.delete(key);
  await writeKept(file, { state, documents: all });
  const sorted = [...all].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, document]) => document);
  return source.single ? (sorted[0] ?? null) : sorted;
}

/** To be passed to `addPlugin`, with options. */
export function strapiPlugin(config: EleventyConfig, { data, folder = FOLDER, ...server }: PluginOptions): void {
  for (const [name, source] of Object.entries(data))
    config.addGlobalData(name, () => readDocuments({ ...server, ...source }, join(folder, `${name}.json`)));
}
