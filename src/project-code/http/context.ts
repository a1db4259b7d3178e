/** Koa's context of one request with the reference's additions, for handlers, policies and middlewares. */
import type { Ability } from "../../access/ability.ts";
import { assertions } from "./assertions.ts";
import type { Cookies } from "./cookies.ts";
import { appKeys, createCookies } from "./cookies.ts";
import { httpErrorOf, refusalOf } from "./http-error.ts";
import { respondPlainly } from "./plain-error.ts";
import { type RequestTools, RequestView } from "./request-view.ts";
import { ResponseView } from "./response-view.ts";
import { type Session, SessionState } from "./session.ts";
import { httpErrors } from "./statuses.ts";

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

export class Context {
  readonly request: RequestView;
  readonly response: ResponseView;
  readonly state: ContextState = {};
  params: Record<string, string> = {};
  /** The caller's permissions; undefined on routes with `auth: false`. */
  ability: Ability | undefined;
  /** Finds what relations show to a caller whom a strategy of the code has identified. Called when it is needed, once. */
  findAbility: (() => Promise<Ability>) | undefined;
  /** False: code responds by `ctx.res`. */
  respond: boolean | undefined;
  routerPath: string | undefined;
  /** The parts of the path that match parameters, as received. */
  captures: readonly string[] | undefined;
  _matchedRoute: string | undefined;
  #cookies: Cookies | undefined;
  readonly #tools: RequestTools;
  #session: SessionState | undefined;

  constructor(request: Request, tools: RequestTools) {
    this.#tools = tools;
    this.request = new RequestView(request, tools, this);
    this.response = new ResponseView(this.request);
  }

  get ctx(): this {
    return this;
  }

  get cookies(): Cookies {
    const { app, header: headers, secure: isSecure } = this.request;
    this.#cookies ??= createCookies({ headers, response: this.response, isSecure, keys: appKeys(app) });
    return this.#cookies;
  }

  get sessionOptions(): object | undefined {
    return this.#tools.session;
  }

  /** Undefined without `strapi::session` in `config/middlewares`. */
  get session(): Session | null | undefined {
    return this.#sessionState?.current;
  }

  set session(values: unknown) {
    const state = this.#sessionState;
    if (state) state.current = values;
  }

  get #sessionState(): SessionState | undefined {
    const options = this.#tools.session;
    if (options) this.#session ??= new SessionState(options, this.cookies);
    return this.#session;
  }

  /** Sets the cookie of the session if code has changed it. */
  commitSession(): void {
    this.#session?.commitIfAutomatic();
  }

  get req() {
    return this.request.req;
  }

  get res() {
    return this.response.res;
  }

  toJSON(): Record<string, unknown> {
    const { request, response } = this;
    const { app, originalUrl } = request;
    const node = { req: "<original node req>", res: "<original node res>", socket: "<original node socket>" };
    return { request: request.toJSON(), response: response.toJSON(), app: { ...viewOf(app) }, originalUrl, ...node };
  }

  inspect(): Record<string, unknown> {
    return this.toJSON();
  }

  [Symbol.for("nodejs.util.inspect.custom")](): Record<string, unknown> {
    return this.toJSON();
  }

  throw(...args: readonly unknown[]): never {
    throw httpErrorOf(args);
  }

  get assert() {
    return assertions;
  }

  /** Responds to an error as Koa does by itself, at once. */
  onerror(error: unknown): void {
    if (error !== null && error !== undefined) respondPlainly(this, error);
  }

  send(data: unknown, status = 200): void {
    this.response.status = status;
    this.response.body = data;
  }

  created(data: unknown): void {
    this.send(data, 201);
  }

  deleted(data: unknown): void {
    if (data === undefined || data === null) this.response.status = 204;
    else this.send(data, 200);
  }

  /** Responds with an error without throwing it, so that the calling code continues. */
  refuse(status: number, name: string, message: string, details: unknown): void {
    this.response.status = status;
    this.response.body = { data: null, error: { status, name, message, details } };
  }
}

/** `ctx.app` as JSON. */
const viewOf = (app: object): object => (app as { readonly toJSON?: () => object }).toJSON?.() ?? {};

type Property = keyof RequestView | keyof ResponseView;

/** Properties of `ctx` that delegate to the request or the response. */
const requestProperties: readonly Property[] = [
  "app",
  "header",
  "headers",
  "method",
  "url",
  "originalUrl",
  "origin",
  "href",
  "path",
  "query",
  "querystring",
  "search",
  "host",
  "hostname",
  "URL",
  "fresh",
  "stale",
  "idempotent",
  "socket",
  "protocol",
  "secure",
  "subdomains",
  "ip",
  "ips",
  "get",
  "is",
  "accepts",
  "acceptsLanguages",
  "acceptsEncodings",
  "acceptsCharsets",
];
const responseProperties: readonly Property[] = [
  "body",
  "status",
  "message",
  "length",
  "type",
  "lastModified",
  "etag",
  "headerSent",
  "writable",
  "set",
  "append",
  "remove",
  "redirect",
  "attachment",
  "vary",
  "has",
  "flushHeaders",
];

function delegate(target: "request" | "response", name: string): void {
  Object.defineProperty(Context.prototype, name, {
    configurable: true,
    get(this: Context) {
      const view = this[target] as unknown as Record<string, unknown>;
      const value = view[name];
      return typeof value === "function" ? value.bind(view) : value;
    },
    set(this: Context, value: unknown) {
      (this[target] as unknown as Record<string, unknown>)[name] = value;
    },
  });
}
for (const name of requestProperties) delegate("request", name);
for (const name of responseProperties) delegate("response", name);
for (const kind of httpErrors) {
  Object.defineProperty(Context.prototype, kind.method, {
    configurable: true,
    writable: true,
    value(this: Context, input: unknown, details: unknown = {}) {
      const { status, name, message } = refusalOf(kind, input);
      this.refuse(status, name, message, details);
    },
  });
}
/** As in the reference, `ctx.response` has the methods that answer, too. */
for (const name of ["send", "created", "deleted", ...httpErrors.map(({ method }) => method)]) {
  Object.defineProperty(ResponseView.prototype, name, {
    configurable: true,
    writable: true,
    value(this: ResponseView, ...args: readonly unknown[]) {
      return (this.ctx as unknown as Record<string, (...own: readonly unknown[]) => unknown>)[name]!(...args);
    },
  });
}

/** The types of the delegated properties, which are not declared in the class. */
export interface Context
  extends Pick<RequestView, "header" | "headers" | "method" | "url" | "path" | "query" | "ip" | "get">,
    Pick<ResponseView, "body" | "status" | "type" | "set" | "redirect"> {
  unauthorized(message?: unknown, details?: unknown): void;
}
