/**
 * Reads a whole archive before anything is changed: checks that it is complete and valid, and collects its schemas.
 */
import { tryParseJson } from "../../lib/coerce.ts";
import { MAX_DEPTH, measureDepth } from "../../lib/depth.ts";
import type { ProjectError } from "../../lib/errors.ts";
import { type ArchiveEntry, type ArchiveSource, readEntries, refusal } from "./entries.ts";
import { MAX_KEY_LENGTH, MAX_METADATA_BYTES, MAX_SCHEMAS, MAX_SCHEMAS_BYTES, MAX_UNPAIRED_ASSETS } from "./limits.ts";
import { readAll, readLines } from "./lines.ts";
import { isAssetName, type Stage } from "./paths.ts";
import {
  type ArchiveMetadata,
  type ArchiveSchema,
  assetProblem,
  coreStoreRow,
  isMetadata,
  isSchema,
} from "./shapes.ts";

export interface Survey {
  readonly metadata: ArchiveMetadata;
  /** By uid, including the types of Strapi's admin. */
  readonly schemas: ReadonlyMap<string, ArchiveSchema>;
  /** The stages that have rows. */
  readonly stages: ReadonlySet<Stage>;
  readonly assets: number;
  /** Whether all entities come before all links, as Strapi writes them. */
  readonly isOrdered: boolean;
  /** Values of Strapi's key-value store that affect how an archive is served, by key. */
  readonly settings: ReadonlyMap<string, unknown>;
  /** Total size of the content, for progress reports. */
  readonly bytes: number;
}

type Refuse = (problem: string) => ProjectError;

/** Checks that each media file has metadata. The two entries may come in either order. */
class AssetPairs {
  readonly #refuse: Refuse;
  readonly #unpaired = new Map<string, "asset" | "asset-metadata">();
  count = 0;

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  add(name: string, kind: "asset" | "asset-metadata"): void {
    if (!isAssetName(name)) throw this.#refuse(`no media file can be named ${JSON.stringify(name.slice(0, 100))}`);
    if (kind === "asset") this.count++;
    const other = this.#unpaired.get(name);
    if (other === kind) throw this.#refuse(`has the media file ${JSON.stringify(name)} twice`);
    if (other === undefined) this.#unpaired.set(name, kind);
    else this.#unpaired.delete(name);
    if (this.#unpaired.size > MAX_UNPAIRED_ASSETS) throw this.#refuse("has too many media files without metadata");
  }

  /**
   * Metadata without a file is accepted: the source had lost the file. Throws for a file without metadata, except in archives of
   * version 4.
   */
  finish({ strapi }: ArchiveMetadata): void {
    if (strapi.version.startsWith("4.")) return;
    for (const [name, kind] of this.#unpaired)
      if (kind === "asset") throw this.#refuse(`has no metadata for the media file ${JSON.stringify(name)}`);
  }
}

async function readSchemas(entry: ArchiveEntry, refuse: Refuse, schemas: Map<string, ArchiveSchema>): Promise<void> {
  if (entry.size > MAX_SCHEMAS_BYTES) throw refuse(`${entry.path} is too large for schemas`);
  for await (const { value, location } of readLines(entry.path, entry.content, refuse)) {
    if (!isSchema(value)) throw refuse(`${location} is not a schema`);
    if (value.uid.length > MAX_KEY_LENGTH) throw refuse(`${location}: the uid is too long`);
    if (measureDepth(value) > MAX_DEPTH)
      throw refuse(`${location}: the schema is nested deeper than ${MAX_DEPTH} levels`);
    schemas.set(value.uid, value);
    if (schemas.size > MAX_SCHEMAS) throw refuse(`has more than ${MAX_SCHEMAS} schemas`);
  }
}

/** Keys of the key-value store that are needed before the import. */
const SURVEYED_SETTINGS: ReadonlySet<string> = new Set(["plugin_users-permissions_advanced"]);

async function readSettings(entry: ArchiveEntry, refuse: Refuse, settings: Map<string, unknown>): Promise<void> {
  for await (const { value } of readLines(entry.path, entry.content, refuse)) {
    const row = coreStoreRow(value);
    if (row && SURVEYED_SETTINGS.has(row.key)) settings.set(row.key, row.value);
  }
}

/** A small JSON file. Throws a ProjectError for one that is too large or not JSON. */
async function readJson({ path, content }: ArchiveEntry, refuse: Refuse): Promise<unknown> {
  const value = tryParseJson(await readAll(content, MAX_METADATA_BYTES, () => refuse(`${path} is too large`)));
  if (value === undefined) throw refuse(`${path} is not valid JSON`);
  return value;
}

async function readMetadata(entry: ArchiveEntry, refuse: Refuse): Promise<ArchiveMetadata> {
  const value = await readJson(entry, refuse);
  if (!isMetadata(value)) throw refuse("is not a valid Strapi data file: its metadata.json has no version of Strapi");
  return value;
}

async function checkAsset(entry: ArchiveEntry, name: string, refuse: Refuse): Promise<void> {
  const problem = assetProblem(await readJson(entry, refuse), name);
  if (problem) throw refuse(`${entry.path} ${problem}`);
}

async function drain(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}

/** Rejects with a ProjectError for an incomplete or invalid archive. */
export async function surveyArchive(source: ArchiveSource): Promise<Survey> {
  const refuse: Refuse = (problem) => refusal(source.file, problem);
  const schemas = new Map<string, ArchiveSchema>();
  const settings = new Map<string, unknown>();
  const paths = new Set<string>();
  const stages = new Set<Stage>();
  const assets = new AssetPairs(refuse);
  let metadata: ArchiveMetadata | undefined;
  let bytes = 0;
  let isOrdered = true;
  for await (const entry of readEntries(source)) {
    const { parsedPath, path, size } = entry;
    bytes += size;
    if (parsedPath.kind === "metadata" || parsedPath.kind === "rows") {
      if (paths.has(path)) throw refuse(`has ${path} twice`);
      paths.add(path);
    }
    if (parsedPath.kind === "metadata") metadata = await readMetadata(entry, refuse);
    else if (parsedPath.kind === "rows") {
      if (parsedPath.stage === "entities" && stages.has("links")) isOrdered = false;
      stages.add(parsedPath.stage);
      if (parsedPath.stage === "schemas") await readSchemas(entry, refuse, schemas);
      else if (parsedPath.stage === "configuration") await readSettings(entry, refuse, settings);
      else await drain(entry.content);
    } else if (parsedPath.kind === "asset-metadata") {
      assets.add(parsedPath.name, parsedPath.kind);
      await checkAsset(entry, parsedPath.name, refuse);
    } else {
      if (parsedPath.kind === "asset") assets.add(parsedPath.name, parsedPath.kind);
      await drain(entry.content);
    }
  }
  if (!metadata)
    throw refuse("is not a valid Strapi data file: it has no metadata.json (galley restore reads backups)");
  assets.finish(metadata);
  return { metadata, schemas, stages, assets: assets.count, isOrdered, settings, bytes };
}
