/** Koa's response. */
import { extname } from "node:path";
import { type AttachmentOptions, attachmentOf } from "./attachment.ts";
import { closeStream, isStream, lengthOf } from "./body-kinds.ts";
import { JSON_TYPE, matchedType } from "./media-types.ts";
import { NodeResponse, type ResponseSink } from "./node-response.ts";
import { redirectTo, referrerOf } from "./redirect.ts";
import type { RequestView } from "./request-view.ts";
import { ResponseHead } from "./response-head.ts";
import { isEmptyStatus, statusTexts } from "./statuses.ts";

export class ResponseView extends ResponseHead {
  readonly request: RequestView;
  /** Whether code has set a status. */
  isStatusSet = false;
  /** Whether code has set a body, even to null or undefined. */
  isBodySet = false;
  /** Whether the body was ever set to null. Then none is sent, for any status. */
  isBodyNull = false;
  #status = 404;
  #body: unknown;
  #message: string | undefined;
  #res: NodeResponse | undefined;
  #sink: ResponseSink | undefined;
  /** A JSON body as text. It is parsed when code reads `body`. */
  #text: string | undefined;
  #isTextParsed = false;
  readonly #sentCallbacks: (() => unknown)[] = [];
  /** All streams that were set as the body. */
  #streams: unknown[] | undefined;

  constructor(request: RequestView) {
    super();
    this.request = request;
  }

  get ctx(): object {
    return this.request.ctx;
  }

  /** Whether it has a body, and no other header than the type of JSON. */
  get isPlainJson(): boolean {
    return this.hasBody && !isEmptyStatus(this.#status) && this.hasOnlyType(JSON_TYPE);
  }

  get res(): NodeResponse {
    if (!this.#res) {
      this.#res = new NodeResponse(this);
      if (this.#sink) this.#res.connect(this.#sink);
    }
    return this.#res;
  }

  /** Where to send what code writes to Node's response. */
  connect(sink: ResponseSink): void {
    this.#sink = sink;
  }

  /** Node's response, if code uses it. */
  get usedRes(): NodeResponse | undefined {
    return this.#res;
  }

  /** As the status of Node's response, which Koa does not take for one that code has chosen. */
  get nodeStatus(): number {
    return this.#status;
  }

  set nodeStatus(status: number) {
    this.#status = status;
  }

  get status(): number {
    return this.#status;
  }

  set status(status: number) {
    if (this.headerSent) return;
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
    for (const stream of this.#streams ?? []) if (stream !== body) closeStream(stream);
    // events of a streamed body come when it has ended
    if (this.#res && !isStream(body)) this.endNode();
  }

  /** Reports the end of the response to listeners on Node's objects. */
  endNode(): void {
    this.#res?.once("close", () => this.request.hasReq && this.request.req.destroy());
    this.#res?.endUnused();
  }

  set body(body: unknown) {
    this.isBodySet = true;
    this.#body = body;
    if (isStream(body)) this.#streams = [...(this.#streams ?? []), body];
    if (this.#text !== undefined) this.#isTextParsed = true;
    if (body === null || body === undefined) {
      if (!isEmptyStatus(this.#status)) this.status = 204;
      if (body === null) this.isBodyNull = true;
      for (const name of ["content-type", "content-length", "transfer-encoding"]) this.remove(name);
      return;
    }
    if (!this.isStatusSet) this.status = 200;
    const { isTyped } = this;
    if (typeof body === "string") {
      if (!isTyped) this.type = /^\s*</.test(body) ? "html" : "text";
    } else if (body instanceof Uint8Array || isStream(body)) {
      if (!isTyped) this.type = "bin";
    } else if (!(body instanceof Blob) && !(body instanceof Response)) {
      // as in Koa, even if another type was set before
      this.type = "json";
    }
  }

  /** As that of the request, for the type of the response. */
  is(...types: readonly (string | readonly string[])[]): string | false {
    return matchedType(this.type, types.flat());
  }

  /** The header, or the length of the body if it is known. In bytes. */
  get length(): number | undefined {
    const length = this.header.get("content-length");
    if (length !== null) return Number.parseInt(length, 10) || 0;
    return lengthOf(this.body);
  }

  set length(length: number | undefined) {
    this.header.set("content-length", String(length));
  }

  get headerSent(): boolean {
    return this.#res?.headersSent ?? false;
  }

  get writable(): boolean {
    return this.#res === undefined || !(this.#res.writableEnded || this.#res.destroyed);
  }

  flushHeaders(): void {
    this.res.flushHeaders();
  }

  redirect(url: string, alternative?: string): void {
    const isHtml = Boolean(this.request.accepts("html"));
    const target = url === "back" ? referrerOf(this.request) || alternative || "/" : url;
    const { location, text } = redirectTo(target, isHtml);
    this.header.set("location", location);
    if (![300, 301, 302, 303, 305, 307, 308].includes(this.#status)) this.status = 302;
    this.type = isHtml ? "html" : "text";
    this.body = text;
  }

  attachment(filename?: string, options: AttachmentOptions = {}): void {
    if (filename) this.type = extname(filename);
    this.set("content-disposition", attachmentOf(filename, options));
  }

  inspect(): Record<string, unknown> {
    return { ...this.toJSON(), body: this.body };
  }

  toJSON(): Record<string, unknown> {
    return { status: this.status, message: this.message, header: this.headers };
  }
}
