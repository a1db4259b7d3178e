/** Reads the entries of an archive, from a tar file (compressed, encrypted or plain) or an unpacked folder. */
import { createReadStream, lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { PassThrough, pipeline, type Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Extract } from "tar-stream";
import { ProjectError } from "../../lib/errors.ts";
import { decryptStream } from "./cipher.ts";
import {
  ArchiveLimitError,
  ExpansionGuard,
  MAX_ENTRIES,
  MAX_PATH_LENGTH,
  MAX_ROW_FILES,
  MAX_UNKNOWN_ENTRIES,
} from "./limits.ts";
import { normalisePath, type ParsedPath, parsePath, stages } from "./paths.ts";

export interface ArchiveEntry {
  /** Normalised, so that it is the same for the same file. */
  readonly path: string;
  readonly parsedPath: ParsedPath;
  /** Bytes. */
  readonly size: number;
  /** Can be read once, before the next entry is requested. */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface ArchiveSource {
  /** The tar file or folder. */
  readonly file: string;
  /** Generates entries, instead of reading them from `file`. */
  readonly entries?: () => AsyncGenerator<ArchiveEntry>;
  /** Entries that do not belong into an archive; 1,000. */
  readonly maxUnknown?: number;
  /** What was expected, in the message for a file that is not an archive: "a valid Strapi data file, …". */
  readonly expected?: string;
  /** The password of an encrypted archive. */
  readonly key?: string | undefined;
}

const GZIP_MAGIC = [0x1f, 0x8b];

export const refusal = (file: string, problem: string): ProjectError =>
  new ProjectError(basename(file), undefined, problem);

const DATA_FILE = "a valid Strapi data file, which is a tar file, compressed or not, or encrypted (--key)";

/** Files of a project that are taken for archives, and what brings their content in, by how they begin. */
const OTHER_FILES: readonly (readonly [beginning: string, problem: string])[] = [
  [
    "SQLite format 3\0",
    "is a SQLite database: strapi export --no-encrypt, in its project, writes an archive of its content",
  ],
  ["PK\x03\x04", "is a ZIP file: an archive is a tar file, compressed or not"],
];

async function notAnArchive({ file, key, expected = DATA_FILE }: ArchiveSource): Promise<ProjectError> {
  if (key !== undefined) return refusal(file, "the key is incorrect, or this is not a valid Strapi data file");
  for (const [beginning, problem] of OTHER_FILES)
    if (await beginsWith(file, [...Buffer.from(beginning, "latin1")])) return refusal(file, problem);
  return refusal(file, `is damaged or not complete, or is not ${expected}`);
}

/** Refuses invalid entries: links, devices, paths outside the archive, and too many entries. */
function createEntryCheck({ file, maxUnknown = MAX_UNKNOWN_ENTRIES }: ArchiveSource) {
  let entries = 0;
  let rowFiles = 0;
  let unknown = 0;

  /** Checks an entry, and classifies it. Undefined for folders. Throws a ProjectError. */
  function classify(path: string, type: string | null | undefined, size: number): ParsedPath | undefined {
    if (++entries > MAX_ENTRIES) throw refusal(file, `has more than ${MAX_ENTRIES} entries`);
    const quoted = JSON.stringify(path.slice(0, 100));
    if (path.length > MAX_PATH_LENGTH) throw refusal(file, `the name of an entry is too long: ${quoted}`);
    const parsedPath = parsePath(path);
    if (!parsedPath) throw refusal(file, `an entry leads out of the archive: ${quoted}`);
    if (!Number.isSafeInteger(size) || size < 0) throw refusal(file, `the entry ${quoted} has no valid size`);
    if (type === "directory") countUnknown();
    if (type === "directory") return undefined;
    if (type !== "file" && type !== "contiguous-file")
      throw refusal(file, `the entry ${quoted} is not a file but a ${type}`);
    if (parsedPath.kind === "unknown") countUnknown();
    if (parsedPath.kind === "rows" && ++rowFiles > MAX_ROW_FILES)
      throw refusal(file, `has more than ${MAX_ROW_FILES} files of rows`);
    return parsedPath;
  }

  function countUnknown(): void {
    if (++unknown > maxUnknown)
      throw refusal(file, `has more than ${maxUnknown} entries that do not belong into an archive`);
  }

  return { classify };
}

async function beginsWith(file: string, magic: readonly number[]): Promise<boolean> {
  const bytes = new Uint8Array(await Bun.file(file).slice(0, magic.length).arrayBuffer());
  return magic.every((byte, index) => bytes[index] === byte);
}

/** The streams that decrypt and decompress a file. Its extension says whether it is encrypted. */
async function decoders({ file, key }: ArchiveSource, guard: ExpansionGuard): Promise<Transform[]> {
  const isEncrypted = file.endsWith(".enc");
  if (isEncrypted && key === undefined) throw refusal(file, "is encrypted: --key gives the password");
  if (!isEncrypted && key !== undefined) throw refusal(file, "is not encrypted, so that it needs no key");
  const isCompressed = isEncrypted ? /gz\.enc$/.test(file) : await beginsWith(file, GZIP_MAGIC);
  return [
    ...(isEncrypted ? [decryptStream(key!)] : []),
    guard.before(),
    isCompressed ? createGunzip() : new PassThrough(),
    guard.after(),
  ];
}

/** Converts an error of these streams to a ProjectError. */
async function toProjectError(source: ArchiveSource, error: unknown): Promise<ProjectError> {
  if (error instanceof ProjectError) return error;
  if (error instanceof ArchiveLimitError) return refusal(source.file, error.message);
  return Object.assign(await notAnArchive(source), { cause: error });
}

/** The content of an entry. Reading it throws the errors of the streams before it, as ProjectErrors. */
async function* withProjectErrors(
  source: ArchiveSource,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw await toProjectError(source, error);
  }
}

/** Whether an extended header consists of records "<length> <key>=<value>\\n" with valid lengths. */
function hasValidRecords(header: Uint8Array): boolean {
  for (let offset = 0; offset < header.length && header[offset] !== 0; ) {
    const length = /^(\d{1,8}) [^=]+=/.exec(
      Buffer.from(header.subarray(offset, offset + 1_000)).toString("latin1"),
    )?.[1];
    if (length === undefined || Number(length) <= length.length + 2 || offset + Number(length) > header.length)
      return false;
    offset += Number(length);
  }
  return true;
}

/** Guards against an endless loop of tar-stream for records with a negative length. An error in the override ends the stream. */
function guardLongHeaders(tar: Extract): Extract {
  const internals = tar as unknown as {
    _header: { readonly type: string };
    _decodeLongHeader: (header: Uint8Array) => void;
  };
  const decode = internals._decodeLongHeader.bind(tar);
  internals._decodeLongHeader = (header) => {
    if (internals._header.type.startsWith("pax-") && !hasValidRecords(header))
      throw new Error("Invalid extended header");
    decode(header);
  };
  return tar;
}

async function* tarEntries(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  const { extract } = require("tar-stream") as typeof import("tar-stream");
  const { file } = source;
  const guard = new ExpansionGuard();
  const check = createEntryCheck(source);
  const tar = guardLongHeaders(extract());
  const steps = await decoders(source, guard);
  // `pipeline` passes errors of all streams to the last one, from which the loop throws them
  pipeline([createReadStream(file), ...steps, tar as unknown as NodeJS.WritableStream], () => {});
  try {
    for await (const entry of tar) {
      const { name, type, size = 0 } = entry.header;
      const path = normalisePath(name);
      const parsedPath = check.classify(path, type, size);
      const ended = new Promise((done) => entry.once("close", done));
      guard.setInEntry(true);
      if (parsedPath) yield { path, parsedPath, size, content: withProjectErrors(source, entry) };
      entry.resume();
      // content that was skipped must not count as a header
      await ended;
      guard.setInEntry(false);
    }
  } catch (error) {
    throw await toProjectError(source, error);
  } finally {
    tar.destroy();
  }
}

/** Only these entries of a folder are read: archives may be unpacked into a project folder. */
const FOLDER_ENTRIES = ["metadata.json", ...stages, "assets"];

/** A file, or all files below a folder, with paths relative to `root`. */
function* filesBelow(root: string, path: string): Generator<{ path: string; isFile: boolean }> {
  const found = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) yield { path, isFile: found.isFile() };
  else for (const name of readdirSync(join(root, path)).sort()) yield* filesBelow(root, `${path}/${name}`);
}

/** The content of a file. Opened on the first read, so that skipped files are not opened. */
export async function* readContent(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file) as AsyncIterable<Uint8Array>;
}

async function* folderEntries(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  const { file: root } = source;
  const check = createEntryCheck(source);
  for (const name of FOLDER_ENTRIES) {
    for (const { path, isFile } of filesBelow(root, name)) {
      const file = join(root, path);
      const { size } = lstatSync(file);
      const parsedPath = check.classify(path, isFile ? "file" : "link or device", size);
      if (parsedPath) yield { path, parsedPath, size, content: readContent(file) };
    }
  }
}

/** Reads an archive from the start. Throws a ProjectError for invalid archives. */
export function readEntries(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  if (source.entries) return source.entries();
  const found = statSync(source.file, { throwIfNoEntry: false });
  if (!found) throw refusal(source.file, "there is no such file or folder");
  if (found.isDirectory()) return folderEntries(source);
  if (!found.isFile()) throw refusal(source.file, "is neither a file nor a folder");
  if (found.size === 0) throw refusal(source.file, "is empty, so that it is not a valid Strapi data file");
  return tarEntries(source);
}
