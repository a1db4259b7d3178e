/**
 * The number of commits of all processes of Galley that use a database, in memory that they share: a small file beside the database.
 * Reading it takes a fraction of what asking SQLite takes.
 */
import { closeSync, fstatSync, openSync, writeSync } from "node:fs";

const BYTES = Int32Array.BYTES_PER_ELEMENT;

export class CommitCounter {
  readonly #count: Int32Array;

  private constructor(count: Int32Array) {
    this.#count = count;
  }

  /** Undefined where files cannot be shared as memory, as on Windows. */
  static open(database: string): CommitCounter | undefined {
    const file = `${database}-commits`;
    try {
      const descriptor = openSync(file, "a", 0o600);
      try {
        // really written: without a block of its own, counting would end the process once the disk is full
        if (fstatSync(descriptor).size < BYTES) writeSync(descriptor, new Uint8Array(BYTES));
      } finally {
        closeSync(descriptor);
      }
      const { buffer, byteOffset } = Bun.mmap(file);
      return new CommitCounter(new Int32Array(buffer, byteOffset, 1));
    } catch {
      return undefined;
    }
  }

  get value(): number {
    return Atomics.load(this.#count, 0);
  }

  add(): void {
    Atomics.add(this.#count, 0, 1);
  }
}
