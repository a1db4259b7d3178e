/** Caches parsed query strings. Each request gets a copy, which code may change; copying is faster than parsing. */
import { JsonValue } from "./json-copies.ts";

type Params = Record<string, unknown>;

const MAX_ENTRIES = 500;
/** Length in characters. Longer query strings are not cached. */
const MAX_LENGTH = 2_000;

export class ParsedQueries {
  readonly #parse: (search: string) => Params;
  readonly #parsed = new Map<string, JsonValue>();

  /** `parse` throws ApiErrors. */
  constructor(parse: (search: string) => Params) {
    this.#parse = parse;
  }

  copyOf(search: string): Params {
    if (search === "") return {};
    return this.#find(search).plainCopy() as Params;
  }

  /** Whether a query has the same parameters as a query string. */
  isSame(search: string, query: Params): boolean {
    return this.#find(search).equals(query);
  }

  #find(search: string): JsonValue {
    const found = this.#parsed.get(search);
    if (found) return found;
    const parsed = new JsonValue(this.#parse(search));
    if (search.length > MAX_LENGTH) return parsed;
    if (this.#parsed.size >= MAX_ENTRIES) this.#parsed.clear();
    this.#parsed.set(search, parsed);
    return parsed;
  }
}
