/**
 * The index of SQLite's write-ahead log, which all processes that have the database open share in memory. Its header
 * changes with every commit, so that a look at it tells, without asking the database, that nobody has written since.
 */

/** Numbers of 32 bits in the header: https://sqlite.org/walformat.html#the_wal_index_header */
const HEADER_LENGTH = 12;

export class WalIndex {
  readonly #header: Uint32Array;
  #seen: Uint32Array | undefined;

  private constructor(header: Uint32Array) {
    this.#header = header;
  }

  /** Undefined where the platform or the file system does not share it. */
  static open(file: string): WalIndex | undefined {
    try {
      const { buffer, byteOffset, byteLength } = Bun.mmap(`${file}-shm`);
      if (byteLength < HEADER_LENGTH * Uint32Array.BYTES_PER_ELEMENT) return undefined;
      return new WalIndex(new Uint32Array(buffer, byteOffset, HEADER_LENGTH));
    } catch {
      return undefined;
    }
  }

  /** Remembers the state before a read: what is committed during the read counts as new afterwards. */
  see(): void {
    this.#seen = this.#header.slice();
  }

  /** Whether anybody, this process included, may have committed since `see`. */
  hasMoved(): boolean {
    const seen = this.#seen;
    if (!seen) return true;
    for (let at = 0; at < HEADER_LENGTH; at++) if (seen[at] !== this.#header[at]) return true;
    return false;
  }
}
