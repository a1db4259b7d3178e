/** Requests that wait until content changes, by whatever process. */
import type { Storage } from "../../engine/storage/storage.ts";
import { ApiError } from "../../lib/errors.ts";

const POLL_MS = 200;
const MAX_WAITING = 1_000;

type Outcome = "changed" | "timeout" | "ended";

interface Waiter {
  readonly version: string;
  readonly end: (outcome: Outcome) => void;
}

export class ContentWait {
  readonly #storage: Storage;
  readonly #ended: AbortSignal;
  readonly #waiters = new Set<Waiter>();
  #poll: ReturnType<typeof setInterval> | undefined;

  /** `ended`: aborted when the project is closed or replaced. */
  constructor(storage: Storage, ended: AbortSignal) {
    this.#storage = storage;
    this.#ended = ended;
    ended.addEventListener("abort", () => this.#endAll("ended"), { once: true });
  }

  /** `version`: of the content that the caller has seen. `signal`: of the request. Throws ServiceUnavailableError if too many wait. */
  next(version: string, ms: number, signal: AbortSignal): Promise<Outcome> {
    if (this.#waiters.size >= MAX_WAITING)
      throw new ApiError("ServiceUnavailableError", "Too many requests wait for changes");
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const leave = (): void => waiter.end("ended");
    const timeout = setTimeout(() => waiter.end("timeout"), ms);
    const waiter: Waiter = {
      version,
      end: (outcome) => {
        clearTimeout(timeout);
        signal.removeEventListener("abort", leave);
        this.#waiters.delete(waiter);
        if (this.#waiters.size === 0) {
          clearInterval(this.#poll);
          this.#poll = undefined;
        }
        resolve(outcome);
      },
    };
    this.#waiters.add(waiter);
    signal.addEventListener("abort", leave, { once: true });
    this.#poll ??= setInterval(() => this.#look(), POLL_MS);
    if (this.#ended.aborted || signal.aborted) leave();
    return promise;
  }

  #look(): void {
    if (this.#storage.isClosed) return this.#endAll("ended");
    const version = this.#storage.version();
    for (const waiter of [...this.#waiters]) if (waiter.version !== version) waiter.end("changed");
  }

  #endAll(outcome: Outcome): void {
    for (const waiter of [...this.#waiters]) waiter.end(outcome);
  }
}
