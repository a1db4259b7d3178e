/**
 * Handles the requests of a project with code: global middlewares wrap everything, and routes of the code come before those of
 * the server. Requests that concern neither are passed to the server unchanged.
 */
import compose from "koa-compose";
import { diskFull } from "../../engine/storage/problems.ts";
import { once } from "../../lib/once.ts";
import { type Context, createContext, EMPTY, handleRequest, hasStatus, type Next, refuse } from "../koa/koa.ts";
import { isHeaderOf, type NodeResponse, POWERED_BY, type SentBody, setHeader } from "../koa/node-response.ts";
import { parsePath } from "../koa/request-path.ts";
import { type Deadline, Deadlines } from "../lib/deadlines.ts";
import { hiddenProblem, problemOfError } from "../packages/errors.ts";
import type { HttpTools, Runtime } from "../runtime.ts";
import { attachedRequests } from "./attached-requests.ts";
import type { AttachedServer } from "./attached-server.ts";
import {
  type Exchange,
  enterRoute,
  type FrontRoute,
  findRouteAgain,
  type GlobalMiddleware,
  isGraphql,
  readBodyOnce,
} from "./exchange.ts";
import type { Router } from "./router.ts";
import { isSanitized } from "./sanitized-response.ts";
import { serverRoutes } from "./server-routes.ts";
import { isLogged } from "./thrown-error.ts";

const answeredBy: Readonly<Record<string, (ctx: Context, tools: HttpTools) => boolean>> = {
  cors: ({ req }, { answersPreflight }) => answersPreflight(req.original),
  favicon: ({ path }) => path === "/favicon.ico",
};

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

type Header = readonly [name: string, value: string];
type Link = (exchange: Exchange, next: Next) => unknown;

const JSON_TYPE = "application/json; charset=utf-8";

function isJsonOnly({ ownHeaders }: NodeResponse): boolean {
  if (ownHeaders.get("content-type") !== JSON_TYPE) return false;
  return ownHeaders.size === 1 || (ownHeaders.size === 2 && ownHeaders.has("content-length"));
}

const createStream = (body: string | Uint8Array | Blob): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async start(controller) {
      controller.enqueue(await new Response(body).bytes());
      controller.close();
    },
  });

/** The runtime sends no others. */
const MIN_STATUS = 200;
const MAX_STATUS = 599;

/** Whether the project adds it, so that the request must pass all of them. The session alone concerns only code's routes. */
const isOwn = (entry: GlobalMiddleware): boolean =>
  "run" in entry && !("builtin" in entry && entry.builtin === "session");

