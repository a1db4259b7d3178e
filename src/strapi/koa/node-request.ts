/** Node's request (`ctx.req`), which Koa reads: a stream of the body, unless the server has read it. */
import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Duplex, Readable } from "node:stream";
import type { Ability } from "../../engine/access/access.ts";
import { parsePathname, parseSearch } from "./request-path.ts";

/** A stream in place of the connection, whose settings are the server's: those of code are accepted, and have no effect. */
class ConnectionStream extends Duplex {
  readonly #clientIp: () => string;
  readonly encrypted: boolean;

  constructor(clientIp: () => string, encrypted: boolean) {
    super({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    this.#clientIp = clientIp;
    this.encrypted = encrypted;
  }

  get remoteAddress(): string {
    return this.#clientIp();
  }

  /** Code that sends events switches the limit off. The server has its own, which each write begins anew. */
  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}

type Fields = Record<string, string | string[] | undefined>;

const joinValues = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : [value].flat().join(", ");

const isHeader = (name: string, value: string | undefined): boolean =>
  value !== undefined && /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

/** Events that tell that the client has gone away. */
const ENDS: ReadonlySet<unknown> = new Set(["close", "aborted", "error"]);

/** Its headers are made when they are first read. */
const Message = IncomingMessage as unknown as new (
  socket: Socket,
) => Readable & Pick<IncomingMessage, "method" | "url" | "complete" | "socket">;

export class NodeRequest extends Message {
  /** The request as received. */
  readonly original: Request;
  /** The caller's permissions; undefined on routes with `auth: false`. */
  ability: Ability | undefined;
  /** The strategy in `ctx.state.auth` that `ability` belongs to. */
  strategy: unknown;
  #headers: Fields | undefined;
  #received: Request | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isReading = false;
  #isWanted = false;
  #isWatched = false;

  constructor(original: Request, clientIp: (request: Request) => string) {
    const isSecure = original.url.startsWith("https:");
    super(new ConnectionStream(() => clientIp(original), isSecure) as unknown as Socket);
    this.original = original;
    const { method, url } = original;
    const search = parseSearch(url);
    const target = `${parsePathname(url)}${search === "" ? "" : `?${search}`}`;
    Object.assign(this, { method, url: target, httpVersion: "1.1", httpVersionMajor: 1, httpVersionMinor: 1 });
    this.complete = original.body === null;
    // an error without a listener would end the process
    super.on("error", () => undefined);
  }

  get headers(): Fields {
    this.#headers ??= this.original.headers.toJSON() as Fields;
    return this.#headers;
  }

  set headers(headers: Fields) {
    this.#headers = headers;
  }

  get rawHeaders(): string[] {
    return [...this.original.headers].flat();
  }

  /** The runtime's constructor sets them. */
  set rawHeaders(_headers: string[]) {}

  /** The headers, if code has changed them; undefined otherwise. Those that cannot be sent are left out. */
  get changedHeaders(): Headers | undefined {
    if (!this.#headers || Bun.deepEquals(this.#headers, this.original.headers.toJSON())) return undefined;
    const values = Object.entries(this.#headers).map(([name, value]) => [name, joinValues(value)] as const);
    return new Headers(values.filter((entry): entry is [string, string] => isHeader(...entry)));
  }

  /** The request whose body is to be read: code that has read it may have set a stream in its place. */
  get received(): Request {
    return this.#received ?? this.original;
  }

  /** `request`: what code sets as `ctx.req`. */
  replaceBody(request: unknown): void {
    if (!(request instanceof Readable) || request === (this as unknown)) return;
    const { method, url, headers } = this.original;
    this.#received = new Request(url, { method, headers, body: Readable.toWeb(request) as ReadableStream });
  }

  /** Whether code has changed the method or path. */
  get isRetargeted(): boolean {
    const { method, original, url = "" } = this;
    return method !== original.method || url.split("?", 1)[0] !== parsePathname(original.url);
  }

  override on(event: string | symbol, listener: (...args: never[]) => void): this {
    if (ENDS.has(event)) this.watchClient();
    return super.on(event, listener as (...args: unknown[]) => void);
  }

  override addListener(event: string | symbol, listener: (...args: never[]) => void): this {
    return this.on(event, listener);
  }

  /** Destroys the request when its client goes away, which is found out only for those who listen, since that takes time. */
  watchClient(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.original.signal.addEventListener("abort", () => this.destroy(), { once: true });
  }

  override _read(): void {
    const { body, bodyUsed } = this.original;
    if (body === null || (!this.#reader && bodyUsed)) return this.#end();
    this.#isWanted = true;
    if (!this.#isReading) this.#readWanted(body).catch((error: Error) => this.destroy(error));
  }

  async #readWanted(body: ReadableStream<Uint8Array>): Promise<void> {
    this.#isReading = true;
    this.#reader ??= body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    while (this.#isWanted) {
      this.#isWanted = false;
      const { done, value } = await this.#reader.read();
      if (done) return this.#end();
      // a message does not ask for more by itself
      if (this.push(value)) this.#isWanted = true;
    }
    this.#isReading = false;
  }

  #end(): void {
    this.complete = true;
    this.push(null);
  }
}
