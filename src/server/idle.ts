/** Releases memory once there has been no request for a while: nobody waits for it then. */

const REST_MS = 2000;
/** What one round frees, the system gets with the next; the thread that makes pictures ends after some seconds, too. */
const ROUNDS = 4;

export class IdleCollector {
  #isActive = false;
  #rounds = 0;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #trim: () => void;
  readonly #restMs: number;

  /** `trim` releases caches. `restMs`: the time without requests. */
  constructor(trim: () => void, restMs = REST_MS) {
    this.#trim = trim;
    this.#restMs = restMs;
  }

  /** Called for every request. */
  touch(): void {
    this.#isActive = true;
    if (!this.#isStopped) this.#timer ??= this.#wait();
  }

  /** What is trimmed may be closed from now on. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isStopped = true;
  }

  #wait(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#look(), this.#restMs);
    timer.unref();
    return timer;
  }

  #look(): void {
    this.#timer = undefined;
    if (this.#isActive) this.#rounds = 0;
    else {
      this.#trim();
      Bun.gc(true);
      this.#rounds++;
    }
    this.#isActive = false;
    if (this.#rounds < ROUNDS) this.#timer = this.#wait();
  }
}
