/** Koa's response. */
import { EventEmitter } from "node:events";
import { JSON_TYPE, matchedType, mediaTypeOf } from "./media-types.ts";
import { redirectTo } from "./redirect.ts";
import type { RequestView } from "./request-view.ts";
import { ResponseHeaders } from "./response-headers.ts";
import { isEmptyStatus, statusTexts } from "./statuses.ts";

const isNodeStream = (body: unknown): body is { destroy?: () => unknown } =>
  typeof body === "object" && body !== null && "pipe" in body;
const isStream = (body: unknown): boolean => body instanceof ReadableStream || isNodeStream(body);

export class ResponseView {
  readonly request: RequestView;
  /** Whether code has set a status. */
  isStatusSet = false;
  /** Whether code has set a body, even to null or undefined. */
  isBodySet = false;
  /** Whether the body was ever set to null. Then none is sent, for any status. */
  isBodyNull = false;
  readonly #headers = new ResponseHeaders();
  #isAdopted = false;
  #status = 404;
  #body: unknown;
  #message: string | undefined;
  #res: EventEmitter | undefined;
  /** A JSON body as text. It is parsed when code reads `body`. */
  #text: string | undefined;
  #isTextParsed = false;
  readonly #sentCallbacks: (() => unknown)[] = [];
  /** All streams that were set as the body. */
  #streams: unknown[] | undefined;

  constructor(request: RequestView) {
    this.request = request;
  }

  get ctx(): object {
    return this.request.ctx;
  }

  get header(): Headers {
    return this.#headers.all;
  }

  get headers(): Record<string, string> {
    return this.header.toJSON() as Record<string, string>;
  }

  /** Takes over all headers of a response of the server. */
  adoptHeaders(headers: Headers): void {
    this.#isAdopted = true;
    this.#headers.adopt(headers);
  }

