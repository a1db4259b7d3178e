/** Rate limits for routes that check passwords or send mails, per path and client. */

import type { Clock } from "../../lib/clock.ts";
import { ApiError } from "../../lib/errors.ts";
import type { Settings } from "../config/settings.ts";
import { isHashingSaturated } from "../documents/passwords.ts";
import { type Client, clientNetwork, isLoopback } from "./client-address.ts";

export type { Client, ClientAddress } from "./client-address.ts";

interface Window {
  readonly count: number;
  /** In milliseconds since 1970. */
  readonly until: number;
}

/** Counts by key in windows of `interval` milliseconds; returns the window including this request. */
export interface Counter {
  readonly count: (key: string, interval: number) => Window | Promise<Window>;
}

/** What a counted request is told. */
interface Counted {
  /** Of every response, also of errors. */
  readonly headers: Readonly<Record<string, string>>;
  /** For a request beyond the limit. */
  readonly error: ApiError | undefined;
}

/** Keys have a fixed size, so that this bounds memory as well. */
const MAX_KEYS = 50_000;
/** Of these, so many are kept when there are too many. */
const KEPT_KEYS = 40_000;

const tooMany = () => new ApiError("RateLimitError", "Too many requests, please try again later.");

/** Counts in this process, by a monotonic clock: setting the system clock back locks nobody out. */
export class WindowCounter implements Counter {
  /** Oldest first. `end` in milliseconds of `Clock.elapsed`. */
  readonly #windows = new Map<string, { readonly end: number; count: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#windows.size;
  }

  count(key: string, interval: number): Window {
    const now = this.#clock.elapsed();
    let window = this.#windows.get(key);
    if (!window || window.end <= now) {
      this.#windows.delete(key);
      this.#evict(now);
      window = { end: now + interval, count: 0 };
      this.#windows.set(key, window);
    }
    window.count++;
    return { count: window.count, until: Math.round(this.#clock.now() + window.end - now) };
  }

  /** Many at once: a map is walked from its start past everything that was deleted there. */
  #evict(now: number): void {
    if (this.#windows.size < MAX_KEYS) return;
    for (const [key, { end }] of this.#windows) {
      if (end > now && this.#windows.size <= KEPT_KEYS) return;
      this.#windows.delete(key);
    }
  }
}

/** Hashes the path and the client: keys have a fixed size, and client addresses are not stored. */
const buildKey = (path: string, client: string): string =>
  new Bun.CryptoHasher("sha256").update(`${path.toLowerCase().replace(/\/$/, "")}\n${client}`).digest("base64url");

/** Of one route; as in the settings. */
export interface Limits {
  readonly interval?: number;
  readonly max?: number;
}

export class RateLimit {
  readonly #settings: Settings["auth"]["ratelimit"];
  readonly #proxies: Settings["server"]["proxies"];
  readonly #counter: Counter;

  constructor(settings: Settings["auth"]["ratelimit"], proxies: Settings["server"]["proxies"], counter: Counter) {
    this.#settings = settings;
    this.#proxies = proxies;
    this.#counter = counter;
  }

  /** Identifies the client; undefined for local requests, which are counted only if the settings say so. */
  #identify(client: Client): string | undefined {
    const isLocal = client.forwardedFor === null && isLoopback(client.address());
    return isLocal && this.#settings.enabled === undefined ? undefined : clientNetwork(client, this.#proxies);
  }

  /**
   * Counts a request, as Strapi does. Unlike there, the e-mail address in the body is not part of the key, so that changing
   * it does not evade the limit. `limits` replace the settings. Throws RateLimitError while too many passwords are compared.
   */
  async count(path: string, client: Client, limits: Limits = {}): Promise<Counted> {
    // for every client, regardless of the settings
    if (isHashingSaturated()) throw tooMany();
    const { enabled, interval, max } = { ...this.#settings, ...limits };
    const clientId = enabled === false ? undefined : this.#identify(client);
    if (clientId === undefined) return { headers: {}, error: undefined };
    const { count, until } = await this.#counter.count(buildKey(path, clientId), interval);
    const headers = {
      "X-RateLimit-Limit": String(max),
      "X-RateLimit-Remaining": String(Math.max(max - count, 0)),
      "X-RateLimit-Reset": String(Math.ceil(until / 1000)),
    };
    return { headers, error: count > max ? tooMany() : undefined };
  }
}
