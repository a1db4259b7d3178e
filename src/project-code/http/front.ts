/**
 * Handles the requests of a project with code: global middlewares wrap everything, and routes of the code come before those of
 * the server. Requests that concern neither are passed to the server unchanged.
 */
import { diskFull } from "../../storage/problems.ts";
import { hiddenProblem, problemOfError } from "../packages/errors.ts";
import type { Runtime } from "../runtime.ts";
import { answeredBy } from "./answered-by.ts";
import { AttachedRequests } from "./attached-requests.ts";
import type { AttachedServer } from "./attached-server.ts";
import { compose, type Link, type Next } from "./compose.ts";
import { Context } from "./context.ts";
import { type Deadline, Deadlines } from "./deadlines.ts";
import { dropHeaders } from "./dropped-headers.ts";
import {
  type Exchange,
  enterRoute,
  type FrontRoute,
  findRouteAgain,
  type GlobalMiddleware,
  isGraphql,
  readBodyOnce,
} from "./exchange.ts";
import { JSON_TYPE } from "./media-types.ts";
import { pathOf } from "./request-path.ts";
import { type DefaultHeaders, endWithBody, plainServerError, responseOf, streamedResponse } from "./respond.ts";
import type { Router } from "./router.ts";
import { isSanitized } from "./sanitized-response.ts";
import { ServerRoutes } from "./server-routes.ts";
import { opened } from "./streams.ts";

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

export class Front {
  readonly #parts: FrontParts;
  readonly #deadlines: Deadlines;
  readonly #attached: AttachedRequests;
  readonly #server: ServerRoutes;
  /** The global middlewares; undefined if the project has none of its own. */
  readonly #chain: ((exchange: Exchange, last: Next) => Promise<unknown>) | undefined;

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#deadlines = new Deadlines(parts.limitMs);
    this.#attached = new AttachedRequests(parts.runtime, parts.attached);
    const isWrapped = parts.middlewares.some((entry) => "run" in entry);
    this.#server = new ServerRoutes(parts.runtime, parts.router, isWrapped);
    if (isWrapped) this.#chain = compose([...this.#links(parts.middlewares)]);
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
    if (!endpoint && !isVisibleToCode) return this.#server.respond(found?.route, request, request);
    const ctx = new Context(request, tools);
    if (found) enterRoute(ctx, found);
    return await this.#runWithDeadline({ ctx, endpoint, route: found?.route, middlewaresReached: 0, hasBody: false });
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
          return this.#server.handle(exchange);
        };
      else if (entry.builtin === "body")
        yield async (exchange, next) => {
          exchange.middlewaresReached = index;
          // the server reads the body of its routes itself, unless later middlewares may use it
          const isRead = exchange.endpoint || (index < last && !isGraphql(exchange.ctx, this.#parts.runtime));
          const reading = isRead ? readBodyOnce(exchange, this.#parts.runtime) : undefined;
          if (reading) await reading;
          return next();
        };
    }
  }

  #dispatch(exchange: Exchange): Promise<void> {
    const { ctx } = exchange;
    findRouteAgain(exchange, this.#parts.router());
    const { route } = exchange;
    const endpoint = exchange.endpoint ?? (ctx.request.isQueryChanged ? route?.codeEndpoint?.() : undefined);
    exchange.middlewaresReached = this.#parts.middlewares.length;
    if (!endpoint) return this.#server.handle(exchange);
    const reading = readBodyOnce(exchange, this.#parts.runtime);
    return reading ? reading.then(() => endpoint(ctx)) : endpoint(ctx);
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
