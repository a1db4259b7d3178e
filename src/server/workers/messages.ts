/** Messages between the main process and its workers. */
import type { ProjectSource } from "../project-source.ts";

/** Everything that a worker must know to serve. */
export interface WorkerSetup {
  /** From 1; names the worker in what it prints. */
  readonly number: number;
  readonly root: string;
  /** A published archive is served in the place of a project: each root is another one. */
  readonly isPublished: boolean;
  readonly port: number;
  readonly host: string;
  /** Where clients reach the server; for links in mails. */
  readonly address: string;
  readonly publicRead: boolean;
  readonly admin: boolean;
  readonly quiet: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type ToWorker =
  | { readonly kind: "start"; readonly setup: WorkerSetup; readonly source: ProjectSource }
  | { readonly kind: "reload"; readonly root: string; readonly source: ProjectSource }
  /** The tables are about to change: read what is there now, until there is something to reload or nothing has changed. */
  | { readonly kind: "pin" }
  | { readonly kind: "unpin" }
  | { readonly kind: "counted"; readonly id: number; readonly count: number; readonly until: number }
  | { readonly kind: "stop" };

export type ToMain =
  | { readonly kind: "listening" }
  /** The answer to "pin". */
  | { readonly kind: "pinned" }
  /** The answer to "reload", once the files of an earlier root are not needed any more. */
  | { readonly kind: "reloaded"; readonly root: string }
  /** The worker cannot serve, and ends. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "count"; readonly id: number; readonly key: string; readonly interval: number };
