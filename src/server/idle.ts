/** Releases memory once there have been no requests for a while, so that no client waits for it. */

const IDLE_MS = 2000;
/** Memory freed in one round is returned to the system in the next; the image worker also ends only after some seconds. */
const ROUNDS = 4;

/** Requests to all servers of this process: a garbage collection would stop them all. */
let requests = 0;

/**
 * `trim` releases caches; it is not called after `stop`, when what it uses may be closed. `collects`: whether garbage is collected, too; a
 * process with work of its own would be stopped by it. `idleMs`: time without requests before that.
 */
export function createIdleCollector(trim: () => void, collects: boolean, idleMs = IDLE_MS) {
  let wasUsed = false;
  let rounds = 0;
  /** `requests` when the timer was set. */
  let earlierRequests = 0;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function schedule(): void {
    earlierRequests = requests;
    timer = setTimeout(check, idleMs);
    timer.unref();
  }

  function check(): void {
    timer = undefined;
    if (wasUsed) rounds = 0;
    else {
      trim();
      if (requests === earlierRequests) {
        if (collects) Bun.gc(true);
        rounds++;
      }
    }
    wasUsed = false;
    if (rounds < ROUNDS) schedule();
  }

  return {
    /** Called for every request. */
    touch: (): void => {
      wasUsed = true;
      requests++;
      if (!isStopped && !timer) schedule();
    },
    stop: (): void => {
      clearTimeout(timer);
      isStopped = true;
    },
  };
}
