/** Koa's application with what Strapi adds to it, and the contexts of requests. */
import { Readable, Stream } from "node:stream";
import createError from "http-errors";
import Koa from "koa";
import { findErrorCode } from "../../lib/error-code.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Log } from "../lib/log.ts";
import { httpErrors } from "../lib/statuses.ts";
import { toJson } from "./json-copies.ts";
import { NodeRequest } from "./node-request.ts";
import { NodeResponse } from "./node-response.ts";

/** `ctx.state.route`. */
export interface RouteState {
  readonly method: string;
  readonly path: string;
  readonly handler: unknown;
  readonly config: unknown;
  readonly info: unknown;
  /** Schemas of parameters and bodies. */
  readonly request?: unknown;
}

export interface ContextState {
  [key: string]: unknown;
  user?: unknown;
  auth?: { readonly strategy?: unknown; readonly credentials?: unknown; readonly ability?: unknown };
  route?: RouteState;
}

type Params = Record<string, string>;
type Fields = Record<string, unknown>;

/** What Strapi and its router add to Koa's context. */
interface Additions {
  readonly req: NodeRequest;
  readonly res: NodeResponse;
  readonly request: Koa.Request & { body?: unknown; files?: Fields; params: Params; query: Fields };
  query: Fields;
  params: Params;
  /** Undefined without `strapi::session` in `config/middlewares`. */
  session?: Fields | null;
  routerPath?: string;
  /** The parts of the path that match parameters, as received. */
  captures?: readonly string[];
  _matchedRoute?: string;
  send(data: unknown, status?: number): void;
  unauthorized(message?: unknown, details?: object): void;
}

export type Context = Koa.ParameterizedContext<ContextState, Additions>;
export type Next = () => Promise<unknown>;
export type Middleware = (ctx: Context, next: Next) => unknown;

/** Koa's own properties of a response, which say what code has set. */
interface OwnResponse {
  readonly ctx: Context;
  readonly res: NodeResponse;
  _body?: unknown;
  _explicitStatus?: boolean;
  _explicitNullBody?: boolean;
}

const ownOf = (ctx: Context): OwnResponse => ctx.response as unknown as OwnResponse;

/** Whether code has set a status. */
export const hasStatus = (ctx: Context): boolean => ownOf(ctx)._explicitStatus === true;

/** Whether there is a body to send. Does not parse it. */
export const hasBody = (ctx: Context): boolean =>
  ctx.res.unread !== undefined || (ownOf(ctx)._body !== undefined && ownOf(ctx)._body !== null);

/** Whether code has set a body, even to null or undefined. */
export const isBodySet = (ctx: Context): boolean => ctx.res.unread !== undefined || "_body" in ownOf(ctx);

/** Code may pass another object as a context. */
export const isContext = (value: unknown): value is Context =>
  typeof value === "object" && value !== null && (value as Partial<Context>).req instanceof NodeRequest;

/** Responds with an error without throwing it, so that the calling code continues. */
export function refuse(ctx: Context, status: number, name: string, message: string, details: unknown): void {
  ctx.status = status;
  ctx.body = { data: null, error: { status, name, message, details } };
}

/** Sets a JSON body. Code that reads `ctx.body` gets the parsed value. */
export function sendJson(ctx: Context, json: string): void {
  if (!hasStatus(ctx)) ctx.status = 200;
  ctx.type = "json";
  ctx.res.unread = json;
}

/** Copies a response of the server into the context. `common`: the headers of every response. */
export async function takeResponse(ctx: Context, response: Response, common: Headers): Promise<void> {
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const body = isJson ? await response.text() : response.body;
  ctx.status = response.status;
  ctx.res.adoptHeaders(response.headers, common);
  ctx.res.unread = body === null || body === "" ? undefined : (body as string | ReadableStream<Uint8Array>);
}

/** `ctx.body`: code that reads an unread body gets it parsed, or as a stream. */
function readUnread({ res }: OwnResponse): unknown {
  const { unread, isText } = res;
  res.unread = undefined;
  // they belong to the unchanged body
  for (const name of ["etag", "content-length"]) if (!res.headersSent) res.removeHeader(name);
  if (typeof unread === "string") return isText ? unread : JSON.parse(unread);
  return Readable.fromWeb(unread as never);
}

/** The methods that answer with an error; those of `ctx` are those of `ctx.response`. */
function addMethods(app: Koa): void {
  const methods: Record<string, (this: Koa.Response, ...args: never[]) => void> = {
    send(data: unknown, status = 200) {
      this.status = status;
      this.body = data;
    },
    created(data: unknown) {
      this.status = 201;
      this.body = data;
    },
    deleted(data: unknown) {
      if (data === undefined || data === null) this.status = 204;
      else (this as unknown as Context).send(data);
    },
  };
  for (const { status, method, message } of httpErrors)
    methods[method] = function (given: unknown = message, details: unknown = {}) {
      const error = createError(status, given as string, { details } as object);
      const { details: shown } = error as { readonly details?: unknown };
      refuse(this.ctx as unknown as Context, error.status, error.name, error.message, shown);
    };
  for (const [name, method] of Object.entries(methods)) {
    Object.assign(app.response, { [name]: method });
    Object.assign(app.context, {
      [name](this: Context, ...args: never[]) {
        return method.apply(this.response, args);
      },
    });
  }
}

