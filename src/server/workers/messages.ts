/** Messages between the main process and its workers. */
import type { ProjectSource } from "../project/project-source.ts";

/** Options that a worker needs to serve. */
export interface WorkerSetup {
  /** From 1; the worker's name in its output. */
  readonly number: number;
  readonly root: string;
  /** Whether published archives are served instead of a project; each version has its own root. */
  readonly isPublished: boolean;
  readonly port: number;
  readonly host: string;
  /** URL of the server, for links in mails. */
  readonly address: string;
  readonly publicRead: boolean;
  readonly admin: boolean;
  readonly quiet: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type ToWorker =
  | { readonly kind: "start"; readonly setup: WorkerSetup; readonly source: ProjectSource }
  | { readonly kind: "reload"; readonly root: string; readonly source: ProjectSource }
  /** The tables are about to change: read from the current snapshot until "reload" or "unpin". */
  | { readonly kind: "pin" }
  | { readonly kind: "unpin" }
  | { readonly kind: "ping" }
  | { readonly kind: "counted"; readonly id: number; readonly count: number; readonly until: number }
  | { readonly kind: "stop" };

export type ToMain =
  | { readonly kind: "listening" }
  /** Reply to "ping". */
  | { readonly kind: "pong" }
  /** Reply to "pin". */
  | { readonly kind: "pinned" }
  /** Reply to "reload", once the files of earlier roots are no longer needed. */
  | { readonly kind: "reloaded"; readonly root: string }
  /** The worker cannot serve, and exits. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "count"; readonly id: number; readonly key: string; readonly interval: number };
