/** Caches parsed query strings as JSON, of which each request gets a copy that code may change. */
import type { Context } from "./koa.ts";
import { parseSearch } from "./request-path.ts";

type Params = Record<string, unknown>;

const MAX_ENTRIES = 500;
/** Length in characters. Longer query strings are not cached. */
const MAX_LENGTH = 2_000;

export interface QueryTools {
  /** Throws ApiErrors. */
  readonly parseQuery: (search: string) => Params;
  readonly stringifyQuery: (query: Params) => string;
}

/** JSON has no big integers, which code may put into a query. */
const withBigInts = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

export class ParsedQueries {
  readonly #tools: QueryTools;
  readonly #cached = new Map<string, string>();

  constructor(tools: QueryTools) {
    this.#tools = tools;
  }

  parse(search: string): Params {
    if (search === "") return {};
    return JSON.parse(this.json(search)) as Params;
  }

  /** Whether code has changed the query of a request. One that nobody has read is not parsed, since it may be invalid. */
  isChanged(ctx: Context): boolean {
    const sent = parseSearch(ctx.req.original.url);
    const { _querycache: read } = ctx.request as { readonly _querycache?: Readonly<Record<string, unknown>> };
    if (ctx.querystring === sent && read?.[sent] === undefined) return false;
    return JSON.stringify(ctx.query, withBigInts) !== this.json(sent);
  }

  stringify(query: Params): string {
    return this.#tools.stringifyQuery(query);
  }

  /** The JSON of a parsed query string. */
  json(search: string): string {
    const found = this.#cached.get(search);
    if (found !== undefined) return found;
    const json = JSON.stringify(search === "" ? {} : this.#tools.parseQuery(search));
    if (search.length > MAX_LENGTH) return json;
    if (this.#cached.size >= MAX_ENTRIES) this.#cached.clear();
    this.#cached.set(search, json);
    return json;
  }
}
