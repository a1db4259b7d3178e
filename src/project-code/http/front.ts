/**
 * Handles the requests of a project with code: global middlewares wrap everything, and routes of the code come before those of
 * the server. Requests that concern neither are passed to the server unchanged.
 */
import { ApiError } from "../../errors.ts";
import { diskFull } from "../../storage/problems.ts";
import { hiddenProblem, problemOfError } from "../packages/errors.ts";
import type { Runtime } from "../runtime.ts";
import { answeredBy } from "./answered-by.ts";
import { AttachedRequests } from "./attached-requests.ts";
import type { AttachedServer } from "./attached-server.ts";
import { identify } from "./authentication.ts";
import { compose, type Link, type Middleware, type Next } from "./compose.ts";
import { Context, type RouteState } from "./context.ts";
import { type Deadline, Deadlines } from "./deadlines.ts";
import { dropHeaders } from "./dropped-headers.ts";
import { JSON_TYPE } from "./media-types.ts";
import { nativeRequest } from "./native-request.ts";
import { readRequestBody } from "./request-body.ts";
import { pathOf, withMissingPath } from "./request-path.ts";
import {
  type DefaultHeaders,
  endWithBody,
  plainServerError,
  responseOf,
  streamedResponse,
  takeResponse,
} from "./respond.ts";
import { decode, type RouteMatch, type Router } from "./router.ts";
import { isSanitized, sanitizedResponse } from "./sanitized-response.ts";
import { opened } from "./streams.ts";
import { failureOf } from "./thrown-error.ts";

const CREATED = 201;

/** A route of the code. `endpoint` undefined: the server handles it, as without code. */
export interface FrontRoute {
  readonly method: string;
  readonly path: string;
  readonly endpoint: ((ctx: Context) => Promise<void>) | undefined;
  /** The endpoint for requests whose query was changed by middlewares to something that a query string cannot express, such as an empty object. */
  readonly codeEndpoint?: () => (ctx: Context) => Promise<void>;
  /** The action of a plugin that the server runs. */
  readonly action?: string | undefined;
  /** `ctx.state.route` while the server handles the request. */
  readonly route?: RouteState;
  /** Whether the path is below the API prefix. */
  readonly isContentApi?: boolean;
  /** The server has the route, but code has removed it. */
  readonly isRemoved?: boolean;
}

/** An entry of `config/middlewares`: a built-in middleware, or one of the project. */
export type GlobalMiddleware =
  | { readonly builtin: string }
  /** A built-in one that functions of the project configure. */
  | { readonly builtin: string; readonly run: Middleware }
  | { readonly name: string; readonly run: Middleware };

export interface FrontParts {
  readonly runtime: Runtime;
  /** May change when code adds sanitizers. */
  readonly router: () => Router<FrontRoute>;
  readonly middlewares: readonly GlobalMiddleware[];
  /** `strapi.server.httpServer`. */
  readonly attached: AttachedServer;
  /** Time limit for a response of the code, in milliseconds. */
  readonly limitMs: number;
}

/** The state of a request in the middleware chain. */
interface Exchange {
  readonly ctx: Context;
  /** Undefined: the server handles the request. */
  endpoint: FrontRoute["endpoint"];
  /** Undefined for routes that are not in the code. */
  route: FrontRoute | undefined;
  /** Number of global middlewares that the request has reached. */
  middlewaresReached: number;
  /** An error has passed the global middlewares, so that those that set headers last have not done so. */
  hasFailed?: boolean;
  hasBody: boolean;
}

/** Sets what code sees of the route. */
function enterRoute(ctx: Context, { route, params, captures }: RouteMatch<FrontRoute>): void {
  // as in the reference, whose route of static files matches these requests as well
  const { method, path } = ctx.request;
  const isRead = method === "GET" || method === "HEAD";
  ctx.params = isRead && route.isContentApi ? { 0: decode(path.slice(1)), ...params } : params;
  ctx._matchedRoute = route.path;
  ctx.routerPath = route.path;
  ctx.captures = captures;
}

