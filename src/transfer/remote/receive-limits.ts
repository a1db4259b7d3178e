/**
 * Limits for what a server sends in a pull, since it may never end. They are far above the size of real content, and low enough to
 * protect memory and disk.
 */
import { MAX_ENTRIES } from "../archive/limits.ts";

export interface ReceiveLimits {
  /** Number of rows in all stages: documents, links and settings. */
  readonly rows: number;
  /** Number of media files, including formats. */
  readonly files: number;
  /** Length of the records of media files, in characters. They are kept in memory until all documents are read. */
  readonly records: number;
  /** Number of media files received concurrently; each is an open file. */
  readonly "files at once": number;
  /** Total size. */
  readonly bytes: number;
}

const receiveLimits: ReceiveLimits = {
  rows: 20_000_000,
  // each takes two entries of an archive
  files: MAX_ENTRIES / 2,
  records: 500_000_000,
  "files at once": 200,
  bytes: 2e12,
};

const labels: Readonly<Record<keyof ReceiveLimits, string>> = {
  rows: "rows",
  files: "media files",
  records: "characters of records of media files",
  "files at once": "media files at once",
  bytes: "bytes",
};

export class ReceiveBudget {
  readonly #limits: ReceiveLimits;
  readonly #failure: (reason: string) => Error;
  readonly #received = { rows: 0, files: 0, records: 0, "files at once": 0, bytes: 0 };

  /** `failure` creates the error for an exceeded limit. */
  constructor(failure: (reason: string) => Error, limits: Partial<ReceiveLimits> = {}) {
    this.#failure = failure;
    this.#limits = { ...receiveLimits, ...limits };
  }

  take(name: keyof ReceiveLimits, amount = 1): void {
    this.#received[name] += amount;
    const limit = this.#limits[name];
    if (this.#received[name] > limit) throw this.#failure(`sends more than ${limit} ${labels[name]}`);
  }

  /** Releases one unit, such as a file that has been received. */
  release(name: keyof ReceiveLimits): void {
    this.#received[name]--;
  }
}
