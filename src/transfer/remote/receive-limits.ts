/**
 * What a server may send in a pull: it is not relied on to come to an end. The numbers are far beyond what content has; what is
 * counted in memory is bounded before it fills it.
 */
import { MAX_ENTRIES } from "../archive/limits.ts";

export interface ReceiveLimits {
  /** Rows of all stages: documents, links and settings. */
  readonly rows: number;
  /** Media files, formats included. */
  readonly files: number;
  /** Characters of the records of media files, which are in memory until all documents are there. */
  readonly records: number;
  /** Media files that are being received at the same time: each is an open file. */
  readonly "files at once": number;
  /** Of everything. */
  readonly bytes: number;
}

export const receiveLimits: ReceiveLimits = {
  rows: 20_000_000,
  // two entries of an archive each
  files: MAX_ENTRIES / 2,
  records: 500_000_000,
  "files at once": 200,
  bytes: 2e12,
};

const words: Readonly<Record<keyof ReceiveLimits, string>> = {
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

  /** `failure` makes the error that is thrown beyond a limit. */
  constructor(failure: (reason: string) => Error, limits: Partial<ReceiveLimits> = {}) {
    this.#failure = failure;
    this.#limits = { ...receiveLimits, ...limits };
  }

  take(name: keyof ReceiveLimits, amount = 1): void {
    this.#received[name] += amount;
    const most = this.#limits[name];
    if (this.#received[name] > most) throw this.#failure(`sends more than ${most} ${words[name]}`);
  }

  /** For what is over, such as a file that was received. */
  release(name: keyof ReceiveLimits): void {
    this.#received[name]--;
  }
}
