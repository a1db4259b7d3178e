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

class Reader {
  readonly #child: Bun.Subprocess;
  #pending: PromiseWithResolvers<ReaderResponse> | undefined;
  #idleTimer: Timer | undefined;
  isEnded = false;

  constructor({ command, environment }: ReaderOptions) {
    this.#child = Bun.spawn([...command], {
      stdio: ["ignore", "ignore", "inherit"],
      env: childEnvironment(environment),
      serialization: "advanced",
      ipc: (message: ReaderResponse) => this.#pending?.resolve(message),
      onExit: (_, code, signal) => {
        this.isEnded = true;
        this.#pending?.reject(new Error(`a process that reads ended with ${signal ?? code}`));
      },
    });
    // never keeps the server alive
    this.#child.unref();
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
    }
  }

  /** Ends the process after `IDLE_MS` and calls `onEnd`, unless it runs a statement before. */
  endWhenIdle(onEnd: () => void): void {
    this.#idleTimer = setTimeout(() => {
      this.end();
      onEnd();
    }, IDLE_MS);
    this.#idleTimer.unref();
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.#idleTimer);
    this.#child.kill("SIGKILL");
  }
}

export class ReaderProcesses implements LongReads {
  readonly #file: string;
  readonly #options: ReaderOptions;
  readonly #semaphore = new Semaphore(PROCESSES);
  readonly #readers = new Set<Reader>();
  readonly #idle: Reader[] = [];
  /** Indexes are created one after another: they would wait for each other's lock. */
  #lastIndex: Promise<unknown> = Promise.resolve();
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
    const created = this.#lastIndex.then(async () => {
      const response = await this.#run(message, INDEX_MS);
      return response.kind === "index" && response.isCreated;
    });
    this.#lastIndex = created.catch(() => undefined);
    return created;
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.end();
  }

  /** Rejects with a ServiceUnavailableError if it cannot start by `deadline`, in milliseconds of `performance.now()`. */
  #run(message: ReaderRequest, milliseconds: number, deadline = Number.POSITIVE_INFINITY): Promise<ReaderResponse> {
    return this.#semaphore.run(1, async () => {
      if (this.#isClosed || performance.now() > deadline) throw databaseBusy();
      const reader = this.#acquire();
      try {
        const response = await reader.run(message, milliseconds);
        if (response.kind === "failed") throw new Error(response.message);
        return response;
      } finally {
        this.#release(reader);
      }
    });
  }

  #acquire(): Reader {
    for (let reader = this.#idle.pop(); reader; reader = this.#idle.pop()) {
      if (!reader.isEnded) return reader;
      this.#readers.delete(reader);
    }
    const reader = new Reader(this.#options);
    this.#readers.add(reader);
    return reader;
  }

  #release(reader: Reader): void {
    if (reader.isEnded || this.#isClosed) {
      this.#readers.delete(reader);
      return;
    }
    this.#idle.push(reader);
    reader.endWhenIdle(() => {
      this.#readers.delete(reader);
    });
  }
}
