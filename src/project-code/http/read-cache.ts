/**
 * What core actions have read, as text, until content changes. Own code may change what it gets, so that each caller gets
 * objects of its own; what it makes of them is never kept.
 */
import { perVersion } from "../../storage/per-version.ts";
import type { Storage } from "../../storage/storage.ts";

/** Characters of all results; with more, all of them are forgotten. */
const MAX_CHARACTERS = 16_000_000;
const MAX_RESULT = 1_000_000;

class Results {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  get(key: string): string | undefined {
    return this.#texts.get(key);
  }

  set(key: string, text: string): void {
    const size = key.length + text.length;
    if (size > MAX_RESULT) return;
    if (this.#characters + size > MAX_CHARACTERS) {
      this.#texts.clear();
      this.#characters = 0;
    }
    this.#characters += size;
    this.#texts.set(key, text);
  }
}

export class ReadCache {
  readonly #results = perVersion(() => new Results());

  /** `key` stands for everything that decides the result besides the content. Results must survive JSON as they are. */
  async read<T>(storage: Storage, key: string, make: () => Promise<T>): Promise<T> {
    const results = this.#results(storage);
    const found = results.get(key);
    if (found !== undefined) return JSON.parse(found) as T;
    const made = await make();
    const text = JSON.stringify(made);
    if (text !== undefined) results.set(key, text);
    return made;
  }
}
