/**
 * Node's response (`ctx.res`). Its status and headers are those of Koa's response. What code writes to it is sent as it is written;
 * then Koa's response only ends it.
 */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { Writable } from "node:stream";

type HeaderValue = string | number | readonly string[];
type HeaderFields = Readonly<Record<string, HeaderValue | undefined>> | readonly HeaderValue[];

/** Koa's response, as Node's one uses it. */
export interface ResponseHead {
  /** Koa's status, which Node's code does not set explicitly. */
  nodeStatus: number;
  message: string;
  readonly header: Headers;
  readonly request: { readonly req: unknown; readonly method: string };
  set(name: string, value: unknown): void;
}

export interface ResponseSink {
  /** Sends the head, which is final then, with a whole body or a stream. */
  readonly begin: (body: Uint8Array | ReadableStream<Uint8Array>) => void;
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

export class NodeResponse extends Writable {
  readonly #head: ResponseHead;
  #sink: ResponseSink | undefined;
  /** Values as code has set them, such as numbers and lists. */
  readonly #values = new Map<string, HeaderValue>();
  #isHeadFinal = false;
  #isBegun = false;
  /** What is written is not sent, since the response has no streamed body. */
  #isDiscarding = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Continues a write that waits for the client. */
  #written: Callback | undefined;

  constructor(head: ResponseHead) {
    super({ decodeStrings: true });
    this.#head = head;
    // an error without a listener would end the process
    this.on("error", () => undefined);
    this.once("close", () => this.#sink?.ended());
  }

  /** Where to send what code writes. */
  connect(sink: ResponseSink): void {
    this.#sink = sink;
  }

  get req(): unknown {
    return this.#head.request.req;
  }

  get socket(): unknown {
    return (this.req as { readonly socket?: unknown }).socket;
  }

  get connection(): unknown {
    return this.socket;
  }

  get headersSent(): boolean {
    return this.#isHeadFinal;
  }

  get finished(): boolean {
    return this.writableEnded;
  }

  get statusCode(): number {
    return this.#head.nodeStatus;
  }

  set statusCode(status: number) {
    if (!this.#isHeadFinal) this.#head.nodeStatus = status;
  }

  get statusMessage(): string {
    return this.#head.message;
  }

  set statusMessage(message: string) {
    this.#head.message = message;
  }

  setHeader(name: string, value: HeaderValue): this {
    if (this.#isHeadFinal) throw headersSentError("set");
    validateHeaderName(name);
    for (const item of [value].flat()) validateHeaderValue(name, item as string);
    this.#head.set(name, value);
    this.#values.set(name.toLowerCase(), value);
    return this;
  }

  setHeaders(headers: Headers | ReadonlyMap<string, HeaderValue>): this {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }

  appendHeader(name: string, value: string | readonly string[]): this {
    const current = this.getHeader(name);
    return this.setHeader(name, [current ?? [], value].flat().map(String));
  }

  getHeader(name: string): HeaderValue | undefined {
    const key = name.toLowerCase();
    if (key === "set-cookie" && this.#head.header.has(key)) return this.#head.header.getSetCookie();
    const sent = this.#head.header.get(key) ?? undefined;
    const value = this.#values.get(key);
    // code may have changed it through Koa since
    return sent !== undefined && value !== undefined && [value].flat().join(", ") === sent ? value : sent;
  }

  hasHeader(name: string): boolean {
    return this.#head.header.has(name);
  }

  removeHeader(name: string): void {
    if (this.#isHeadFinal) throw headersSentError("remove");
    this.#head.header.delete(name);
  }

  getHeaderNames(): string[] {
    return [...new Set(this.#head.header.keys())];
  }

  getHeaders(): Record<string, HeaderValue | undefined> {
    return Object.fromEntries(this.getHeaderNames().map((name) => [name, this.getHeader(name)]));
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
    if (this.writableEnded || args[0] === null || !isChunk(args[0])) return send.apply(this, [...args]);
    this.#beginStream();
    return send.apply(this, [...args]);
  }

  override end(...args: readonly unknown[]): this {
    const [chunk, encoding] = args;
    const callback = args.find((arg) => typeof arg === "function");
    const finish = super.end as (...own: readonly unknown[]) => this;
    if (this.writableEnded || this.#isBegun) return finish.apply(this, [...args]);
    if (!isChunk(chunk) && typeof chunk !== "function" && chunk !== undefined && chunk !== null)
      return finish.apply(this, [...args]);
    this.#isDiscarding = true;
    const whole = isChunk(chunk)
      ? Buffer.from(chunk as string, typeof encoding === "string" ? (encoding as "utf8") : "utf8")
      : Buffer.alloc(0);
    this.#begin(whole);
    return finish.apply(this, callback ? [callback] : []);
  }

  /** Ends it after a response that was not written through it. */
  endUnused(): void {
    if (this.#isBegun || this.writableEnded) return;
    this.#isDiscarding = true;
    this.#isBegun = true;
    this.#isHeadFinal = true;
    super.end();
  }

  #begin(body: Uint8Array | ReadableStream<Uint8Array>): void {
    this.#isHeadFinal = true;
    this.#isBegun = true;
    this.#sink?.begin(body);
  }

  #beginStream(): void {
    if (this.#isBegun || this.destroyed) return;
    this.#isDiscarding = this.#head.request.method === "HEAD";
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
    this.#controller?.error(error ?? new Error("The response was destroyed"));
    this.#controller = undefined;
    this.#written = undefined;
    done(error);
  }
}

const isChunk = (value: unknown): boolean => typeof value === "string" || value instanceof Uint8Array;
