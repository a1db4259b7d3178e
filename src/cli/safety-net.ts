/**
 * The last place where errors arrive: those of streams, timers and promises that nothing else has caught. They are
 * logged with the requests that were being answered, and the process goes on; one that fails again and again ends.
 */
import type { App } from "../server/app.ts";

export interface SafetyNetOptions {
  readonly print: (message: string) => void;
  /** Ends the process. */
  readonly end: () => void;
  /** More errors than this within a minute end the process; 10. */
  readonly limit?: number;
}

const MINUTE_MS = 60_000;
const LIMIT = 10;
/** Requests that an error is logged with. */
const MOST_SHOWN = 5;

/** Method and path of a request. Query strings may hold secrets. */
function describe({ method, url }: Request): string {
  const begin = url.indexOf("/", url.indexOf("//") + 2);
  const path = url.slice(begin).split("?", 1)[0] ?? "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal
  return `${method} ${path.slice(0, 200)}`.replace(/[\x00-\x1f\x7f-\x9f]/g, "?");
}

export class SafetyNet {
  readonly #options: SafetyNetOptions;
  readonly #answering = new Set<Request>();
  /** When the last errors were, in milliseconds of `performance.now()`. */
  #times: number[] = [];

  constructor(options: SafetyNetOptions) {
    this.#options = options;
  }

  /** Knows from now on which requests are being answered. */
  watch(handle: App["handle"]): App["handle"] {
    return async (request) => {
      this.#answering.add(request);
      try {
        return await handle(request);
      } finally {
        this.#answering.delete(request);
      }
    };
  }

  readonly catch = (error: unknown): void => {
    const { print, end, limit = LIMIT } = this.#options;
    const requests = [...this.#answering].slice(0, MOST_SHOWN).map(describe);
    const during = requests.length > 0 ? ` while answering ${requests.join(", ")}` : "";
    print(`galley: an error that nothing has caught${during}: ${describeError(error)}`);
    const now = performance.now();
    this.#times = [...this.#times.filter((time) => now - time < MINUTE_MS), now];
    if (this.#times.length < limit) return;
    print(`galley: ${limit} such errors within a minute: the server ends`);
    end();
  };

  /** For the whole process. */
  install(): void {
    process.on("uncaughtException", this.catch);
    process.on("unhandledRejection", this.catch);
  }
}

/** With the stack, but without lines of the source, which in an executable are thousands of characters long. */
const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : Bun.inspect(error).slice(0, 1000);
