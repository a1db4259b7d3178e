/**
 * Caches what is made from query strings: parsed queries, and the JSON of what middlewares usually make of them. Each request gets
 * a copy, which code may change; copying and comparing are faster than parsing and serializing.
 */

import type { Container } from "./json-layouts.ts";
import { type Original, originalOf } from "./json-originals.ts";

type Params = Record<string, unknown>;

const MAX_ENTRIES = 500;
/** Length in characters. Longer query strings are not cached. */
const MAX_LENGTH = 2_000;
const MAX_DEPTH = 32;

interface Entry {
  readonly parsed: Original;
  /** The JSON of the last query with this query string; `value` undefined until it was the same twice. */
  last: { readonly json: string; readonly value: Original | undefined } | undefined;
}

/** Whether JSON shows the value as it is. In a query of code, there may be undefined, big integers, dates or functions. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (depth === MAX_DEPTH || "toJSON" in value) return false;
  for (const inner of Object.values(value)) if (!isJson(inner, depth + 1)) return false;
  return true;
}

export class ParsedQueries {
  readonly #parse: (search: string) => Params;
  readonly #entries = new Map<string, Entry>();

  /** `parse` throws ApiErrors. */
  constructor(parse: (search: string) => Params) {
    this.#parse = parse;
  }

  copyOf(search: string): Params {
    return search === "" ? {} : this.#find(search).parsed.copy();
  }

  /** Whether a query has the same parameters as a query string. */
  isSame(search: string, query: Params): boolean {
    return this.#find(search).parsed.isSame(query);
  }

  /** The JSON of a query that code has made from a query string. Undefined if JSON does not show all of it. */
  jsonOf(search: string, query: Params): string | undefined {
    const entry = this.#find(search);
    if (entry.last?.value?.isSame(query)) return entry.last.json;
    if (!isJson(query)) return undefined;
    const json = JSON.stringify(query);
    const isRepeated = entry.last?.json === json;
    entry.last = { json, value: isRepeated ? originalOf(JSON.parse(json) as Container, false) : undefined };
    return json;
  }

  #find(search: string): Entry {
    const found = this.#entries.get(search);
    if (found) return found;
    // query strings of clients are too varied for compiled functions
    const entry: Entry = { parsed: originalOf(this.#parse(search), false), last: undefined };
    if (search.length > MAX_LENGTH) return entry;
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    this.#entries.set(search, entry);
    return entry;
  }
}