  /** All headers of the response. `common` creates the default ones. */
  sentHeaders(common: () => Headers): Headers {
    if (this.#isAdopted) return this.header;
    const headers = common();
    this.#headers.addTo(headers);
    return headers;
  }

  /** Whether it has a body, and no other header than the type of JSON. */
  get isPlainJson(): boolean {
    return this.hasBody && !isEmptyStatus(this.#status) && !this.#isAdopted && this.#headers.isOnly(JSON_TYPE);
  }

  /** A substitute for Node's response, with headers and events, but without writing. */
  get res() {
    this.#res ??= Object.assign(new EventEmitter(), {
      setHeader: (name: string, value: string) => this.set(name, value),
      getHeader: (name: string) => this.get(name),
      removeHeader: (name: string) => this.remove(name),
      hasHeader: (name: string) => this.header.has(name),
      getHeaders: () => this.headers,
      getHeaderNames: () => [...this.header.keys()],
      headersSent: false,
      finished: false,
      writableEnded: false,
    });
    Object.defineProperty(this.#res, "statusCode", {
      configurable: true,
      get: () => this.status,
      set: (status: number) => {
        this.status = status;
      },
    });
    return this.#res;
  }

  get status(): number {
    return this.#status;
  }

  set status(status: number) {
    if (!Number.isInteger(status) || status < 100 || status > 999) throw new Error(`invalid status code: ${status}`);
    this.isStatusSet = true;
    this.#status = status;
    if (isEmptyStatus(status) && this.#body) this.body = null;
  }

  get message(): string {
    return this.#message ?? statusTexts[this.#status] ?? "";
  }

  set message(message: string) {
    this.#message = message;
  }

  get body(): unknown {
    if (this.#text !== undefined && !this.#isTextParsed) {
      this.#isTextParsed = true;
      this.#body = this.#text === "" ? undefined : JSON.parse(this.#text);
    }
    return this.#body;
  }

  /** Whether there is a body to send. Does not parse it. */
  get hasBody(): boolean {
    return Boolean(this.unchangedText) || (this.#body !== undefined && this.#body !== null);
  }

  /** Sets a JSON body. Code that reads `body` gets the parsed value. */
  sendJson(json: string): void {
    if (!this.isStatusSet) this.status = 200;
    this.type = "json";
    this.setText(json);
  }

  setText(text: string): void {
    this.isBodySet = true;
    this.#text = text;
    this.#isTextParsed = false;
  }

  get hasText(): boolean {
    return this.#text !== undefined;
  }

  /** The text that was set, until code reads or replaces `body`. */
  get unchangedText(): string | undefined {
    return this.#isTextParsed ? undefined : this.#text;
  }

  /** Calls `callback` when the response is sent. */
  whenSent(callback: () => unknown): void {
    this.#sentCallbacks.push(callback);
  }

  /** Calls the callbacks, and closes replaced streams, whose files would stay open. */
  sent(): void {
    for (const callback of this.#sentCallbacks) void callback();
    const body = isEmptyStatus(this.#status) ? undefined : this.#body;
    for (const stream of this.#streams ?? []) {
      if (stream === body) continue;
      if (stream instanceof ReadableStream) void stream.cancel().catch(() => undefined);
      else if (isNodeStream(stream)) stream.destroy?.();
    }
  }

  set body(body: unknown) {
    this.isBodySet = true;
    this.#body = body;
    if (isStream(body)) this.#streams = [...(this.#streams ?? []), body];
    if (this.#text !== undefined) this.#isTextParsed = true;
    if (body === null || body === undefined) {
      if (!isEmptyStatus(this.#status)) this.status = 204;
      if (body === null) this.isBodyNull = true;
      for (const name of ["content-type", "content-length", "transfer-encoding"]) this.#headers.delete(name);
      return;
    }
    if (!this.isStatusSet) this.status = 200;
    const isTyped = this.#headers.contentType !== null;
    if (typeof body === "string") {
      if (!isTyped) this.type = /^\s*</.test(body) ? "html" : "text";
    } else if (body instanceof Uint8Array || isStream(body)) {
      if (!isTyped) this.type = "bin";
    } else if (!(body instanceof Blob) && !(body instanceof Response)) {
      // as in Koa, even if another type was set before
      this.type = "json";
    }
  }

  get type(): string {
    return (this.#headers.contentType ?? "").split(";")[0]!.trim();
  }

  set type(type: string) {
    this.#headers.contentType = type ? mediaTypeOf(type) : null;
  }

  /** As that of the request, for the type of the response. */
  is(...types: readonly (string | readonly string[])[]): string | false {
    return matchedType(this.type, types.flat());
  }

  get length(): number | undefined {
    const length = this.header.get("content-length");
    return length === null ? undefined : Number(length);
  }

  set length(length: number | undefined) {
    this.header.set("content-length", String(length));
  }

  get etag(): string {
    return this.header.get("etag") ?? "";
  }

  set etag(etag: string) {
    this.header.set("etag", /^(W\/)?"/.test(etag) ? etag : `"${etag}"`);
  }

  get lastModified(): Date | undefined {
    const time = this.header.get("last-modified");
    return time === null ? undefined : new Date(time);
  }

  set lastModified(time: string | Date | undefined) {
    if (time !== undefined) this.header.set("last-modified", new Date(time).toUTCString());
  }

  get headerSent(): boolean {
    return false;
  }

  get writable(): boolean {
    return true;
  }

  get(name: string): string {
    return this.header.get(name) ?? "";
  }

  has(name: string): boolean {
    return this.header.has(name);
  }

  set(name: string | Readonly<Record<string, unknown>>, value?: unknown): void {
    if (typeof name !== "string") {
      for (const [key, item] of Object.entries(name)) this.set(key, item);
      return;
    }
    this.header.delete(name);
    for (const item of [value].flat()) this.header.append(name, String(item));
  }

  append(name: string, value: unknown): void {
    for (const item of [value].flat()) this.header.append(name, String(item));
  }

  remove(name: string): void {
    this.header.delete(name);
  }

  /** Adds names that the header does not have yet. `*` replaces them all. */
  vary(names: string | readonly string[]): void {
    const known = new Map<string, string>();
    for (const name of [this.get("vary"), names].flat().flatMap((list) => list.split(","))) {
      const key = name.trim().toLowerCase();
      if (key !== "" && !known.has(key)) known.set(key, name.trim());
    }
    this.header.set("vary", known.has("*") ? "*" : [...known.values()].join(", "));
  }

  flushHeaders(): void {}

  redirect(url: string, alternative?: string): void {
    const isHtml = Boolean(this.request.accepts("html"));
    const { location, text } = redirectTo(
      url === "back" ? this.request.get("referrer") || alternative || "/" : url,
      isHtml,
    );
    this.header.set("location", location);
    if (![300, 301, 302, 303, 305, 307, 308].includes(this.#status)) this.status = 302;
    this.type = isHtml ? "html" : "text";
    this.body = text;
  }

  attachment(filename?: string): void {
    const name = filename?.split(/[\\/]/).at(-1);
    if (name?.includes(".")) this.type = name.slice(name.lastIndexOf(".") + 1);
    this.header.set("content-disposition", name ? attachmentOf(name) : "attachment");
  }

  toJSON(): Record<string, unknown> {
    return { status: this.status, message: this.message, header: this.headers };
  }
}

/** Names beyond Latin-1 are sent both with question marks and in the encoded form of RFC 5987. */
function attachmentOf(name: string): string {
  const quoted = name
    .replace(/[\r\n]/g, "")
    .replace(/[^\x20-\x7e\xa0-\xff]/g, "?")
    .replace(/[\\"]/g, "\\$&");
  const isPlain = /^[\x20-\x7e\xa0-\xff]*$/.test(name) && !/%[0-9A-Fa-f]{2}/.test(name);
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${quoted}"${isPlain ? "" : `; filename*=UTF-8''${encoded}`}`;
}
