/**
 * Caches what is made from query strings: parsed queries, and the JSON and query strings of what code usually makes of them. Each request gets
 * a copy, which code may change; copying and comparing are faster than parsing and serializing.
 */

import type { Container } from "./json-layouts.ts";
import { type Original, originalOf } from "./json-originals.ts";
import { isJson } from "./json-values.ts";

type Params = Record<string, unknown>;

const MAX_ENTRIES = 500;
/** Length in characters. Longer query strings are not cached. */
const MAX_LENGTH = 2_000;

/** What was made from a query last; `value` undefined until it was the same twice. */
interface Made {
  readonly text: string;
  readonly value: Original | undefined;
}

/** A query string. */
export class ParsedQuery {
  readonly #parsed: Original;
  #json: Made | undefined;
  #search: Made | undefined;

  constructor(parsed: Params) {
    // query strings of clients are too varied for compiled functions
    this.#parsed = originalOf(parsed, false);
  }

  copy(): Params {
    return this.#parsed.copy();
  }

  /** Whether a query has the same parameters. */
  isSame(query: Params): boolean {
    return this.#parsed.isSame(query);
  }

  /** The JSON of a query that code has made from this one. Undefined if JSON does not show all of it. */
  jsonOf(query: Params): string | undefined {
    if (this.#json?.value?.isSame(query)) return this.#json.text;
    if (!isJson(query)) return undefined;
    this.#json = madeFrom(query, JSON.stringify(query), this.#json);
    return this.#json.text;
  }

  /** The query string of a query that code has made from this one. */
  searchOf(query: Params, stringify: (query: Params) => string): string {
    if (this.#search?.value?.isSame(query)) return this.#search.text;
    const text = stringify(query);
    this.#search = isJson(query) ? madeFrom(query, text, this.#search) : undefined;
    return text;
  }
}

const madeFrom = (query: Params, text: string, last: Made | undefined): Made => ({
  text,
  value: last?.text === text ? originalOf(JSON.parse(JSON.stringify(query)) as Container, false) : undefined,
});

export class ParsedQueries {
  readonly #parse: (search: string) => Params;
  readonly #queries = new Map<string, ParsedQuery>();

  /** `parse` throws ApiErrors. */
  constructor(parse: (search: string) => Params) {
    this.#parse = parse;
  }

  of(search: string): ParsedQuery {
    const found = this.#queries.get(search);
    if (found) return found;
    const query = new ParsedQuery(search === "" ? {} : this.#parse(search));
    if (search.length > MAX_LENGTH) return query;
    if (this.#queries.size >= MAX_ENTRIES) this.#queries.clear();
    this.#queries.set(search, query);
    return query;
  }
}
