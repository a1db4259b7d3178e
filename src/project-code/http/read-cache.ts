/**
 * Caches results of core actions that code calls, until content changes: with their second request as JSON, with the third as a
 * parsed value. Every caller gets a copy of its own.
 */
import { perVersion } from "../../storage/per-version.ts";
import type { Storage } from "../../storage/storage.ts";
import { type MaybePromise, whenReady } from "../../when-ready.ts";
import { JsonValue } from "./json-copies.ts";

/** Characters of all results; with more, the cache is cleared. As values they take about six times as many bytes. */
const MAX_CHARACTERS = 4_000_000;
const MAX_RESULT = 500_000;
const MAX_KEYS = 10_000;

class Results {
  readonly #results = new Map<string, string | JsonValue>();
  /** Hashes of keys that were read once; a collision only caches a result too early. */
  readonly #requested = new Set<bigint | number>();
  #characters = 0;

  /** A copy of a result; undefined where there is none. */
  get(key: string): unknown {
    const found = this.#results.get(key);
    if (typeof found !== "string") return found?.copy();
    const parsed: unknown = JSON.parse(found);
    if (typeof parsed !== "object" || parsed === null) return parsed;
    const value = new JsonValue(parsed);
    this.#results.set(key, value);
    return value.copy();
  }

  /** The JSON of a result; only for keys that no copies are made of. */
  json(key: string): string | undefined {
    const found = this.#results.get(key);
    return typeof found === "string" ? found : undefined;
  }

  /** Results that are never read again are not worth their JSON. */
  offer(key: string, made: unknown): void {
    const hash = Bun.hash(key);
    if (this.#requested.has(hash)) {
      const json = JSON.stringify(made);
      if (json !== undefined) this.#set(key, json);
      return;
    }
    if (this.#requested.size >= MAX_KEYS) this.#requested.clear();
    this.#requested.add(hash);
  }

  #set(key: string, json: string): void {
    const size = key.length + json.length;
    if (size > MAX_RESULT) return;
    if (this.#characters + size > MAX_CHARACTERS) {
      this.#results.clear();
      this.#characters = 0;
    }
    this.#characters += size;
    this.#results.set(key, json);
  }
}

export class ReadCache {
  readonly #results = perVersion(() => new Results());

  /**
   * `key` must hold everything that a result depends on besides the content. Results must be plain JSON. A promise only where
   * `make` returns one, so that everything is read from one snapshot.
   */
  read<T>(storage: Storage, key: string, make: () => MaybePromise<T>): MaybePromise<T> {
    const results = this.#results(storage);
    const found = results.get(key);
    return found === undefined ? this.#make(results, storage, key, make) : (found as T);
  }

  /** Likewise, for a result that is only sent: once it is cached its JSON is sent, and there is no result. */
  send<T>(storage: Storage, key: string, sendJson: (json: string) => void, make: () => MaybePromise<T>) {
    const results = this.#results(storage);
    const json = results.json(key);
    if (json === undefined) return this.#make(results, storage, key, make);
    // nothing was found, which is no body
    if (json === "null") return null;
    sendJson(json);
    return undefined;
  }

  #make<T>(results: Results, storage: Storage, key: string, make: () => MaybePromise<T>): MaybePromise<T> {
    storage.hold();
    return whenReady(make(), (made) => {
      results.offer(key, made);
      return made;
    });
  }
}
