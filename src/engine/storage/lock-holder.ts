/**
 * The process that holds the database's lock for long. It names itself in a file beside the database, which a thread renews while the
 * process runs: a file that is not renewed belongs to a process that was killed or stopped.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { CHILD_FLAG } from "../../lib/child-environment.ts";
import { printable } from "../../lib/printable.ts";
import { databaseBusy, isBusy } from "./problems.ts";

const RENEW_MS = 1_000;
/** Time without renewal after which a holder counts as ended. */
const STALE_MS = 5_000;
/** How often a waiting process prints what it waits for. */
const PRINT_MS = 30_000;
const FIRST_PRINT_MS = 1_000;
/** A statement that waits for the lock is repeated after this time, to look at the holder. */
const SLICE_MS = 500;
const RETRY_MS = 10;
/** How long a statement may block the process at its start. */
export const START_WAIT_MS = 10_000;

/** Statements block the process, so that it cannot renew the file or detect the end of its parent itself. */
const THREAD = `import { utimesSync } from "node:fs";
onmessage = ({ data: { file, parent } }) => setInterval(() => {
  if (parent !== undefined && process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  try { utimesSync(file, new Date(), new Date()); } catch {}
}, ${RENEW_MS});`;

interface OpenDatabase {
  readonly db: { readonly filename: string };
}

interface Holder {
  readonly pid: number;
  /** As in "changes its tables". */
  readonly work: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

const holderFile = (database: string): string => `${database}-holder`;

function nameItself(file: string, work: string): (() => void) | undefined {
  const holder: Holder = { pid: process.pid, work, since: Date.now() };
  try {
    writeFileSync(file, JSON.stringify(holder), { mode: 0o600 });
  } catch {
    // the work itself reports a disk that is full or read-only
    return undefined;
  }
  const thread = new Worker(URL.createObjectURL(new Blob([THREAD], { type: "text/javascript" })));
  thread.unref();
  thread.postMessage({ file, parent: process.env[CHILD_FLAG] === undefined ? undefined : process.ppid });
  return () => {
    thread.terminate();
    rmSync(file, { force: true });
  };
}

/** Runs work that may hold the database's lock for long. Expects a transaction. `work`: as in "changes its tables". */
export function whileHolding<T>({ db: { filename } }: OpenDatabase, work: string, run: () => T): T {
  const end = filename === "" || filename === ":memory:" ? undefined : nameItself(holderFile(filename), work);
  let result: T | undefined;
  try {
    result = run();
    return result instanceof Promise ? (result.finally(end) as T) : result;
  } finally {
    if (!(result instanceof Promise)) end?.();
  }
}

/** Undefined if no process has renewed the file recently. */
function readHolder(database: string): Holder | undefined {
  const file = holderFile(database);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || Date.now() - stats.mtimeMs > STALE_MS) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    // it is being written or removed
    return undefined;
  }
}

/** The byte of the -shm file that the writer of a database locks. */
const WRITE_LOCK_BYTE = 120;

/** Inode and process of each lock in /proc/locks on the byte that a writer locks. */
export function writers(locks: string): { readonly inode: number; readonly pid: number }[] {
  const line = /^\d+: POSIX +\S+ +WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) (\d+) (\d+)$/;
  return locks.split("\n").flatMap((text) => {
    const [, pid, inode, first, last] = (line.exec(text) ?? []).map(Number);
    const isWriter = pid! > 0 && first! <= WRITE_LOCK_BYTE && last! >= WRITE_LOCK_BYTE;
    return isWriter ? [{ inode: inode!, pid: pid! }] : [];
  });
}

/** Any process that holds the lock, on Linux only: "process 12 (sqlite3)". */
function findLocker(database: string): string | undefined {
  try {
    const { ino } = statSync(`${database}-shm`);
    const owner = writers(readFileSync("/proc/locks", "latin1")).find(({ inode }) => inode === ino);
    return owner && `process ${owner.pid} (${printable(readFileSync(`/proc/${owner.pid}/comm`, "utf8").trim())})`;
  } catch {
    return undefined;
  }
}

const describe = ({ pid, work }: Holder): string => `process ${pid}, which ${work}`;

/** How long a statement waits for the lock by itself. */
export const busyTimeout = (milliseconds: number): string => `PRAGMA busy_timeout = ${milliseconds}`;

/** Runs statements again while another process creates the same database: SQLite does not wait for one that switches it to WAL. */
export function runAtStart(work: () => void): void {
  for (const end = performance.now() + START_WAIT_MS; ; Bun.sleepSync(RETRY_MS))
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
}

/** The wait of one statement for the lock, while it blocks the process. */
export class LockWait {
  readonly #database: string;
  readonly #patienceMs: number;
  readonly #print: (line: string) => void;
  #deadline: number;
  #printAt: number;

  /** `patienceMs`: how long it waits for a process that does not renew its file. */
  constructor(database: string, patienceMs: number, print: (line: string) => void = console.error) {
    this.#database = database;
    this.#patienceMs = patienceMs;
    this.#print = print;
    this.#deadline = performance.now() + patienceMs;
    this.#printAt = performance.now() + FIRST_PRINT_MS;
  }

  /**
   * Runs a statement that has failed because of the lock, until the lock is free or a timeout: then it throws a ServiceUnavailableError.
   * `isRenewed`: the time begins anew while the holder of the lock works.
   */
  run<T>(db: { run(sql: string): unknown }, statement: () => T, isRenewed: boolean): T {
    db.run(busyTimeout(Math.min(this.#patienceMs, SLICE_MS)));
    try {
      for (;;) {
        try {
          return statement();
        } catch (last) {
          if (!isBusy(last)) throw last;
          if (!isRenewed || !this.goesOn()) throw databaseBusy(this.holder);
        }
      }
    } finally {
      db.run(busyTimeout(0));
    }
  }

  /** Called after each slice. Returns whether to try again. */
  goesOn(): boolean {
    const now = performance.now();
    const holder = readHolder(this.#database);
    if (holder) this.#deadline = now + this.#patienceMs;
    if (holder && now >= this.#printAt) {
      this.#printAt = now + PRINT_MS;
      const seconds = Math.round((Date.now() - holder.since) / 1000);
      this.#print(
        `galley: waits for ${describe(holder)}, for ${seconds} s now (${basename(this.#database)} is locked)`,
      );
    }
    return now < this.#deadline;
  }

  /** The process that holds the lock, as far as it can be found out. */
  get holder(): string | undefined {
    const holder = readHolder(this.#database);
    return holder ? describe(holder) : findLocker(this.#database);
  }
}
