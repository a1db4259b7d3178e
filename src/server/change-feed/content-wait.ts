/** Requests that wait until content changes, by whatever process. */
import type { Storage } from "../../engine/storage/storage.ts";
import { ApiError } from "../../lib/errors.ts";

const POLL_MS = 200;
const MAX_WAITING = 1_000;

type Outcome = "changed" | "timeout" | "ended";

interface Waiter {
  readonly client: string;
  readonly version: string;
  readonly end: (outcome: Outcome) => void;
}

export interface WaitingRequest {
  /** Its network address. */
  readonly client: string;
  readonly signal: AbortSignal;
}

/** `ended`: aborted when the project is closed or replaced. */
export function createContentWait(storage: Storage, ended: AbortSignal) {
  const waiters = new Set<Waiter>();
  let poll: ReturnType<typeof setInterval> | undefined;
  ended.addEventListener("abort", () => endAll("ended"), { once: true });

  /**
   * `version`: of the content that the caller has seen. `signal`: of the request. Throws ServiceUnavailableError if too many wait, and no
   * client has more of them than this one.
   */
  function next(version: string, ms: number, { client, signal }: WaitingRequest): Promise<Outcome> {
    if (waiters.size >= MAX_WAITING) makeRoom(client);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const leave = (): void => waiter.end("ended");
    const timeout = setTimeout(() => waiter.end("timeout"), ms);
    const waiter: Waiter = {
      client,
      version,
      end: (outcome) => {
        clearTimeout(timeout);
        signal.removeEventListener("abort", leave);
        waiters.delete(waiter);
        if (waiters.size === 0) {
          clearInterval(poll);
          poll = undefined;
        }
        resolve(outcome);
      },
    };
    waiters.add(waiter);
    signal.addEventListener("abort", leave, { once: true });
    poll ??= setInterval(() => look(), POLL_MS);
    if (ended.aborted || signal.aborted) leave();
    return promise;
  }

  /** Ends the oldest wait of the client that has the most, so that one client cannot keep the others from waiting. */
  function makeRoom(client: string): void {
    const byClient = Map.groupBy(waiters, (waiter) => waiter.client);
    let most: readonly Waiter[] = byClient.get(client) ?? [];
    for (const waits of byClient.values()) if (waits.length > most.length) most = waits;
    const [oldest] = most;
    if (oldest === undefined || oldest.client === client)
      throw new ApiError("ServiceUnavailableError", "Too many requests wait for changes");
    oldest.end("ended");
  }

  function look(): void {
    if (storage.isClosed) return endAll("ended");
    const version = storage.version();
    for (const waiter of [...waiters]) if (waiter.version !== version) waiter.end("changed");
  }

  function endAll(outcome: Outcome): void {
    for (const waiter of [...waiters]) waiter.end(outcome);
  }

  return { next };
}

export type ContentWait = ReturnType<typeof createContentWait>;
