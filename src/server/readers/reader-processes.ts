/**
 * Processes that read a large database for a server. A SQLite statement blocks its process until it ends and cannot be
 * interrupted from there; a reader process blocks nobody and can be killed.
 */

import type { Environment } from "../../engine/config/env.ts";
import type { LongReads, Statement, TableIndex } from "../../engine/storage/long-reads.ts";
import { databaseBusy } from "../../engine/storage/problems.ts";
import type { Row } from "../../engine/storage/storage.ts";
import { childEnvironment } from "../../lib/child-environment.ts";
import { Semaphore } from "../../lib/semaphore.ts";
import type { ReaderRequest, ReaderResponse } from "./reader.ts";

export interface ReaderOptions {
  /** The command that starts a reader. */
  readonly command: readonly string[];
  readonly environment: Environment;
  /** Maximum time of a statement; 60,000. */
  readonly readMs?: number;
  /** Maximum time that a statement waits for a process; 10,000. */
  readonly waitMs?: number;
}

const PROCESSES = 2;
/** An idle process ends after this time. */
const IDLE_MS = 30_000;
const READ_MS = 60_000;
const WAIT_MS = 10_000;
const INDEX_MS = 3_600_000;
/** Maximum number of queued statements; more are refused. */
const MAX_PENDING = 100;

/** A process. It ends when it was idle for `IDLE_MS`, and with a statement that takes too long; `onEnd` is called then. */
class Reader {
  readonly #child: Bun.Subprocess;
  readonly #onEnd: () => void;
  #pending: PromiseWithResolvers<ReaderResponse> | undefined;
  #idleTimer: Timer | undefined;

  constructor({ command, environment }: ReaderOptions, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#child = Bun.spawn([...command], {
      stdio: ["ignore", "ignore", "inherit"],
      env: childEnvironment(environment),
      serialization: "advanced",
      ipc: (message: ReaderResponse) => this.#pending?.resolve(message),
      onExit: (_, code, signal) => {
        onEnd();
        const cause = (signal as string | null) === "SIGKILL" ? ", perhaps since memory is short" : "";
        this.#pending?.reject(new Error(`a process that reads ended with ${signal ?? code}${cause}`));
      },
    });
    // never keeps the server alive
    this.#child.unref();
  }

  get isBusy(): boolean {
    return this.#pending !== undefined;
  }

  /** Kills the process after `milliseconds` and rejects with a ServiceUnavailableError. */
  async run(message: ReaderRequest, milliseconds: number): Promise<ReaderResponse> {
    clearTimeout(this.#idleTimer);
    const pending = Promise.withResolvers<ReaderResponse>();
    this.#pending = pending;
    const timer = setTimeout(() => {
      pending.reject(databaseBusy());
      this.end();
    }, milliseconds);
    try {
      this.#child.send(message);
      return await pending.promise;
    } finally {
      clearTimeout(timer);
      this.#pending = undefined;
      this.#idleTimer = setTimeout(() => this.end(), IDLE_MS);
      this.#idleTimer.unref();
    }
  }

  end(): void {
    this.#onEnd();
    clearTimeout(this.#idleTimer);
    this.#child.kill("SIGKILL");
  }
}

export class ReaderProcesses implements LongReads {
  readonly #file: string;
  readonly #options: ReaderOptions;
  readonly #semaphore = new Semaphore(PROCESSES);
  readonly #readers = new Set<Reader>();
  /** Indexes are created one after another: they would wait for each other's lock. */
  readonly #indexes = new Semaphore(1);
  #isClosed = false;

  constructor(file: string, options: ReaderOptions) {
    this.#file = file;
    this.#options = options;
  }

  async read({ sql, params }: Statement): Promise<readonly Row[]> {
    if (this.#semaphore.waiting >= MAX_PENDING) throw databaseBusy();
    const { readMs = READ_MS, waitMs = WAIT_MS } = this.#options;
    const deadline = performance.now() + waitMs;
    const response = await this.#run({ kind: "read", file: this.#file, sql, params }, readMs, deadline);
    return response.kind === "rows" ? response.rows : [];
  }

  createIndex({ table, name, columns }: TableIndex): Promise<boolean> {
    const message: ReaderRequest = { kind: "createIndex", file: this.#file, table, name, columns };
    return this.#indexes.run(1, async () => {
      const response = await this.#run(message, INDEX_MS);
      return response.kind === "index" && response.isCreated;
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.end();
  }

  /** Rejects with a ServiceUnavailableError if it cannot start by `deadline`, in milliseconds of `performance.now()`. */
  #run(message: ReaderRequest, milliseconds: number, deadline = Number.POSITIVE_INFINITY): Promise<ReaderResponse> {
    return this.#semaphore.run(1, async () => {
      if (this.#isClosed || performance.now() > deadline) throw databaseBusy();
      const reader = this.#readers.values().find(({ isBusy }) => !isBusy) ?? this.#start();
      const response = await reader.run(message, milliseconds);
      if (response.kind === "failed") throw new Error(response.message);
      return response;
    });
  }

  #start(): Reader {
    const reader = new Reader(this.#options, () => this.#readers.delete(reader));
    this.#readers.add(reader);
    return reader;
  }
}
