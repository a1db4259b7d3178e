/** Reads a backup into a folder, and compares everything with its checksums. */
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { ensureKnownFormat } from "../../engine/storage/format.ts";
import { openReadOnly } from "../../engine/storage/open-read-only.ts";
import { tryParseJson } from "../../lib/coerce.ts";
import type { ProjectError } from "../../lib/errors.ts";
import type { Progress } from "../../lib/progress.ts";
import { type ArchiveEntry, readEntries, refusal } from "../../transfer/archive/entries.ts";
import { MAX_ENTRIES } from "../../transfer/archive/limits.ts";
import { readAll } from "../../transfer/archive/lines.ts";
import { DATABASE, databaseProblem, FORMAT, isContentPath, MANIFEST, SECRETS, uploadName } from "./backup-file.ts";

const Manifest = Type.Object({
  format: Type.Integer(),
  galley: Type.String(),
  createdAt: Type.String(),
  files: Type.Record(Type.String(), Type.Object({ bytes: Type.Integer(), sha256: Type.String() })),
});

/** A list of a million uploads. */
const MAX_MANIFEST_BYTES = 200_000_000;

export interface ExtractedBackup {
  readonly createdAt: string;
  /** The database, which is whole. */
  readonly database: string;
  /** Undefined: the project had none, since they are in its environment. */
  readonly secrets: string | undefined;
  /** The paths of uploads by name. */
  readonly uploads: ReadonlyMap<string, string>;
  /** The paths of content files by their path in the project. */
  readonly content: ReadonlyMap<string, string>;
}

interface Checksum {
  readonly bytes: number;
  readonly sha256: string;
}

/** Called with the number of bytes that were read. */
type Take = (bytes: number) => void;

async function hashEntry(
  { content }: ArchiveEntry,
  take: Take,
  write?: (chunk: Uint8Array) => Promise<void>,
): Promise<Checksum> {
  const hasher = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  for await (const chunk of content) {
    take(chunk.length);
    hasher.update(chunk);
    bytes += chunk.length;
    await write?.(chunk);
  }
  return { bytes, sha256: hasher.digest("hex") };
}

async function writeEntry(entry: ArchiveEntry, path: string, take: Take): Promise<Checksum> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "wx", 0o600);
  try {
    return await hashEntry(entry, take, (chunk) => file.writeFile(chunk));
  } finally {
    await file.close();
  }
}

async function readManifest({ content }: ArchiveEntry, refuse: (problem: string) => ProjectError) {
  const text = await readAll(content, MAX_MANIFEST_BYTES, () => refuse("has a list of files that is too long"));
  const value = tryParseJson(text);
  if (value === undefined) throw refuse("is damaged: its list of files is not valid JSON");
  if (!Value.Check(Manifest, value)) throw refuse("is damaged: its list of files is not complete");
  if (value.format !== FORMAT)
    throw refuse(`was made by Galley ${value.galley}, in a format that this version cannot read`);
  return value;
}

interface ReadOptions {
  readonly progress?: Progress | undefined;
  /** Of all files together. */
  readonly maxBytes?: number;
}

/** Calls `read` with each file, and compares them with the list of the backup. Rejects with a ProjectError. */
async function readBackup(
  file: string,
  read: (entry: ArchiveEntry, take: Take) => Promise<Checksum>,
  { progress, maxBytes = Number.POSITIVE_INFINITY }: ReadOptions,
): Promise<{ createdAt: string; paths: readonly string[] }> {
  const refuse = (problem: string): ProjectError => refusal(file, problem);
  const found = new Map<string, Checksum>();
  let manifest: Static<typeof Manifest> | undefined;
  let checked = 0;
  const take = (bytes: number): void => {
    checked += bytes;
    if (checked > maxBytes) throw refuse("has more in it than there is room for on the disk");
    progress?.("MB checked", Math.floor(checked / 1e6));
  };
  for await (const entry of readEntries({
    file,
    maxUnknown: MAX_ENTRIES,
    expected: "a backup, which galley backup writes",
  })) {
    const { path } = entry;
    if (path === MANIFEST) {
      manifest = await readManifest(entry, refuse);
      continue;
    }
    if (path !== DATABASE && path !== SECRETS && uploadName(path) === undefined && !isContentPath(path))
      throw refuse(`is not a backup: it has ${path} (galley import reads archives)`);
    if (found.has(path)) throw refuse(`is damaged: it has ${path} twice`);
    found.set(path, await read(entry, take));
  }
  if (!manifest) throw refuse("is not a backup, or is not complete: galley import reads archives of strapi export");
  for (const [path, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const is = found.get(path);
    if (!is) throw refuse(`is damaged: ${path} is missing`);
    if (is.bytes !== bytes || is.sha256 !== sha256) throw refuse(`is damaged: ${path} is not what was saved`);
  }
  const paths = [...found.keys()];
  const surplus = paths.find((path) => !Object.hasOwn(manifest.files, path));
  if (surplus !== undefined) throw refuse(`is damaged: ${surplus} is not in its list of files`);
  return { createdAt: manifest.createdAt, paths };
}

/** Throws a ProjectError, which names the backup, for a database of another version that would not be served. */
function expectKnownFormat(database: string, file: string): void {
  using db = openReadOnly(database);
  ensureKnownFormat(db, file);
}

/** Writes nothing, since the disk may have no room for another copy. Rejects with a ProjectError for a file that is damaged. */
export async function checkBackup(file: string, progress: Progress | undefined): Promise<void> {
  await readBackup(file, hashEntry, { progress });
}

/**
 * The folder must not have any of its files. Rejects with a ProjectError for a file that is damaged, incomplete, or not a backup, and for
 * one whose files have more bytes together than `maxBytes`.
 */
export async function extractBackup(
  file: string,
  folder: string,
  progress: Progress | undefined,
  maxBytes?: number,
): Promise<ExtractedBackup> {
  const target = (path: string): string => {
    const upload = uploadName(path);
    return join(folder, upload === undefined ? path : join("uploads", upload));
  };
  const write = (entry: ArchiveEntry, take: Take) => writeEntry(entry, target(entry.path), take);
  const { createdAt, paths } = await readBackup(file, write, { progress, maxBytes });
  const database = target(DATABASE);
  const problem = paths.includes(DATABASE) ? databaseProblem(database) : "it is missing";
  if (problem !== undefined) throw refusal(file, `is damaged: the database: ${problem}`);
  expectKnownFormat(database, file);
  const uploads = paths.filter((path) => uploadName(path) !== undefined);
  return {
    createdAt,
    database,
    secrets: paths.includes(SECRETS) ? target(SECRETS) : undefined,
    uploads: new Map(uploads.map((path) => [uploadName(path)!, target(path)])),
    content: new Map(paths.filter(isContentPath).map((path) => [path, target(path)])),
  };
}
