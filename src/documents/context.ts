/** What every document operation works with. */

import type { Status } from "../query/reading.ts";
import type { Model } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";

export interface DocumentsContext {
  readonly storage: Storage;
  readonly model: Model;
  readonly clock: Clock;
  /** Read at each use: locales are content and may change. */
  readonly defaultLocale: () => string;
  /** Required relations and media are enforced when a version is published. */
  readonly strictRelations: boolean;
  /** Parameters with values that mean nothing are refused. */
  readonly strictParams: boolean;
}

/** Times in ISO 8601, each later than the one before, so that "modified since" can tell two writes of one millisecond apart. */
export class Clock {
  #last = 0;

  now(): string {
    this.#last = Math.max(Date.now(), this.#last + 1);
    return new Date(this.#last).toISOString();
  }
}

/** The version that is being written. */
export interface Version {
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
}
