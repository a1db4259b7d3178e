/** What the server serves now. It moves while the page is open: somebody else saved something, or files changed. */
import { signal } from "@preact/signals";

/** As the server's events have it. */
export interface ServedState {
  /** Another one means that the project's files were read again. */
  readonly project: string;
  /** Another one means that content may have changed. */
  readonly content: string;
}

export const served = signal<ServedState | undefined>(undefined);
