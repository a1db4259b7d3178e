/**
 * Handles uncaught errors of streams, timers and promises. They are logged with the requests in progress, or the code that has started
 * last, and the process keeps running.
 * If too many of them occur in a minute, the process exits. Errors that requests may have caused do not count, so that no client
 * can stop the server.
 */
import { sep } from "node:path";
import { excerpt } from "../lib/print-value.ts";
import { formatStack, printable } from "../lib/printable.ts";
import { refuseExit } from "../lib/process-exit.ts";
import type { App } from "../server/app.ts";

export interface SafetyNetOptions {
  readonly print: (message: string) => void;
  /** Exits the process. */
  readonly end: () => void;
  /** Number of errors within a minute at which the process exits; 10. */
  readonly limit?: number;
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

const MINUTE_MS = 60_000;
const LIMIT = 10;
/** An error within this time after a response may have been caused by the request. */
const AFTER_REQUEST_MS = 3_000;
/** Number of later errors that each request may cause, such as timeouts of connections. */
const LATE_ERRORS_PER_REQUEST = 20;
/** Maximum number of logged errors per minute. */
const MAX_LOGGED = 100;
/** Maximum number of requests that are logged with an error. */
const MAX_REQUESTS_SHOWN = 5;

/** Method and path of a request, without the query string. */
function describe({ method, url }: Request): string {
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const path = url.slice(pathStart).split("?", 1)[0] ?? "";
  return excerpt(printable(`${method} ${path}`), 200);
}

/** Counts events in the current minute. */
class CounterPerMinute {
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
  readonly #inProgress = new Set<Request>();
  readonly #requests = new CounterPerMinute();
  readonly #logged = new CounterPerMinute();
  /** Time of the last response. */
  #lastResponseAt = Number.NEGATIVE_INFINITY;
  /** Errors that no request can have caused. */
  readonly #unprovoked = new CounterPerMinute();

  constructor(options: SafetyNetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Wraps a handler to track requests in progress. */
  track(handle: App["handle"]): App["handle"] {
    return async (request) => {
      this.#inProgress.add(request);
      try {
        return await handle(request);
      } finally {
        this.#inProgress.delete(request);
        this.#lastResponseAt = this.#now();
        this.#requests.add(this.#lastResponseAt);
      }
    };
  }

  readonly catch = (error: unknown): void => {
    const { print, end, limit = LIMIT } = this.#options;
    const now = this.#now();
    this.#log(error, now);
    if (this.#inProgress.size > 0 || now - this.#lastResponseAt < AFTER_REQUEST_MS) return;
    const errors = this.#unprovoked.add(now);
    if (errors < limit + LATE_ERRORS_PER_REQUEST * this.#recentRequests(now)) return;
    print(`galley: ${errors} such errors within a minute: the server stops`);
    end();
  };

  #recentRequests(now: number): number {
    return now - this.#lastResponseAt < MINUTE_MS ? this.#requests.count : 0;
  }

  #log(error: unknown, now: number): void {
    const { print } = this.#options;
    const logged = this.#logged.add(now);
    if (logged > MAX_LOGGED) return;
    const requests = [...this.#inProgress].slice(0, MAX_REQUESTS_SHOWN).map(describe);
    const description = formatStack(error);
    const context = requests.length > 0 ? ` while answering ${requests.join(", ")}` : describeStart(description);
    print(`galley: uncaught error${context}: ${description}`);
    if (logged === MAX_LOGGED) print("galley: further errors of this minute are not logged");
  }

  /** Registers the handlers of the process. Called before code of a project is loaded. */
  install(): void {
    process.on("uncaughtException", this.catch);
    process.on("unhandledRejection", this.catch);
    // in whichever way code has got the function
    process.exit = refuseExit;
  }
}

/** Names code that has started recently, unless a stack names a file of the project. */
function describeStart(stack: string): string {
  if (stack.includes(`${process.cwd()}${sep}`)) return "";
  const { lastStarted } =
    require("../strapi/loader/started-code.ts") as typeof import("../strapi/loader/started-code.ts");
  const started = lastStarted();
  return started === undefined ? "" : ` after ${started}`;
}
