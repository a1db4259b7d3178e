/** Parsed query strings. Code gets a copy of its own, which it may change; copying takes less time than parsing. */
import { JsonValue } from "./json-copies.ts";

type Params = Record<string, unknown>;

const MAX_TEXTS = 500;
/** Longer ones are parsed each time. */
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
    if (this.#parsed.size >= MAX_TEXTS) this.#parsed.clear();
    this.#parsed.set(search, parsed);
    return parsed;
  }
}