/** `query` is parsed by the server's settings, and a body that no code reads stays as it is. */
function replaceProperties(app: Koa, tools: AppOptions["tools"]): void {
  Object.defineProperty(app.request, "query", {
    configurable: true,
    get(this: Koa.Request & { _querycache?: Fields }) {
      this._querycache ??= {};
      const { querystring, _querycache: cache } = this;
      cache[querystring] ??= tools().queries.parse(querystring);
      return cache[querystring];
    },
    // as in Strapi, the value becomes a query string, which is parsed again
    set(this: Koa.Request, query: Fields) {
      this.querystring = tools().queries.stringify(query ?? {});
    },
  });
  const koa: object = Object.getPrototypeOf(app.response);
  const { set: setBody } = Object.getOwnPropertyDescriptor(koa, "body")!;
  Object.defineProperty(app.response, "body", {
    configurable: true,
    get(this: OwnResponse) {
      if (this.res.unread !== undefined) this._body = readUnread(this);
      return this._body;
    },
    set(this: OwnResponse, body: unknown) {
      this.res.unread = undefined;
      setBody!.call(this, body);
    },
  });
}

export interface AppOptions {
  /** Whether headers of proxies are trusted. */
  readonly proxy: boolean;
  /** `app.keys` of `config/server`. */
  readonly keys: unknown;
  /** `NODE_ENV`. */
  readonly env: unknown;
  readonly log: Log;
  /** Functions of the server, once it answers requests. */
  readonly tools: () => {
    readonly queries: {
      readonly parse: (search: string) => Fields;
      readonly stringify: (query: Fields) => string;
    };
  };
}

export function createApp({ proxy, keys, env, log, tools }: AppOptions): Koa {
  const app = new Koa({ proxy, ...(typeof env === "string" ? { env } : {}) });
  // without any, cookies are not signed
  if (Array.isArray(keys) && keys.length > 0) app.keys = keys.map(String);
  addMethods(app);
  replaceProperties(app, tools);
  app.on("error", (error: Error & { readonly headerSent?: boolean; readonly status?: number }, ctx?: Context) => {
    // the rest of a body that has failed does not come
    if (error.headerSent) ctx?.res.destroy();
    const isClientError = typeof error.status === "number" && error.status < 500;
    if (!isClientError && findErrorCode(error) !== "ENOENT") log.error(error);
  });
  return app;
}

/** Statuses of responses without a body. */
export const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Sends JSON. Koa does the same, but listens to the response, which takes most of the time. False for other bodies. */
function endWithJson(ctx: Context): boolean {
  const { res, method } = ctx;
  if (ctx.headerSent || EMPTY.has(res.statusCode) || method === "HEAD") return false;
  if (Object.hasOwn(res, "end")) {
    // Koa calls what code has put in its place
    const { unread } = res;
    if (unread !== undefined) ctx.body = typeof unread === "string" ? unread : Readable.fromWeb(unread as never);
    return false;
  }
  if (res.unread !== undefined) {
    res.endUnread();
    return true;
  }
  const body: unknown = ownOf(ctx)._body;
  const isPlain = typeof body === "object" && body !== null && (Array.isArray(body) || isRecord(body));
  if (!isPlain || body instanceof Stream || Buffer.isBuffer(body)) return false;
  const json = toJson(body);
  if (json !== undefined) res.endWith(json);
  return json !== undefined;
}

/** Calls `work`, and then responds with what it has set. */
export async function handleRequest(app: Koa, ctx: Context, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    if (ctx.respond === false || endWithJson(ctx)) return;
  } catch (error) {
    return ctx.onerror(error as Error);
  }
  const { statusCode } = ctx.res;
  // private, as far as its types go
  const koa = app as unknown as { readonly handleRequest: (ctx: Context, work: () => Promise<void>) => Promise<void> };
  await koa.handleRequest(ctx, async () => {
    // Koa begins with 404
    ctx.res.statusCode = statusCode;
  });
}

export function createContext(
  app: Koa,
  request: Request,
  { clientIp }: { readonly clientIp: (request: Request) => string },
): Context {
  const req = new NodeRequest(request, clientIp);
  const ctx = app.createContext(req as never, new NodeResponse(req) as never) as unknown as Context;
  ctx.params = {};
  const set = (value: unknown): void => req.replaceBody(value);
  return Object.defineProperty(ctx, "req", { get: () => req, set, enumerable: true, configurable: true });
}
