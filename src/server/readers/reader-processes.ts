/**
 * Processes that read a large database for a server. SQLite runs a statement without a break, and cannot be stopped from the
 * same process; a process of its own blocks nobody and can be killed.
 */
import type { Environment } from "../../config/env.ts";
import { Semaphore } from "../../semaphore.ts";
import type { LongReads, Statement, TableIndex } from "../../storage/long-reads.ts";
import { databaseBusy } from "../../storage/problems.ts";
import type { Row } from "../../storage/storage.ts";
import type { FromReader, ToReader } from "./messages.ts";

export interface ReaderOptions {
  /** The command that starts a reader. */
  readonly command: readonly string[];
  readonly environment: Environment;
  /** The longest time that a statement takes; 60,000. */
  readonly readMs?: number;
  /** The longest time that a statement waits for a process; 10,000. */
  readonly waitMs?: number;
}

const PROCESSES = 2;
/** A process without work ends after this time. */
const IDLE_MS = 30_000;
const READ_MS = 60_000;
const WAIT_MS = 10_000;
const INDEX_MS = 3_600_000;
/** Statements that wait; more are refused. */
const MAX_WAITING = 100;

class Reader {
  readonly #child: Bun.Subprocess;
  #pending: PromiseWithResolvers<FromReader> | undefined;
  #idleTimer: Timer | undefined;
  isEnded = false;

  constructor({ command, environment }: ReaderOptions) {
    this.#child = Bun.spawn([...command], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...environment },
      serialization: "advanced",
      ipc: (message: FromReader) => this.#pending?.resolve(message),
      onExit: (_, code, signal) => {
        this.isEnded = true;
        this.#pending?.reject(new Error(`a process that reads ended with ${signal ?? code}`));
      },
    });
    // never keeps the server alive
    this.#child.unref();
  }

  /** Kills the process after `milliseconds`; rejects with ServiceUnavailableError then. */
  async run(message: ToReader, milliseconds: number): Promise<FromReader> {
    clearTimeout(this.#idleTimer);
    const pending = Promise.withResolvers<FromReader>();
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

  /** Calls `onEnd` once the process has had no work for a while, and was ended. */
  rest(onEnd: () => void): void {
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
  readonly #turns = new Semaphore(PROCESSES);
  readonly #readers = new Set<Reader>();
  readonly #idle: Reader[] = [];
  /** The index that is created last: they would wait for each other's lock. */
  #lastIndex: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(file: string, options: ReaderOptions) {
    this.#file = file;
    this.#options = options;
  }

  async read({ sql, params }: Statement): Promise<readonly Row[]> {
    if (this.#turns.waiting >= MAX_WAITING) throw databaseBusy();
    const { readMs = READ_MS, waitMs = WAIT_MS } = this.#options;
    const startBy = performance.now() + waitMs;
    const answer = await this.#run({ kind: "read", file: this.#file, sql, params }, readMs, startBy);
    return answer.kind === "rows" ? answer.rows : [];
  }

  createIndex({ table, name, columns }: TableIndex): Promise<boolean> {
    const message: ToReader = { kind: "createIndex", file: this.#file, table, name, columns };
    const created = this.#lastIndex.then(async () => {
      const answer = await this.#run(message, INDEX_MS);
      return answer.kind === "index" && answer.isCreated;
    });
    this.#lastIndex = created.catch(() => undefined);
    return created;
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.end();
  }

  /** `startBy`: refused with ServiceUnavailableError when its turn comes later; in milliseconds of `performance.now()`. */
  #run(message: ToReader, milliseconds: number, startBy = Number.POSITIVE_INFINITY): Promise<FromReader> {
    return this.#turns.run(1, async () => {
      if (this.#isClosed || performance.now() > startBy) throw databaseBusy();
      const reader = this.#take();
      try {
        const answer = await reader.run(message, milliseconds);
        if (answer.kind === "failed") throw new Error(answer.message);
        return answer;
      } finally {
        this.#release(reader);
      }
    });
  }

  #take(): Reader {
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
    reader.rest(() => {
      this.#readers.delete(reader);
    });
  }
}
