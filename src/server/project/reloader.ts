import type { FileProblem } from "../content-sync/problems.ts";

/** Reloads a served project. */
export interface Reloader {
  /**
   * Serves the project's files as they are now. Resolves with the error if they cannot be served. `written`: those that the caller has
   * written for it, relative to the project.
   */
  reload?: (written?: readonly string[]) => Promise<Error | undefined>;
  /** Why changed files are not served; undefined if they are. */
  problem?: () => string | undefined;
  /** Set if `content/` is synchronised; undefined before the first synchronisation begins. */
  contentSync?: () => RunningContentSync | undefined;
}

export interface ContentSyncOutcome {
  readonly problems: readonly FileProblem[];
  /** What git has to finish before anything is synchronised. */
  readonly waitsFor?: string | undefined;
}

export interface RunningContentSync {
  /** Because of which changed files are not served. */
  readonly problems: readonly FileProblem[];
  /** What is served otherwise than files say. */
  readonly warnings: readonly FileProblem[];
  /** Synchronises until nothing is left to do. Resolves with undefined if it failed. */
  sync(): Promise<ContentSyncOutcome | undefined>;
  /** Until `resume`, nothing is synchronised. Resolves when no synchronisation is running. */
  pause(): Promise<void>;
  resume(): void;
}
