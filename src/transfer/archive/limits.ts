/** What an archive may cost to read. Archives are untrusted input: sizes that they state are not relied on. */
import { Transform, type TransformCallback } from "node:stream";

export const MAX_PATH_LENGTH = 512;
/** Files with a place in an archive; media with all their formats are two entries each. */
export const MAX_ENTRIES = 3_000_000;
/** Files of rows. The reference writes one for each 256 MB. */
export const MAX_ROW_FILES = 10_000;
/** Other files, which are ignored: resource forks and the like. */
export const MAX_UNKNOWN_ENTRIES = 1_000;
/** Media files that are read before their metadata, or the reverse. The reference writes them next to each other. */
export const MAX_UNPAIRED_ASSETS = 100_000;
export const MAX_METADATA_BYTES = 1_000_000;
export const MAX_SCHEMAS_BYTES = 64_000_000;
/** Content-types and components; each costs several tables and indexes. */
export const MAX_SCHEMAS = 2_000;
/** One row of a JSONL file. */
export const MAX_LINE_BYTES = 64_000_000;
/** Components inside components. */
export const MAX_COMPONENT_DEPTH = 100;
/** Entries of components that have the id of an earlier one; they are kept in memory until all rows are there. */
export const MAX_REPEATED_COMPONENTS = 10_000;
/** Characters of these as JSON, in all. */
export const MAX_REPEATED_LENGTH = 20_000_000;
/** Types and attributes that the project does not have, which are counted by name. */
export const MAX_COUNTED_NAMES = 10_000;
/** Characters of document ids and locales. */
export const MAX_KEY_LENGTH = 255;
/** Headers of tar entries, which the reader keeps in memory until they are complete. */
const MAX_HEADER_BYTES = 8_000_000;
/** From here on, an archive must not be compressed more than `MAX_RATIO` times. */
const UNQUESTIONED_BYTES = 100_000_000;
const MAX_RATIO = 250;

/** The archive expands to more than its size justifies. */
export class ArchiveLimitError extends Error {}

/** Counts bytes on both sides of the decompression and ends a stream that grows out of proportion. */
export class ExpansionGuard {
  #compressed = 0;
  #expanded = 0;
  /** Bytes since the last entry ended, while none is being read. */
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
