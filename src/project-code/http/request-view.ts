/** Koa's request. Code may replace its query and body. */
import { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { matchedType } from "./media-types.ts";
import type { ParsedQueries } from "./parsed-queries.ts";
import type { SessionOptions } from "./session-options.ts";

/** Functions of the server that the request uses. */
export interface RequestTools {
  readonly queries: ParsedQueries;
  /** `ctx.app`. */
  readonly app: object;
  readonly stringifyQuery: (query: Record<string, unknown>) => string;
  readonly clientIp: (request: Request) => string;
  /** Undefined: requests have no session. */
  readonly session?: SessionOptions | undefined;
}

type Fields = Record<string, unknown>;

/** The first candidate that matches. */
function firstOf(candidates: readonly string[], matches: (name: string) => boolean): string | false {
  return candidates.find(matches) ?? false;
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  json: "application/json",
  html: "text/html",
  text: "text/plain",
  xml: "application/xml",
  urlencoded: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
};

function matchesType(name: string, type: string): boolean {
  const mediaType = SHORT_NAMES[name] ?? name;
  if (mediaType.endsWith("/*")) return type.startsWith(mediaType.slice(0, -1));
  if (mediaType.startsWith("*/")) return type.endsWith(mediaType.slice(1));
  return type === mediaType;
}

/** The raw query string without the question mark. */
function searchOf(url: string): string {
  const queryStart = url.indexOf("?");
  return queryStart < 0 ? "" : url.slice(queryStart + 1);
}

export class RequestView {
  /** The request as received. */
  readonly original: Request;
  readonly #tools: RequestTools;
  readonly ctx: object;
  #query: Fields | undefined;
  #querystring: string | undefined;
  #headers: Record<string, string> | undefined;
  #req: IncomingMessage | undefined;
  #url: URL | undefined;
  #path: string | undefined;
  #method: string | undefined;
  body: unknown;
  rawBody: string | undefined;
  files: Fields | undefined;

  constructor(original: Request, tools: RequestTools, ctx: object) {
    this.original = original;
    this.#tools = tools;
    this.ctx = ctx;
  }

  get app(): object {
    return this.#tools.app;
  }

  /** Koa's response to this request. */
  get response(): unknown {
    return (this.ctx as { readonly response?: unknown }).response;
  }

  /** Node's request with method, URL and headers, but without the body. */
  get req(): IncomingMessage {
    if (!this.#req) {
      const req = new IncomingMessage({ remoteAddress: this.ip, destroy: () => {} } as unknown as Socket);
      this.#req = Object.assign(req, { method: this.method, url: this.url, headers: this.headers, httpVersion: "1.1" });
    }
    return this.#req;
  }

  get socket() {
    return this.req.socket;
  }

  get header(): Record<string, string> {
    if (!this.#headers) {
      this.#headers = this.original.headers.toJSON() as Record<string, string>;
    }
    return this.#headers;
  }

  get headers(): Record<string, string> {
    return this.header;
  }

  set headers(headers: Record<string, string>) {
    this.#headers = headers;
  }

  get method(): string {
    return this.#method ?? this.original.method;
  }

  set method(method: string) {
    this.#method = method;
  }

  get URL(): URL {
    this.#url ??= new URL(this.original.url);
    return this.#url;
  }

  get url(): string {
    return `${this.path}${this.search}`;
  }

  get originalUrl(): string {
    return this.URL.pathname + this.URL.search;
  }

  get origin(): string {
    return this.URL.origin;
  }

  get href(): string {
    return this.original.url;
  }

  get path(): string {
    return this.#path ?? this.URL.pathname;
  }

  set path(path: string) {
    this.#path = path;
  }

  get search(): string {
    return this.querystring === "" ? "" : `?${this.querystring}`;
  }

  set search(search: string) {
    this.querystring = search.replace(/^\?/, "");
  }

  get querystring(): string {
    return this.#querystring ?? searchOf(this.original.url);
  }

  set querystring(querystring: string) {
    this.#querystring = querystring;
    this.#query = undefined;
  }

  get query(): Fields {
    this.#query ??= this.#tools.queries.copyOf(this.querystring);
    return this.#query;
  }

  /** As in the reference, the value is converted to a query string and parsed again, so that its values are strings. */
  set query(query: Fields) {
    this.querystring = this.#tools.stringifyQuery(query ?? {});
  }

  /** Whether code has changed the query. */
  get isQueryChanged(): boolean {
    if (this.#query === undefined && this.#querystring === undefined) return false;
    return !this.#tools.queries.isSame(searchOf(this.original.url), this.query);
  }

  /** The JSON of the query. Undefined if code has set values that JSON does not show, such as big integers. */
  get queryJson(): string | undefined {
    return this.#tools.queries.jsonOf(this.querystring, this.query);
  }

  get host(): string {
    return this.header.host ?? this.URL.host;
  }

  get hostname(): string {
    return this.host.replace(/:\d+$/, "");
  }

  get subdomains(): string[] {
    if (isIP(this.hostname)) return [];
    return this.hostname.split(".").reverse().slice(2);
  }

  get protocol(): string {
    return this.URL.protocol.slice(0, -1);
  }

  get secure(): boolean {
    return this.protocol === "https";
  }

  get ip(): string {
    return this.#tools.clientIp(this.original);
  }

  get ips(): string[] {
    return [];
  }

  get type(): string {
    return (this.header["content-type"] ?? "").split(";")[0]!.trim();
  }

  get charset(): string {
    return /charset=([^;\s]+)/i.exec(this.header["content-type"] ?? "")?.[1] ?? "";
  }

  get length(): number | undefined {
    const length = this.header["content-length"];
    return length === undefined ? undefined : Number(length);
  }

  get idempotent(): boolean {
    return ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].includes(this.method);
  }

  get fresh(): boolean {
    return false;
  }

  get stale(): boolean {
    return true;
  }

  get(name: string): string {
    const lower = name.toLowerCase();
    const field = lower === "referrer" ? "referer" : lower;
    // once code has accessed `headers`, it may have changed them
    return (this.#headers ? this.#headers[field] : this.original.headers.get(field)) ?? "";
  }

  is(...types: readonly (string | readonly string[])[]): string | false | null {
    if (this.original.body === null && this.length === undefined) return null;
    return matchedType(this.type, types.flat());
  }

  accepts(...types: readonly (string | readonly string[])[]): string | false | string[] {
    return this.#accepted("accept", types.flat(), matchesType);
  }

  acceptsLanguages(...languages: readonly (string | readonly string[])[]): string | false | string[] {
    return this.#accepted("accept-language", languages.flat(), (name, range) => name.startsWith(range));
  }

  acceptsEncodings(...encodings: readonly (string | readonly string[])[]): string | false | string[] {
    return this.#accepted("accept-encoding", encodings.flat(), (name, range) => name === range);
  }

  acceptsCharsets(...charsets: readonly (string | readonly string[])[]): string | false | string[] {
    return this.#accepted("accept-charset", charsets.flat(), (name, range) => name === range);
  }

  #accepted(header: string, candidates: readonly string[], matches: (name: string, range: string) => boolean) {
    const ranges = (this.header[header] ?? "*/*").split(",").map((range) => range.split(";")[0]!.trim());
    if (candidates.length === 0) return ranges;
    const acceptsAll = ranges.some((range) => range === "*" || range === "*/*");
    return firstOf(candidates, (name) => acceptsAll || ranges.some((range) => matches(name, range)));
  }

  toJSON(): Fields {
    return { method: this.method, url: this.url, header: this.header };
  }
}