export class Front {
  readonly #parts: FrontParts;
  readonly #deadlines: Deadlines;
  readonly #attached: ReturnType<typeof attachedRequests>;
  readonly #server: ReturnType<typeof serverRoutes>;
  /** Requests that the admin has before the middlewares. */
  readonly #ofAdmin = new WeakSet<Request>();
  /** Whether the project has global middlewares of its own. */
  readonly #isWrapped: boolean;
  readonly #chain: (exchange: Exchange, last: Next) => Promise<unknown>;

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#deadlines = new Deadlines(parts.limitMs);
    this.#attached = attachedRequests(parts.runtime, parts.attached);
    this.#isWrapped = parts.middlewares.some(isOwn);
    this.#server = serverRoutes(parts.runtime, parts.router, this.#isWrapped);
    const visible = this.#isWrapped ? parts.middlewares : parts.middlewares.filter((entry) => "run" in entry);
    this.#chain = compose([...this.#links(visible)]);
  }

  /** Errors of the code become responses. */
  async handle(request: Request): Promise<Response> {
    const { router, runtime } = this.#parts;
    const { tools } = runtime;
    // as in Strapi, which responds before it looks for a route
    if (!this.#isWrapped && tools.answersPreflight(request)) return tools.native(request);
    const path = parsePath(request.url);
    const found = router().find(request.method, path);
    const pagePath = tools.pagePath(path);
    if (
      !found &&
      pagePath !== undefined &&
      !this.#ofAdmin.delete(request) &&
      this.#isForAdministrators(request, pagePath)
    ) {
      this.#ofAdmin.add(request);
      return tools.native(request);
    }
    const forwarded = found ? undefined : this.#attached(request, path);
    const response = forwarded && (await forwarded);
    if (response) return response;
    const endpoint = found?.route.endpoint;
    const isVisibleToCode = this.#isWrapped || runtime.usesRequestContext || isSanitized(runtime, found?.route.action);
    if (!endpoint && !isVisibleToCode) return this.#server.respond(found?.route, request, request);
    const ctx = createContext(tools.app, request, tools);
    if (!this.#isWrapped) ctx.res.common = once(() => tools.headers(request));
    if (found) enterRoute(ctx, found);
    return await this.#runWithDeadline({ ctx, endpoint, route: found?.route, hasBody: false });
  }

  #isForAdministrators({ method }: Request, path: string): boolean {
    return this.#parts.router().find(method, path)?.route.isForAdministrators === true;
  }

  /**
   * Handles a request of the admin page; undefined if there is no route for administrators. `path`: without the page's prefix.
   * `authenticate`: returns the id of the session, or throws. Middlewares see the request here only, as Strapi's page sends it.
   */
  handleFromPage(request: Request, path: string, authenticate: () => string): Promise<Response> | undefined {
    if (!this.#isForAdministrators(request, path)) return undefined;
    return this.handle(this.#parts.runtime.tools.asAdministrator(request, path, authenticate()));
  }

  /** Lets a request that the admin handles after all pass the middlewares; undefined if it need not. */
  handleForAdmin(request: Request): Promise<Response> | undefined {
    return this.#ofAdmin.has(request) ? this.handle(request) : undefined;
  }

  /** Runs the chain. Resolves as soon as Koa, or code, begins to respond, and with an error if the time limit is exceeded. */
  #runWithDeadline(exchange: Exchange): Promise<Response> {
    const { ctx } = exchange;
    const { runtime } = this.#parts;
    const { app } = runtime.tools;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    let isRunning = true;
    const begin = (): Deadline =>
      this.#deadlines.begin(() => {
        isRunning = false;
        // a stream that has begun is cut off
        if (ctx.headerSent) return void ctx.res.destroy();
        void handleRequest(app, ctx, async () => this.#respondTimeout(ctx));
      });
    let deadline = begin();
    ctx.res.connect({
      begin: (body) => resolve(this.#createResponse(exchange, body)),
      wrote: () => {
        if (isRunning && this.#deadlines.end(deadline)) deadline = begin();
      },
      ended: () => void this.#deadlines.end(deadline),
    });
    const respond = async (): Promise<void> => {
      await this.#run(exchange);
      if (!isRunning || ctx.respond === false) return;
      // what Koa sends then may take any time
      isRunning = false;
      this.#deadlines.end(deadline);
    };
    runtime.requestContext.run(ctx, () => handleRequest(app, ctx, respond)).catch(reject);
    return promise;
  }

  /** The response that begins with the head of Node's. */
  #createResponse({ ctx: { req, res }, hasPassed }: Exchange, body: SentBody): Response {
    const { tools } = this.#parts.runtime;
    const status = res.statusCode < MIN_STATUS || res.statusCode > MAX_STATUS ? 500 : res.statusCode;
    const isWhole = !(body instanceof ReadableStream);
    const sent = EMPTY.has(status) ? null : body;
    const isUnchanged = !this.#isWrapped && hasPassed && res.removedHeaders.size === 0;
    if (isWhole && isUnchanged && sent !== null && isJsonOnly(res))
      return new Response(sent, { status, headers: tools.jsonHeaders(req.original) });
    const headers = this.#isWrapped ? new Headers() : tools.headers(req.original);
    for (const name of res.removedHeaders) headers.delete(name);
    // as in Strapi, which sets it once everything else has been done
    if (!hasPassed) headers.delete(POWERED_BY);
    // the runtime sets the length of whole bodies
    for (const [name, value] of res.ownHeaders)
      if (name !== "content-length" || !isWhole || sent === null) setHeader(headers, name, value);
    if (sent !== null && !(sent instanceof ReadableStream) && !headers.has("content-type"))
      // otherwise the runtime adds a content type
      return new Response(createStream(sent), { status, headers });
    return new Response(sent, { status, headers });
  }

  /** The headers of a built-in middleware. */
  #headersOf(builtin: string): (request: Request) => readonly Header[] {
    const { tools } = this.#parts.runtime;
    const select = (request: Request) => [...tools.headers(request)].filter(([name]) => isHeaderOf(builtin, name));
    let usual: readonly Header[] | undefined;
    return (request) => {
      if (request.method === "OPTIONS" || request.headers.has("origin")) return select(request);
      usual ??= select(request);
      return usual;
    };
  }

  *#links(middlewares: readonly GlobalMiddleware[]): Generator<Link> {
    const last = middlewares.findLastIndex(isOwn);
    for (const [index, entry] of middlewares.entries()) {
      if ("run" in entry) {
        yield ({ ctx }, next) => entry.run(ctx, next);
        continue;
      }
      const { builtin } = entry;
      const headersOf = this.#headersOf(builtin);
      if (builtin === "errors") yield (exchange, next) => this.#withErrorResponse(exchange, next);
      else if (builtin === "poweredBy")
        yield async ({ ctx: { req, res } }, next) => {
          await next();
          res.addHeaders(headersOf(req.original));
        };
      else if (builtin === "body")
        yield async (exchange, next) => {
          // the server reads the body of its routes itself, unless later middlewares may use it
          const isRead = exchange.endpoint || (index < last && !isGraphql(exchange.ctx, this.#parts.runtime));
          const reading = isRead ? readBodyOnce(exchange, this.#parts.runtime) : undefined;
          if (reading) await reading;
          return next();
        };
      else
        yield (exchange, next) => {
          const { req, res } = exchange.ctx;
          res.addHeaders(headersOf(req.original));
          const isAnswered = answeredBy[builtin]?.(exchange.ctx, this.#parts.runtime.tools);
          return isAnswered ? this.#server.handle(exchange) : next();
        };
    }
  }

  #dispatch(exchange: Exchange): Promise<void> {
    const { ctx } = exchange;
    findRouteAgain(exchange, this.#parts.router());
    const { route } = exchange;
    const codeEndpoint = exchange.endpoint ? undefined : route?.codeEndpoint;
    const isChanged = codeEndpoint !== undefined && this.#parts.runtime.tools.queries.isChanged(ctx);
    const endpoint = exchange.endpoint ?? (isChanged ? codeEndpoint() : undefined);
    if (!endpoint) return this.#server.handle(exchange);
    const reading = readBodyOnce(exchange, this.#parts.runtime);
    return reading ? reading.then(() => endpoint(ctx)) : endpoint(ctx);
  }

  #run(exchange: Exchange): Promise<void> {
    const dispatch = () => this.#dispatch(exchange);
    return this.#withErrorResponse(exchange, () => this.#chain(exchange, dispatch));
  }

  /** Turns errors, and requests without a response, into error responses, as Strapi's middleware does. */
  async #withErrorResponse(exchange: Exchange, work: () => Promise<unknown>): Promise<void> {
    const { ctx } = exchange;
    try {
      await work();
      exchange.hasPassed ??= true;
      if (!hasStatus(ctx)) refuse(ctx, 404, "NotFoundError", "Not Found", {});
    } catch (error) {
      exchange.hasPassed = false;
      this.#respondError(ctx, error);
    }
  }

  #respondError(ctx: Context, error: unknown): void {
    const refusal = diskFull(error);
    const problem = problemOfError(refusal ?? error);
    if (!problem && !refusal && !isLogged(error)) this.#parts.runtime.log.error(error);
    const { status, ...rest } = problem ?? hiddenProblem(refusal ?? error);
    // code that has failed does not respond by itself
    Reflect.deleteProperty(ctx, "respond");
    ctx.status = status;
    ctx.body = { data: null, error: { status, ...rest } };
  }

  #respondTimeout(ctx: Context): void {
    const error = this.#deadlines.timeoutError();
    this.#parts.runtime.log.error(`${ctx.method} ${ctx.path}: ${error.message}`);
    this.#respondError(ctx, error);
  }
}
