/**
 * Query strings of one site differ in pages and filters, and repeat what they populate and sort by. Those parameters are parsed once,
 * and shared by requests: they are frozen.
 */
import type { Params } from "../../engine/query/parse.ts";
import { share } from "../../engine/query/populate-plans.ts";
import { parseQueryString, type QueryStringOptions } from "./query-string.ts";

const REPEATED: ReadonlySet<string> = new Set(["populate", "fields", "sort"]);
const ANY_REPEATED = /(?:^|&)(?:populate|fields|sort)(?:[=[&]|%5B|$)/i;
/** A name without escapes: another spelling of a repeated one would have to be merged with it. */
const NAME = /^[\w-]+(?=[=[]|%5B|$)/i;

/** Of a text that is kept, in characters, and of texts. */
const MAX_LENGTH = 2_000;
const MAX_TEXTS = 200;

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const item of Object.values(value)) freeze(item);
  Object.freeze(value);
}

export class RepeatedParams {
  readonly #parsed = new Map<string, Params>();

  /** The result and the errors of `parseQueryString`, for query strings without options of the project. */
  parse(text: string, maxParameters: number): Params {
    const options = { maxParameters };
    if (!ANY_REPEATED.test(text)) return parseQueryString(text, options);
    const parts = text.split("&");
    if (parts.length > maxParameters) return parseQueryString(text, options);
    const repeated: string[] = [];
    const others: string[] = [];
    for (const part of parts) {
      const name = NAME.exec(part)?.[0];
      if (name === undefined) return parseQueryString(text, options);
      (REPEATED.has(name) ? repeated : others).push(part);
    }
    return { ...parseQueryString(others.join("&"), options), ...this.#parse(repeated.join("&"), options) };
  }

  #parse(text: string, options: QueryStringOptions): Params {
    const known = this.#parsed.get(text);
    if (known) return known;
    const params = parseQueryString(text, options);
    if (text.length > MAX_LENGTH) return params;
    freeze(params);
    share(params.populate);
    if (this.#parsed.size >= MAX_TEXTS) this.#parsed.clear();
    this.#parsed.set(text, params);
    return params;
  }
}