export class Front {
  readonly #parts: FrontParts;
  readonly #deadlines: Deadlines;
  readonly #attached: AttachedRequests;
  /** The global middlewares; undefined if the project has none of its own. */
  readonly #chain: ((exchange: Exchange, last: Next) => Promise<unknown>) | undefined;

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#deadlines = new Deadlines(parts.limitMs);
    this.#attached = new AttachedRequests(parts.runtime, parts.attached);
    if (parts.middlewares.some((entry) => "run" in entry)) this.#chain = compose([...this.#links(parts.middlewares)]);
  }

  /** Errors of the code become responses. */
  async handle(request: Request): Promise<Response> {
    const { router, runtime } = this.#parts;
    const { tools } = runtime;
    // as in the reference, which responds before it looks for a route
    if (!this.#chain && tools.answersPreflight(request)) return tools.native(request);
    const path = pathOf(request.url);
    const found = router().find(request.method, path);
    const forwarded = found ? undefined : this.#attached.handle(request, path);
    const response = forwarded && (await forwarded);
    if (response) return response;
    const endpoint = found?.route.endpoint;
    const isVisibleToCode =
      this.#chain !== undefined || runtime.usesRequestContext || isSanitized(runtime, found?.route.action);
    if (!endpoint && !isVisibleToCode) return this.#native(found?.route, request, request);
    const ctx = new Context(request, tools);
    if (found) enterRoute(ctx, found);
    return await this.#runWithDeadline({ ctx, endpoint, route: found?.route, middlewaresReached: 0, hasBody: false });
  }

  /** The server's response. Methods of the code's routes are added to its `Allow` header. */
  async #native(route: FrontRoute | undefined, request: Request, sent: Request): Promise<Response> {
    const { router, runtime } = this.#parts;
    const response = await runtime.tools.native(route?.isRemoved ? withMissingPath(request) : request, sent);
    const allowed = response.headers.get("allow");
    if (route || allowed === null) return response;
    const own = router().methodsOf(pathOf(sent.url));
    response.headers.set("allow", [...new Set(["HEAD", "GET", ...own, ...allowed.split(", ")])].join(", "));
    return response;
  }

  /** Runs the chain. Resolves with an error response if the time limit is exceeded, and as soon as code writes to `ctx.res`. */
  #runWithDeadline(exchange: Exchange): Promise<Response> {
    const { ctx } = exchange;
    const { log } = this.#parts.runtime;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const send = (make: () => Response): void => {
      try {
        resolve(make());
      } catch (error) {
        log.error(error);
        resolve(plainServerError());
      }
    };
    const respond = (): void => send(() => responseOf(ctx, this.#defaultHeaders(exchange), log.error));
    const begin = (): Deadline =>
      this.#deadlines.begin(() => {
        // a stream that has begun is cut off
        if (ctx.response.headerSent) return ctx.res.destroy();
        this.#respondTimeout(ctx);
        respond();
      });
    let deadline = begin();
    ctx.response.connect({
      begin: (body) => send(() => streamedResponse(ctx, body, this.#defaultHeaders(exchange, true))),
      wrote: () => {
        if (this.#deadlines.end(deadline)) deadline = begin();
      },
      ended: () => void this.#deadlines.end(deadline),
    });
    this.#parts.runtime.requestContext
      .run(ctx, () => this.#run(exchange))
      .then(() => {
        if (ctx.response.headerSent) {
          if (ctx.respond !== false && ctx.response.writable) endWithBody(ctx, ctx.res);
        } else if (ctx.respond !== false && this.#deadlines.end(deadline)) {
          const opening = opened(ctx, log.error);
          if (opening) void opening.then(respond);
          else respond();
        }
      }, reject);
    return promise;
  }

  /** The default headers, without those of built-in middlewares that the request has not reached. */
  #defaultHeaders({ ctx, middlewaresReached, hasFailed }: Exchange, isStreamed = false): DefaultHeaders {
    const { runtime, middlewares } = this.#parts;
    const { tools } = runtime;
    ctx.commitSession();
    const { original } = ctx.request;
    const skipped: GlobalMiddleware[] = this.#chain ? middlewares.slice(middlewaresReached) : [];
    // as in the reference, which sets its header once everything else has been done
    if (hasFailed || isStreamed) skipped.push({ builtin: "poweredBy" });
    const create = (type?: string): Headers => {
      const headers = tools.headers(original);
      for (const entry of skipped) dropHeaders(headers, entry);
      if (type) headers.set("content-type", type);
      return headers;
    };
    return {
      create: () => create(),
      ofJson: () => (skipped.length === 0 ? tools.jsonHeaders(original) : create(JSON_TYPE)),
    };
  }

  /** Built-in middlewares count as reached when a later middleware of the project, or the endpoint, is reached. */
  *#links(middlewares: readonly GlobalMiddleware[]): Generator<Link<Exchange>> {
    const last = middlewares.findLastIndex((entry) => "run" in entry);
    for (const [index, entry] of middlewares.entries()) {
      if ("run" in entry) {
        const { run } = entry;
        yield (exchange, next) => {
          // headers of a built-in one stay if it fails
          exchange.middlewaresReached = "builtin" in entry ? index + 1 : index;
          return run(exchange.ctx, next);
        };
      } else if (entry.builtin === "errors") yield (exchange, next) => this.#withErrorResponse(exchange, next);
      else if (entry.builtin in answeredBy)
        yield (exchange, next) => {
          if (!answeredBy[entry.builtin]!(exchange.ctx, this.#parts.runtime.tools)) return next();
          exchange.middlewaresReached = index + 1;
          return this.#respondNatively(exchange);
        };
      else if (entry.builtin === "body")
        yield async (exchange, next) => {
          exchange.middlewaresReached = index;
          // the server reads the body of its routes itself, unless later middlewares may use it
          const isRead = exchange.endpoint || (index < last && !this.#isGraphql(exchange.ctx));
          const reading = isRead ? this.#readBody(exchange) : undefined;
          if (reading) await reading;
          return next();
        };
    }
  }

  #isGraphql(ctx: Context): boolean {
    return ctx.path === this.#parts.runtime.settings.graphql.endpoint;
  }

  #readBody(exchange: Exchange): Promise<void> | undefined {
    if (exchange.hasBody) return undefined;
    exchange.hasBody = true;
    return readRequestBody(exchange.ctx, this.#parts.runtime);
  }

  #dispatch(exchange: Exchange): Promise<void> {
    const { ctx } = exchange;
    if (ctx.request.isRetargeted) this.#findRoute(exchange);
    const { route } = exchange;
    const endpoint = exchange.endpoint ?? (ctx.request.isQueryChanged ? route?.codeEndpoint?.() : undefined);
    exchange.middlewaresReached = this.#parts.middlewares.length;
    if (!endpoint) return this.#respondNatively(exchange);
    const reading = this.#readBody(exchange);
    return reading ? reading.then(() => endpoint(ctx)) : endpoint(ctx);
  }

  /** Again, since a middleware has changed the method or path. */
  #findRoute(exchange: Exchange): void {
    const { ctx } = exchange;
    const found = this.#parts.router().find(ctx.method, ctx.path);
    exchange.route = found?.route;
    exchange.endpoint = found?.route.endpoint;
    if (found) enterRoute(ctx, found);
  }

  /** Sets `ctx.state` for middlewares and hooks, if the server handles the request. */
  async #setState({ ctx, route }: Exchange): Promise<void> {
    const { runtime } = this.#parts;
    if (!route?.route && !this.#isGraphql(ctx)) return;
    if (route?.route) ctx.state.route = route.route;
    try {
      await identify(runtime, ctx);
    } catch (error) {
      // the server refuses invalid credentials later
      if (!(error instanceof ApiError)) throw error;
    }
  }

  async #respondNatively(exchange: Exchange): Promise<void> {
    const { tools, usesRequestContext } = this.#parts.runtime;
    await this.#setState(exchange);
    // hooks may use the body, but not that of uploads
    if (usesRequestContext && /json/i.test(exchange.ctx.get("content-type")) && !this.#isGraphql(exchange.ctx))
      await this.#readBody(exchange);
    const { ctx, hasBody } = exchange;
    const { original, isRetargeted, method, url } = ctx.request;
    const target = isRetargeted ? { method, url: new URL(url, original.url) } : undefined;
    const own = nativeRequest(ctx, hasBody, tools, target);
    const response = await this.#native(exchange.route, own, original);
    // middlewares must see what the reference's action would do
    const outcome = this.#chain && (await failureOf(response));
    if (outcome?.error) throw outcome.error;
    if (outcome?.isMissing) return;
    // as in the reference, what a core action returns is ignored if code has set a body
    const isCore = exchange.route?.codeEndpoint !== undefined;
    if (isCore && ctx.response.hasBody && response.ok) {
      if (response.status === CREATED) ctx.status = CREATED;
      return;
    }
    return takeResponse(ctx, await sanitizedResponse(this.#parts.runtime, exchange.route?.action, response));
  }

  #run(exchange: Exchange): Promise<void> {
    const dispatch = () => this.#dispatch(exchange);
    return this.#withErrorResponse(exchange, () => (this.#chain ? this.#chain(exchange, dispatch) : dispatch()));
  }

  /** Turns errors, and requests without a response, into error responses, as the reference's middleware does. */
  async #withErrorResponse(exchange: Exchange, work: () => Promise<unknown>): Promise<void> {
    const { ctx } = exchange;
    try {
      await work();
      if (!ctx.response.isStatusSet) ctx.refuse(404, "NotFoundError", "Not Found", {});
    } catch (error) {
      exchange.hasFailed = true;
      this.#respondError(ctx, error);
    }
  }

  #respondError(ctx: Context, error: unknown): void {
    const refusal = diskFull(error);
    const problem = problemOfError(refusal ?? error);
    if (!problem && !refusal) this.#parts.runtime.log.error(error);
    const { status, ...rest } = problem ?? hiddenProblem(refusal ?? error);
    // code that has failed does not respond by itself
    ctx.respond = undefined;
    ctx.response.type = "";
    ctx.response.status = status;
    ctx.response.body = { data: null, error: { status, ...rest } };
  }

  #respondTimeout(ctx: Context): void {
    const error = this.#deadlines.timeoutError();
    this.#parts.runtime.log.error(`${ctx.method} ${ctx.path}: ${error.message}`);
    this.#respondError(ctx, error);
  }
}
