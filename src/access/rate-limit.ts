/** Counts requests to the routes that guess passwords or send mail, per path and client. */
import type { Settings } from "../config/settings.ts";
import { ApiError } from "../errors.ts";

/** The address at the other end of the connection; undefined without one. Asking costs a system call. */
export type ClientAddress = () => string | undefined;

export interface Client {
  readonly address: ClientAddress;
  readonly forwardedFor: string | null;
}

interface Window {
  /** In milliseconds since 1970. */
  readonly until: number;
  count: number;
}

/** Counts by key in windows of `interval` milliseconds; answers the window with this request in it. */
export interface Counter {
  readonly count: (key: string, interval: number) => Readonly<Window> | Promise<Readonly<Window>>;
}

const MAX_KEYS = 100_000;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** Counts in this process. */
export class WindowCounter implements Counter {
  readonly #windows = new Map<string, Window>();

  count(key: string, interval: number): Readonly<Window> {
    const now = Date.now();
    let window = this.#windows.get(key);
    if (!window || window.until <= now) {
      this.#forget(now);
      window = { until: now + interval, count: 0 };
      this.#windows.set(key, window);
    }
    window.count++;
    return window;
  }

  /** Bounded, whatever the number of clients: old windows go first, and then any. */
  #forget(now: number): void {
    if (this.#windows.size < MAX_KEYS) return;
    for (const [key, { until }] of this.#windows) if (until <= now) this.#windows.delete(key);
    for (const key of this.#windows.keys()) {
      if (this.#windows.size < MAX_KEYS) return;
      this.#windows.delete(key);
    }
  }
}

export class RateLimit {
  readonly #settings: Settings["auth"]["ratelimit"];
  readonly #counter: Counter;

  constructor(settings: Settings["auth"]["ratelimit"], counter: Counter = new WindowCounter()) {
    this.#settings = settings;
    this.#counter = counter;
  }

  /**
   * Who a client is, for counting. A proxy on this machine names the client behind it; a direct client on this machine is
   * somebody who develops, and is counted only where the settings say so.
   */
  #identify(client: Client): string | undefined {
    const { forwardedFor } = client;
    const address = client.address();
    const direct = address === undefined || LOOPBACK.test(address);
    const behind = direct ? forwardedFor?.split(",").at(-1)?.trim() : undefined;
    if (behind) return behind;
    return direct && this.#settings.enabled === undefined ? undefined : (address ?? "unknown");
  }

  /** Headers for the answer. Throws RateLimitError, as the reference does, for the first request too many. */
  async count(path: string, client: Client, identifier?: string): Promise<Readonly<Record<string, string>>> {
    const { enabled, interval, max } = this.#settings;
    const who = enabled === false ? undefined : this.#identify(client);
    if (who === undefined) return {};
    const key = [path.toLowerCase().replace(/\/$/, ""), who, identifier ?? ""].join("\n");
    const { count, until } = await this.#counter.count(key, interval);
    if (count > max) throw new ApiError("RateLimitError", "Too many requests, please try again later.");
    return {
      "X-RateLimit-Limit": String(max),
      "X-RateLimit-Remaining": String(max - count),
      "X-RateLimit-Reset": String(Math.ceil(until / 1000)),
    };
  }
}
