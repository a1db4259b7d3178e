/** The query of Koa's request, as text and as an object. Code may replace both. */
import type { ParsedQueries, ParsedQuery } from "./parsed-queries.ts";
import { searchOf } from "./request-path.ts";

export interface QueryTools {
  readonly queries: ParsedQueries;
  readonly stringifyQuery: (query: Record<string, unknown>) => string;
}

type Fields = Record<string, unknown>;

export class RequestQuery {
  readonly #sent: { readonly url: string };
  readonly #tools: QueryTools;
  /** Set by code. */
  #text: string | undefined;
  #value: Fields | undefined;
  #parsedText: ParsedQuery | undefined;

  constructor(sent: { readonly url: string }, tools: QueryTools) {
    this.#sent = sent;
    this.#tools = tools;
  }

  /** Without the question mark. */
  get text(): string {
    return this.#text ?? searchOf(this.#sent.url);
  }

  set text(text: string) {
    this.#text = text;
    this.#value = undefined;
    this.#parsedText = undefined;
  }

  get #parsed(): ParsedQuery {
    this.#parsedText ??= this.#tools.queries.of(this.text);
    return this.#parsedText;
  }

  get value(): Fields {
    this.#value ??= this.#parsed.copy();
    return this.#value;
  }

  /** As in the reference, the value is converted to a query string and parsed again, so that its values are strings. */
  set value(value: Fields) {
    const { stringifyQuery } = this.#tools;
    // a query that was not read is not parsed, since it may be invalid
    this.text = this.#parsedText?.searchOf(value ?? {}, stringifyQuery) ?? stringifyQuery(value ?? {});
  }

  /** Whether code has changed it. */
  get isChanged(): boolean {
    if (this.#value === undefined && this.#text === undefined) return false;
    const sent = this.#text === undefined ? this.#parsed : this.#tools.queries.of(searchOf(this.#sent.url));
    return !sent.isSame(this.value);
  }

  /** The JSON of the value. Undefined if code has set values that JSON does not show, such as big integers. */
  get json(): string | undefined {
    return this.#parsed.jsonOf(this.value);
  }
}
