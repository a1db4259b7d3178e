/**
 * Caches results of core actions that code calls, until content changes. A result is stored as JSON with its second request,
 * and parsed with the third. Every caller gets a copy.
 */

import { perVersion } from "../../engine/storage/connection.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import { JsonValue } from "./json-copies.ts";
import { isJson } from "./json-values.ts";

/** Total length in characters; when exceeded, the cache is cleared. Parsed values take about six bytes per character. */
const MAX_CHARACTERS = 4_000_000;
const MAX_RESULT = 500_000;
const MAX_KEYS = 10_000;

/** Everything that a result depends on, except for the content. */
export interface ReadKey {
  /** The JSON of the query: the same string again, whose hash is known, where possible. */
  readonly query: string;
  /** What is read, and for whom. */
  readonly scope: string;
}

class Results {
  /** By query and scope. */
  readonly #results = new Map<string, Map<string, string | JsonValue>>();
  readonly #isList: boolean;
  /** Hashes of keys that were read once; a collision only caches a result too early. */
  readonly #requested = new Set<bigint | number>();
  #characters = 0;

  constructor(isList: boolean) {
    this.#isList = isList;
  }

  /** A copy of a result; undefined if it is not cached. */
  get({ query, scope }: ReadKey): unknown {
    const byScope = this.#results.get(query);
    const found = byScope?.get(scope);
    if (typeof found !== "string") return found?.copy();
    const parsed: unknown = JSON.parse(found);
    if (typeof parsed !== "object" || parsed === null) return parsed;
    const value = new JsonValue(parsed, this.#isList);
    byScope!.set(scope, value);
    return value.copy();
  }

  /** The JSON of a result. Only for keys that are never read with `get`. */
  json({ query, scope }: ReadKey): string | undefined {
    const found = this.#results.get(query)?.get(scope);
    return stringOrNone(found);
  }

  /** Stores a result with its second request: most are requested only once. */
  record(key: ReadKey, result: unknown): void {
    const hash = Bun.hash(`${key.scope} ${key.query}`);
    if (this.#requested.has(hash)) {
      if (isJson(result)) this.#set(key, JSON.stringify(result));
      return;
    }
    if (this.#requested.size >= MAX_KEYS) this.#requested.clear();
    this.#requested.add(hash);
  }

  #set({ query, scope }: ReadKey, json: string): void {
    const size = query.length + scope.length + json.length;
    if (size > MAX_RESULT) return;
    if (this.#characters + size > MAX_CHARACTERS) {
      this.#results.clear();
      this.#characters = 0;
    }
    this.#characters += size;
    this.#results.getOrInsertComputed(query, () => new Map()).set(scope, json);
  }
}

export class ReadCache {
  readonly #results: (storage: Storage) => Results;

  /** `isList`: results have a list that code sends, and are not sent themselves. */
  constructor(isList = false) {
    this.#results = perVersion(() => new Results(isList));
  }

  /**
   * Results that JSON does not show as they are are not cached. Returns a promise only if `compute` does, so that everything is
   * read from one snapshot.
   */
  read<T>(storage: Storage, key: ReadKey, compute: () => MaybePromise<T>): MaybePromise<T> {
    const results = this.#results(storage);
    const found = results.get(key);
    return found === undefined ? this.#compute(results, storage, key, compute) : (found as T);
  }

  /** Like `read`, for a result that is only sent: a cached one is passed to `sendJson`, and undefined is returned. */
  send<T>(storage: Storage, key: ReadKey, sendJson: (json: string) => void, compute: () => MaybePromise<T>) {
    const results = this.#results(storage);
    const json = results.json(key);
    if (json === undefined) return this.#compute(results, storage, key, compute);
    // null means not found: there is no body to send
    if (json === "null") return null;
    sendJson(json);
    return undefined;
  }

  #compute<T>(results: Results, storage: Storage, key: ReadKey, compute: () => MaybePromise<T>): MaybePromise<T> {
    storage.hold();
    return whenReady(compute(), (result) => {
      results.record(key, result);
      return result;
    });
  }
}
