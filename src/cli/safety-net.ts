/**
 * The last place where errors arrive: those of streams, timers and promises that nothing else has caught. They are
 * logged with the requests that were being answered, and the process goes on; one that fails again and again by itself
 * ends. What requests may have provoked does not count: no client can end the server.
 */
import type { App } from "../server/app.ts";

export interface SafetyNetOptions {
  readonly print: (message: string) => void;
  /** Ends the process. */
  readonly end: () => void;
  /** So many errors within a minute end the process; 10. */
  readonly limit?: number;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

const MINUTE_MS = 60_000;
const LIMIT = 10;
/** What fails so soon after a request was answered may be its work. */
const AFTER_REQUEST_MS = 3_000;
/** Errors that come later and each request may have left behind, such as those of connections that time out. */
const LATE_ERRORS = 20;
/** Errors that are logged in a minute. */
const MOST_LOGGED = 100;
/** Requests that an error is logged with. */
const MOST_SHOWN = 5;

/** Method and path of a request. Query strings may hold secrets. */
function describe({ method, url }: Request): string {
  const begin = url.indexOf("/", url.indexOf("//") + 2);
  const path = url.slice(begin).split("?", 1)[0] ?? "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal
  return `${method} ${path.slice(0, 200)}`.replace(/[\x00-\x1f\x7f-\x9f]/g, "?");
}

/** How often something has happened in the minute that goes on. */
class MinuteCounter {
  #since = Number.NEGATIVE_INFINITY;
  count = 0;

  add(now: number): number {
    if (now - this.#since >= MINUTE_MS) [this.#since, this.count] = [now, 0];
    return ++this.count;
  }
}

export class SafetyNet {
  readonly #options: SafetyNetOptions;
  readonly #now: () => number;
  readonly #answering = new Set<Request>();
  readonly #requests = new MinuteCounter();
  readonly #logged = new MinuteCounter();
  /** When the last request was answered. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Errors that no request has provoked. */
  readonly #own = new MinuteCounter();

  constructor(options: SafetyNetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Tracks the requests that are being answered. */
  watch(handle: App["handle"]): App["handle"] {
    return async (request) => {
      this.#answering.add(request);
      try {
        return await handle(request);
      } finally {
        this.#answering.delete(request);
        this.#answeredAt = this.#now();
        this.#requests.add(this.#answeredAt);
      }
    };
  }

  readonly catch = (error: unknown): void => {
    const { print, end, limit = LIMIT } = this.#options;
    const now = this.#now();
    this.#log(error, now);
    if (this.#answering.size > 0 || now - this.#answeredAt < AFTER_REQUEST_MS) return;
    const errors = this.#own.add(now);
    if (errors < limit + LATE_ERRORS * this.#recentRequests(now)) return;
    print(`galley: ${errors} such errors within a minute: the server ends`);
    end();
  };

  #recentRequests(now: number): number {
    return now - this.#answeredAt < MINUTE_MS ? this.#requests.count : 0;
  }

  #log(error: unknown, now: number): void {
    const { print } = this.#options;
    const logged = this.#logged.add(now);
    if (logged > MOST_LOGGED) return;
    const requests = [...this.#answering].slice(0, MOST_SHOWN).map(describe);
    const during = requests.length > 0 ? ` while answering ${requests.join(", ")}` : "";
    print(`galley: an error that nothing has caught${during}: ${describeError(error)}`);
    if (logged === MOST_LOGGED) print("galley: further errors of this minute are not logged");
  }

  /** For the whole process. */
  install(): void {
    process.on("uncaughtException", this.catch);
    process.on("unhandledRejection", this.catch);
  }
}

/** With the stack, but without lines of the source, which in an executable are thousands of characters long. */
const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : Bun.inspect(error).slice(0, 1000);
