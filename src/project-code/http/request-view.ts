/** Koa's request. Code may replace its query and body. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { changedHeaders } from "./changed-headers.ts";
import { isFresh } from "./freshness.ts";
import { matchedType } from "./media-types.ts";
import { type Preferred, preferred, preferredType } from "./negotiation.ts";
import { createNodeRequest } from "./node-request.ts";
import { pathnameOf, searchOf } from "./request-path.ts";
import { type QueryTools, RequestQuery } from "./request-query.ts";
import type { SessionOptions } from "./session-options.ts";

/** Functions of the server that the request uses. */
export interface RequestTools extends QueryTools {
  /** `ctx.app`. */
  readonly app: object;
  readonly clientIp: (request: Request) => string;
  /** Undefined: requests have no session. */
  readonly session?: SessionOptions | undefined;
}

type Fields = Record<string, unknown>;

export class RequestView {
  /** The request as received. */
  readonly original: Request;
  readonly #tools: RequestTools;
  readonly ctx: object;
  readonly #query: RequestQuery;
  #headers: Record<string, string> | undefined;
  #req: IncomingMessage | undefined;
  #received: URL | undefined;
  #path: string | undefined;
  #method: string | undefined;
  body: unknown;
  rawBody: string | undefined;
  files: Fields | undefined;

  constructor(original: Request, tools: RequestTools, ctx: object) {
    this.original = original;
    this.#tools = tools;
    this.#query = new RequestQuery(original, tools);
    this.ctx = ctx;
  }

  get app(): object {
    return this.#tools.app;
  }

  /** Koa's response to this request. */
  get response(): unknown {
    return (this.ctx as { readonly response?: unknown }).response;
  }

  get req(): IncomingMessage {
    this.#req ??= createNodeRequest(this);
    return this.#req;
  }

  /** Whether code uses Node's request. */
  get hasReq(): boolean {
    return this.#req !== undefined;
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

  /** Without what proxies add. */
  get #receivedUrl(): URL {
    this.#received ??= new URL(this.original.url);
    return this.#received;
  }

  /** As the client sees it, if the project trusts its proxies. */
  get URL(): URL {
    return new URL(this.href);
  }

  get url(): string {
    return `${this.path}${this.search}`;
  }

  set url(url: string) {
    const queryStart = url.indexOf("?");
    this.#path = queryStart < 0 ? url : url.slice(0, queryStart);
    this.querystring = searchOf(url);
  }

  /** The parameters of the route. */
  get params(): Record<string, string> {
    return (this.ctx as { params: Record<string, string> }).params;
  }

  set params(params: Record<string, string>) {
    (this.ctx as { params: Record<string, string> }).params = params;
  }

  /** Whether code has changed the method or path. */
  get isRetargeted(): boolean {
    const isMethodChanged = this.#method !== undefined && this.#method !== this.original.method;
    return isMethodChanged || (this.#path !== undefined && this.#path !== pathnameOf(this.original.url));
  }

  /** Undefined if code has not changed them. */
  get changedHeaders(): Headers | undefined {
    return this.#headers && changedHeaders(this.original.headers, this.#headers);
  }

  get originalUrl(): string {
    return this.#receivedUrl.pathname + this.#receivedUrl.search;
  }

  get origin(): string {
    return `${this.protocol}://${this.host}`;
  }

  /** The values of a header of proxies in front of the server, if the project trusts them. */
  #forwardedAll(name: string): string[] {
    const { proxy } = this.app as { readonly proxy?: unknown };
    const values = proxy ? this.header[`x-forwarded-${name}`] : undefined;
    const list = (values ?? "").split(",").map((value) => value.trim());
    return list.filter(Boolean);
  }

  #forwarded(name: string): string | undefined {
    return this.#forwardedAll(name)[0];
  }

  get href(): string {
    return this.origin + this.originalUrl;
  }

  get path(): string {
    return this.#path ?? pathnameOf(this.original.url);
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
    return this.#query.text;
  }

  set querystring(querystring: string) {
    this.#query.text = querystring;
  }

  get query(): Fields {
    return this.#query.value;
  }

  set query(query: Fields) {
    this.#query.value = query;
  }

  /** Whether code has changed the query. */
  get isQueryChanged(): boolean {
    return this.#query.isChanged;
  }

  /** The JSON of the query. Undefined if code has set values that JSON does not show, such as big integers. */
  get queryJson(): string | undefined {
    return this.#query.json;
  }

  get host(): string {
    return this.#forwarded("host") || (this.header.host ?? this.#receivedUrl.host);
  }

  get hostname(): string {
    return this.host.replace(/:\d+$/, "");
  }

  get subdomains(): string[] {
    if (isIP(this.hostname)) return [];
    return this.hostname.split(".").reverse().slice(2);
  }

  get protocol(): string {
    return this.#forwarded("proto") || this.#receivedUrl.protocol.slice(0, -1);
  }

  get secure(): boolean {
    return this.protocol === "https";
  }

  get ip(): string {
    return this.ips[0] ?? this.#tools.clientIp(this.original);
  }

  /** The addresses that proxies have added, the client's first. */
  get ips(): string[] {
    return this.#forwardedAll("for");
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
    if (this.method !== "GET" && this.method !== "HEAD") return false;
    const { status, header } = this.response as { readonly status: number; readonly header: Headers };
    return ((status >= 200 && status < 300) || status === 304) && isFresh(this.header, header);
  }

  get stale(): boolean {
    return !this.fresh;
  }

  get(name: string): string {
    const lower = name.toLowerCase();
    // as in Koa, which knows both spellings
    if (lower === "referrer" || lower === "referer") return this.#field("referrer") || this.#field("referer");
    return this.#field(lower);
  }

  #field(field: string): string {
    // once code has accessed `headers`, it may have changed them
    return (this.#headers ? this.#headers[field] : this.original.headers.get(field)) ?? "";
  }

  is(...types: readonly (string | readonly string[])[]): string | false | null {
    if (this.original.body === null && this.length === undefined) return null;
    return matchedType(this.type, types.flat());
  }

  accepts(...types: readonly (string | readonly string[])[]): Preferred {
    return preferredType(this.header, types.flat());
  }

  acceptsLanguages(...languages: readonly (string | readonly string[])[]): Preferred {
    return preferred(this.header, "languages", languages.flat());
  }

  acceptsEncodings(...encodings: readonly (string | readonly string[])[]): Preferred {
    return preferred(this.header, "encodings", encodings.flat());
  }

  acceptsCharsets(...charsets: readonly (string | readonly string[])[]): Preferred {
    return preferred(this.header, "charsets", charsets.flat());
  }

  inspect(): Fields {
    return this.toJSON();
  }

  toJSON(): Fields {
    return { method: this.method, url: this.url, header: this.header };
  }
}
