/**
 * The JSON of responses: that of large ones is built with pauses, in which other requests are served. And a cache of responses to reads,
 * invalidated when content changes. A response is cached with its second request, so that one-time requests use no memory. The cache key
 * must contain everything that a response depends on besides the content.
 */
import { perVersion } from "../engine/storage/connection.ts";
import type { Storage } from "../engine/storage/storage.ts";
import type { Budget } from "../lib/budget.ts";
import type { TagHeaders } from "../lib/cache-tags.ts";
import type { MaybePromise } from "../lib/when-ready.ts";

const MAX_BYTES = 16_777_216;
/** A larger response would evict too many others. */
const MAX_RESPONSE_BYTES = MAX_BYTES / 8;
const MAX_KEYS = 10_000;
/** A response is evicted after at least this many requests per cached response. */
const MIN_AGE_FACTOR = 8;

export interface CachedResponse {
  readonly status: number;
  /** A blob, which is sent without copying. */
  readonly content: Blob;
  readonly etag: string;
  readonly tags: TagHeaders | undefined;
  /** The headers of most requests for it, once one of them was answered; see `CommonHeaders.ofCached`. */
  headers?: Headers;
}

interface Entry extends CachedResponse {
  /** The number of its last request. */
  lastUsed: number;
}

/** A cache miss: `offer` needs it to cache the response for this version of the content. */
export interface CacheMiss {
  readonly key: string;
  readonly version: string;
}

/** Weak, since the response may be sent compressed. */
export const createEtag = (text: string): string => `W/"${Bun.hash(text).toString(36)}"`;

/** What a response takes besides key and content, mostly for its headers. */
const ENTRY_BYTES = 1_000;

/** In bytes; a key's characters take up to two. */
const computeSize = (key: string, { content, tags = {} }: CachedResponse): number =>
  Object.values(tags).reduce((sum, value) => sum + value.length, 2 * key.length + content.size + ENTRY_BYTES);

/** Those of one version of the content. */
class Responses {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Hashes of keys that were requested once; a collision only caches an answer too early. */
  readonly #requested = new Set<number>();
  #bytes = 0;
  #requests = 0;

  find(key: string): CachedResponse | undefined {
    this.#requests++;
    const cached = this.#entries.get(key);
    if (!cached) return undefined;
    cached.lastUsed = this.#requests;
    this.#entries.delete(key);
    this.#entries.set(key, cached);
    return cached;
  }

  store(key: string, status: number, text: string, tags: TagHeaders | undefined): void {
    const hash = Bun.hash.cityHash32(key);
    if (!this.#requested.has(hash)) {
      if (this.#requested.size >= MAX_KEYS) this.#requested.clear();
      this.#requested.add(hash);
      return;
    }
    if (text.length > MAX_RESPONSE_BYTES || !this.#fits(text.length)) return;
    const entry = { status, content: new Blob([text]), etag: createEtag(text), tags, lastUsed: this.#requests };
    if (computeSize(key, entry) > MAX_RESPONSE_BYTES) return;
    this.#evict(key);
    this.#entries.set(key, entry);
    this.#bytes += computeSize(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#evict(oldest);
    }
  }

  /** Whether there is room. If requests cycle through more responses than fit, evicting each time would prevent all hits. */
  #fits(length: number): boolean {
    if (this.#bytes + length <= MAX_BYTES) return true;
    const [oldest] = this.#entries.values();
    return oldest === undefined || this.#requests - oldest.lastUsed > MIN_AGE_FACTOR * this.#entries.size;
  }

  #evict(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= computeSize(key, entry);
  }
}

export class ResponseCache {
  readonly #storage: Storage;
  readonly #responses = perVersion(() => new Responses());

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The cached response, or the miss to be passed to `offer` with the new response. */
  find(key: string): CachedResponse | CacheMiss {
    const cached = this.#responses(this.#storage).find(key);
    if (cached) return cached;
    // the response is read from one snapshot
    this.#storage.hold();
    return { key, version: this.#storage.version() };
  }

  /** Does not cache when content has changed since `find`: `text` may be outdated. */
  store({ key, version }: CacheMiss, status: number, text: string, tags?: TagHeaders): void {
    if (version === this.#storage.version()) this.#responses(this.#storage).store(key, status, text, tags);
  }
}

/** A response with fewer characters takes a few milliseconds. */
const LARGE_CHARACTERS = 1_000_000;
const LARGE_VALUES = 50_000;
/** Values with fewer parts than this are built in one step. */
const SMALL = 200;

const isContainer = (value: unknown): value is Record<string, unknown> | readonly unknown[] =>
  typeof value === "object" && value !== null && !("toJSON" in value);

/** What is left of `allowance` after the parts of a value; negative if there are more. */
function remaining(value: unknown, allowance: number): number {
  if (!isContainer(value)) return allowance - 1;
  let left = allowance;
  for (const key in value) {
    left = remaining((value as Record<string, unknown>)[key], left);
    if (left < 0) break;
  }
  return left;
}

function* parts(value: unknown): Generator<string> {
  if (!isContainer(value) || remaining(value, SMALL) >= 0) {
    yield JSON.stringify(value) ?? "null";
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? "[" : "{";
  for (const [key, item] of Object.entries(value)) {
    if (!isList && item === undefined) continue;
    yield isList ? before : `${before}${JSON.stringify(key)}:`;
    yield* parts(item);
    before = ",";
  }
  // without any entry, the value is small
  yield isList ? "]" : "}";
}

/** The same text as `JSON.stringify`. A promise for large responses. */
export function toJson(body: unknown, budget: Budget): MaybePromise<string> {
  const isLarge = budget.spent("characters") > LARGE_CHARACTERS || budget.spent("values") > LARGE_VALUES;
  return isLarge ? budget.whenAdmitted(() => inSteps(body, budget), "last") : JSON.stringify(body);
}

async function inSteps(body: unknown, budget: Budget): Promise<string> {
  const texts: string[] = [];
  for (const part of parts(body)) {
    texts.push(part);
    budget.checkTime();
    if (budget.isPauseDue) await budget.pause();
  }
  return texts.join("");
}
