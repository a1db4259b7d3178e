/** Node's response (`ctx.res`), through which Koa and code respond. What is written to it is sent as it is written. */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { Writable } from "node:stream";
import type { NodeRequest } from "./node-request.ts";

/** The headers that each built-in middleware sets. */
const headerPatterns: Readonly<Record<string, RegExp>> = {
  cors: /^(access-control-|vary$)/,
  poweredBy: /^x-powered-by$/,
  security:
    /^(content-security-policy(-report-only)?|cross-origin-(embedder|opener|resource)-policy|expect-ct|origin-agent-cluster|referrer-policy|strict-transport-security|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/,
};

/** Set after the action. */
export const POWERED_BY = "x-powered-by";

/** Whether a built-in middleware sets a header. */
export const isHeaderOf = (builtin: string, name: string): boolean => headerPatterns[builtin]?.test(name) === true;

const BEFORE_ACTION = new RegExp(`${headerPatterns.cors!.source}|${headerPatterns.security!.source}`);
const isSetBeforeAction = (name: string): boolean => BEFORE_ACTION.test(name);

export type HeaderValue = string | number | readonly string[];

/** Sets a header of a response of the server, which has each item of a list as a line. */
export function setHeader(headers: Headers, name: string, value: HeaderValue): void {
  if (!Array.isArray(value)) return headers.set(name, String(value));
  headers.delete(name);
  for (const item of value as readonly string[]) headers.append(name, item);
}

type HeaderFields = Readonly<Record<string, HeaderValue | undefined>> | readonly HeaderValue[];
/** All of it, or a stream; null for none. */
export type SentBody = string | Uint8Array | Blob | ReadableStream<Uint8Array> | null;

export interface ResponseSink {
  /** Sends the head, which is final then. */
  readonly begin: (body: SentBody) => void;
  /** Called for each chunk. */
  readonly wrote: () => void;
  /** Called when the response has ended, or the client has gone away. */
  readonly ended: () => void;
}

const headersSentError = (action: string): Error =>
  Object.assign(new Error(`Cannot ${action} headers after they are sent to the client`), {
    code: "ERR_HTTP_HEADERS_SENT",
  });

type Callback = (error?: Error | null) => void;

const isChunk = (value: unknown): value is string | Uint8Array =>
  typeof value === "string" || value instanceof Uint8Array;

export class NodeResponse extends Writable {
  readonly req: NodeRequest;
  /** A body of JSON or of the server, which Koa has not been given: it becomes `ctx.body` when code reads that. */
  unread: string | ReadableStream<Uint8Array> | undefined;
  /** Code that reads a body of JSON gets its text. */
  isText = false;
  statusCode = 404;
  statusMessage = "";
  #sink: ResponseSink | undefined;
  /** By name in lower case, as they were set. */
  readonly #headers = new Map<string, HeaderValue>();
  /** The headers of built-in middlewares that none of the project surrounds: they are added when the response is created. */
  common: (() => Headers) | undefined;
  /** Those of them that code has removed. */
  readonly removedHeaders = new Set<string>();
  #isHeadFinal = false;
  #isBegun = false;
  /** What is written is not sent, since the response has no streamed body. */
  #isDiscarding = false;
  /** It was sent as a whole, for which no stream is needed. */
  #isWhole = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Continues a write that waits for the client. */
  #written: Callback | undefined;

  constructor(req: NodeRequest) {
    super({ decodeStrings: true });
    this.req = req;
    // an error without a listener would end the process
    super.on("error", () => undefined);
  }

  /** Where to send what is written. */
  connect(sink: ResponseSink): void {
    this.#sink = sink;
  }

  get socket(): NodeRequest["socket"] {
    return this.req.socket;
  }

  get connection(): NodeRequest["socket"] {
    return this.socket;
  }

  get headersSent(): boolean {
    return this.#isHeadFinal;
  }

  get finished(): boolean {
    return this.isEnded;
  }

  get isEnded(): boolean {
    return this.#isWhole || this.writableEnded;
  }

  override on(event: string, listener: (...args: never[]) => void): this {
    if (event === "close") this.req.watchClient();
    return super.on(event, listener as (...args: unknown[]) => void);
  }

  setHeader(name: string, value: HeaderValue): this {
    if (this.#isHeadFinal) throw headersSentError("set");
    validateHeaderName(name);
    for (const item of [value].flat()) validateHeaderValue(name, item as string);
    this.#headers.set(name.toLowerCase(), value);
    this.removedHeaders.delete(name.toLowerCase());
    return this;
  }

  /** Adds headers of a built-in middleware, with names in lower case. `Vary` keeps what it has. */
  addHeaders(headers: readonly (readonly [name: string, value: string])[]): void {
    if (this.#isHeadFinal) return;
    for (const [name, value] of headers) {
      const before = name === "vary" ? this.#headers.get(name) : undefined;
      this.#headers.set(name, before === undefined ? value : `${String(before)}, ${value}`);
    }
  }

  setHeaders(headers: Headers | ReadonlyMap<string, HeaderValue>): this {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }

  appendHeader(name: string, value: string | readonly string[]): this {
    return this.setHeader(name, [this.getHeader(name) ?? [], value].flat().map(String));
  }

  getHeader(name: string): HeaderValue | undefined {
    const lower = name.toLowerCase();
    return this.#headers.get(lower) ?? this.#commonHeader(lower);
  }

  #commonHeader(name: string): string | undefined {
    if (!this.common || this.removedHeaders.has(name) || !isSetBeforeAction(name)) return undefined;
    return this.common().get(name) ?? undefined;
  }

  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined;
  }

  removeHeader(name: string): void {
    if (this.#isHeadFinal) throw headersSentError("remove");
    const lower = name.toLowerCase();
    this.#headers.delete(lower);
    if (isSetBeforeAction(lower)) this.removedHeaders.add(lower);
  }

  /** Without those of built-in middlewares that are added later. */
  get ownHeaders(): ReadonlyMap<string, HeaderValue> {
    return this.#headers;
  }

  getHeaderNames(): string[] {
    return Object.keys(this.getHeaders());
  }

  getHeaders(): Record<string, HeaderValue> {
    const common = [...(this.common?.() ?? [])].filter(([name]) => this.#commonHeader(name) !== undefined);
    return Object.fromEntries([...common, ...this.#headers]);
  }

  /**
   * Takes over the headers of a response of the server. What code has made of those that every response has is kept, as are earlier ones with
   * other names, and cookies.
   */
  adoptHeaders(headers: Headers, common: Headers): void {
    this.removeHeader("content-type");
    for (const name of common.keys())
      if (!headers.has(name)) {
        this.#headers.delete(name);
        this.removedHeaders.add(name);
      }
    for (const [name, value] of headers)
      if (name !== "set-cookie" && common.get(name) !== value) this.#headers.set(name, value);
    const cookies = headers.getSetCookie();
    if (cookies.length > 0) this.appendHeader("set-cookie", cookies);
  }

  writeHead(status: number, message?: string | HeaderFields, fields?: HeaderFields): this {
    if (this.#isHeadFinal) throw headersSentError("write");
    if (!Number.isInteger(status) || status < 100 || status > 999)
      throw Object.assign(new RangeError(`Invalid status code: ${status}`), { code: "ERR_HTTP_INVALID_STATUS_CODE" });
    this.statusCode = status;
    if (typeof message === "string") this.statusMessage = message;
    const headers = (typeof message === "object" ? message : fields) ?? {};
    if (Array.isArray(headers))
      for (let at = 0; at < headers.length; at += 2) this.setHeader(String(headers[at]), headers[at + 1]);
    else for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.setHeader(name, value);
    this.#isHeadFinal = true;
    return this;
  }

  flushHeaders(): void {
    this.#beginStream();
  }

  setTimeout(_ms: number, callback?: () => void): this {
    if (callback) this.on("timeout", callback);
    return this;
  }

  override write(...args: readonly unknown[]): boolean {
    const send = super.write as (...own: readonly unknown[]) => boolean;
    if (this.isEnded || !isChunk(args[0])) return send.apply(this, [...args]);
    this.#beginStream();
    return send.apply(this, [...args]);
  }

  override end(...args: readonly unknown[]): this {
    const [chunk, encoding] = args;
    const callback = args.find((arg) => typeof arg === "function");
    const finish = super.end as (...own: readonly unknown[]) => this;
    if (this.isEnded || this.#isBegun) return finish.apply(this, [...args]);
    if (!isChunk(chunk) && typeof chunk !== "function" && chunk !== undefined && chunk !== null)
      return finish.apply(this, [...args]);
    const isEncoded = typeof chunk === "string" && typeof encoding === "string" && encoding !== "utf8";
    this.endWith(isEncoded ? Buffer.from(chunk, encoding as "latin1") : isChunk(chunk) ? chunk : null);
    if (callback) process.nextTick(callback);
    return this;
  }

  /** Sends `unread`. Koa does not respond then. */
  endUnread(): void {
    this.endWith(this.req.method === "HEAD" ? null : (this.unread ?? null));
  }

  /** Only those who listen are told that a response without a stream has ended, since that takes time. */
  endWith(body: SentBody): void {
    this.#isDiscarding = true;
    this.#isWhole = true;
    this.#begin(body);
    const isHeard = this.listenerCount("finish") + this.listenerCount("close") + this.req.listenerCount("close") > 0;
    if (!isHeard) return void this.#sink?.ended();
    // loggers ask for the length, which the runtime sets
    if (isChunk(body)) this.#headers.set("content-length", String(Buffer.byteLength(body)));
    super.end();
  }

  #begin(body: SentBody): void {
    // as on Node: packages that set headers last have replaced it
    if (!this.#isHeadFinal && Object.hasOwn(this, "writeHead")) this.writeHead(this.statusCode);
    this.#isHeadFinal = true;
    this.#isBegun = true;
    this.#sink?.begin(body);
  }

  #beginStream(): void {
    if (this.#isBegun || this.destroyed) return;
    this.#isDiscarding = this.req.method === "HEAD";
    this.#begin(
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#continue(),
        cancel: () => void this.destroy(),
      }),
    );
  }

  #continue(): void {
    const written = this.#written;
    this.#written = undefined;
    written?.();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: Callback): void {
    if (this.#isDiscarding || !this.#controller) return done();
    this.#sink?.wrote();
    this.#controller.enqueue(chunk);
    this.#written = done;
    if ((this.#controller.desiredSize ?? 0) > 0) this.#continue();
  }

  override _final(done: Callback): void {
    if (!this.#isDiscarding) this.#controller?.close();
    this.#controller = undefined;
    done();
  }

  /** Cuts the connection if the response has not ended. */
  override _destroy(error: Error | null, done: Callback): void {
    // without the error, which the runtime would print with source code
    this.#controller?.error();
    this.#controller = undefined;
    this.#written = undefined;
    this.#sink?.ended();
    // ends the streams that are the body
    if (!this.writableFinished) this.socket.destroy();
    if (this.req.listenerCount("close") > 0) this.req.destroy();
    done(error);
  }
}
