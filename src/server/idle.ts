/** Releases memory once there have been no requests for a while, so that no client waits for it. */

const IDLE_MS = 2000;
/** Memory freed in one round is returned to the system in the next; the image worker also ends only after some seconds. */
const ROUNDS = 4;

/** Requests to all servers of this process: a garbage collection would stop them all. */
let requests = 0;

export class IdleCollector {
  #wasUsed = false;
  #rounds = 0;
  /** `requests` when the timer was set. */
  #earlierRequests = 0;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #trim: () => void;
  readonly #collects: boolean;
  readonly #idleMs: number;

  /**
   * `trim` releases caches. `collects`: whether garbage is collected, too; a process with work of its own would be stopped by
   * it. `idleMs`: time without requests before that.
   */
  constructor(trim: () => void, collects: boolean, idleMs = IDLE_MS) {
    this.#trim = trim;
    this.#collects = collects;
    this.#idleMs = idleMs;
  }

  /** Called for every request. */
  touch(): void {
    this.#wasUsed = true;
    requests++;
    if (!this.#isStopped) this.#timer ??= this.#schedule();
  }

  /** `trim` is not called any more: what it uses may be closed. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isStopped = true;
  }

  #schedule(): ReturnType<typeof setTimeout> {
    this.#earlierRequests = requests;
    const timer = setTimeout(() => this.#check(), this.#idleMs);
    timer.unref();
    return timer;
  }

  #check(): void {
    this.#timer = undefined;
    if (this.#wasUsed) this.#rounds = 0;
    else {
      this.#trim();
      if (requests === this.#earlierRequests) {
        if (this.#collects) Bun.gc(true);
        this.#rounds++;
      }
    }
    this.#wasUsed = false;
    if (this.#rounds < ROUNDS) this.#timer = this.#schedule();
  }
}
