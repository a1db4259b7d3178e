/** What every document operation works with. */

import type { Status } from "../query/read-context.ts";
import type { Model } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";
import type { IdSource } from "./ids.ts";
import type { DocumentCodeSlot, RowHooks } from "./own-code.ts";

export interface DocumentsContext {
  readonly storage: Storage;
  readonly model: Model;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Read at each use: locales are content and may change. */
  readonly defaultLocale: () => string;
  /** Required relations and media are enforced when a version is published. */
  readonly strictRelations: boolean;
  /** Parameters with values that mean nothing are refused. */
  readonly strictParams: boolean;
  /** Set for callers of a project with code: what they ask for goes through that code. */
  readonly code?: DocumentCodeSlot;
  /** Set for the code itself: its hooks run around each row that is written. */
  readonly rowHooks?: RowHooks;
}

/** Clocks of the processes of one machine are no further apart; a document from elsewhere may be of any time. */
const AHEAD_MS = 1000;

/**
 * Times in ISO 8601, each later than the one before, so that "modified since" can tell two writes of one millisecond apart.
 * A clock that was set back is followed: nothing is dated in the future until it has caught up.
 */
export class Clock {
  #last = 0;

  /** The next time is also later than this one, which another process has written. */
  follow(written: string): void {
    const time = Date.parse(written);
    if (time > this.#last && time < Date.now() + AHEAD_MS) this.#last = time;
  }

  now(): string {
    const time = Date.now();
    this.#last = this.#last < time || this.#last > time + AHEAD_MS ? time : this.#last + 1;
    return new Date(this.#last).toISOString();
  }
}

/** The version that is being written. */
export interface Version {
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
}
