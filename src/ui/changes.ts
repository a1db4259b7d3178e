/** The versions of the project and of its content that the server reports. Both change while the page is open. */
import { signal } from "@preact/signals";

/** The payload of a server-sent event. */
export interface ServedState {
  /** Differs after the project's files were reloaded. */
  readonly project: string;
  /** Differs when content may have changed. */
  readonly content: string;
  /** Differs when problems of content files, or the last commit, may have changed. */
  readonly files: string;
  /** Why changed files of the project are not served. */
  readonly problem?: string;
}

/** Incremented when the server responds again, after it did not. */
export const reconnections = signal(0);

export const served = signal<ServedState | undefined>(undefined);
