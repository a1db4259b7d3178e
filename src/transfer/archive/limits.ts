/** Limits for reading archives, which are untrusted input: the sizes in their headers are not trusted. */
import { Transform, type TransformCallback } from "node:stream";

export const MAX_PATH_LENGTH = 512;
/** Entries of an archive. A media file and each of its formats are two entries each. */
export const MAX_ENTRIES = 3_000_000;
/** JSONL files. Strapi starts a new one every 256 MB. */
export const MAX_ROW_FILES = 10_000;
/** Unknown files, such as resource forks. They are ignored. */
export const MAX_UNKNOWN_ENTRIES = 1_000;
/** Media files without metadata so far, or vice versa. Strapi writes them next to each other. */
export const MAX_UNPAIRED_ASSETS = 100_000;
export const MAX_METADATA_BYTES = 1_000_000;
export const MAX_SCHEMAS_BYTES = 64_000_000;
/** Content-types and components. Each needs several tables and indexes. */
export const MAX_SCHEMAS = 2_000;
/** One line of a JSONL file. */
export const MAX_LINE_BYTES = 64_000_000;
/** Nesting depth of components. */
export const MAX_COMPONENT_DEPTH = 100;
/** Components with the id of an earlier one. They are kept in memory until all rows are written. */
export const MAX_REPEATED_COMPONENTS = 10_000;
/** Total length of these as JSON, in characters. */
export const MAX_REPEATED_LENGTH = 20_000_000;
/** Unknown types and attributes that are counted by name. */
export const MAX_COUNTED_NAMES = 10_000;
/** Length of document ids and locales, in characters. */
export const MAX_KEY_LENGTH = 255;
/** Size of a tar header, which is read into memory. */
const MAX_HEADER_BYTES = 8_000_000;
/** Beyond this size, an archive must not be compressed by more than `MAX_RATIO`. */
const UNQUESTIONED_BYTES = 100_000_000;
const MAX_RATIO = 250;

/** The archive exceeds a limit for decompression. */
export class ArchiveLimitError extends Error {}

/** Counts bytes before and after decompression, and fails the stream if the ratio is too high. */
export class ExpansionGuard {
  #compressed = 0;
  #expanded = 0;
  /** Bytes since the end of the last entry, while no entry is being read. */
  #header = 0;
  #isInEntry = false;

  /** Called by the reader when the content of an entry begins or ends. */
  setInEntry(isInEntry: boolean): void {
    this.#isInEntry = isInEntry;
    this.#header = 0;
  }

  readonly before = (): Transform =>
    new Transform({
      transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
        this.#compressed += chunk.length;
        done(null, chunk);
      },
    });

  readonly after = (): Transform =>
    new Transform({
      transform: (chunk: Buffer, _encoding, done: TransformCallback) => done(this.#check(chunk.length), chunk),
    });

  #check(bytes: number): ArchiveLimitError | null {
    this.#expanded += bytes;
    if (!this.#isInEntry) this.#header += bytes;
    if (this.#header > MAX_HEADER_BYTES) return new ArchiveLimitError("a header is longer than any name needs");
    if (this.#expanded > UNQUESTIONED_BYTES && this.#expanded > this.#compressed * MAX_RATIO)
      return new ArchiveLimitError(`it is compressed more than ${MAX_RATIO} times, which no content is`);
    return null;
  }
}
