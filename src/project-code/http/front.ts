/**
 * Requests of a project with code: its global middlewares around everything, its routes before those of the server. What
 * neither concerns goes to the server as it came.
 */
import { ApiError } from "../../errors.ts";
import { diskFull } from "../../storage/problems.ts";
import { hiddenProblem, problemOfError } from "../packages/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { AttachedServer } from "./attached-server.ts";
import { compose, type Link, type Middleware, type Next } from "./compose.ts";
import { Context, type RouteState } from "./context.ts";
import { Deadlines } from "./deadlines.ts";
import { dropHeaders } from "./dropped-headers.ts";
import { identify } from "./endpoint.ts";
import { nativeRequest } from "./native-request.ts";
import { readRequestBody } from "./request-body.ts";
import { responseOf, takeResponse, unsendable } from "./respond.ts";
import type { Router } from "./router.ts";
import { errorThrownBy } from "./thrown-error.ts";

/** A route of the project's code, ready to answer; `endpoint` undefined: the server answers as it does without code. */
export interface FrontRoute {
  readonly method: string;
  readonly path: string;
  readonly endpoint: ((ctx: Context) => Promise<void>) | undefined;
  /** A core action that answers requests whose query code has changed to what no query string says, such as empty objects. */
  readonly byCode?: () => (ctx: Context) => Promise<void>;
  /** What code sees of the route in `ctx.state.route` while the server answers by itself. */
  readonly route?: RouteState;
  /** Below the prefix of the API; others are at the root. */
  readonly isContentApi?: boolean;
  /** The server would answer, but is not to: code has taken the route away. */
  readonly isRemoved?: boolean;
}

/** An entry of `config/middlewares`: one of the server's own, or the project's. */
export type GlobalMiddleware = { readonly builtin: string } | { readonly name: string; readonly run: Middleware };

export interface FrontParts {
  readonly runtime: Runtime;
  readonly router: Router<FrontRoute>;
  readonly middlewares: readonly GlobalMiddleware[];
  /** What code attaches to Node's server. */
  readonly attached: AttachedServer;
  /** Milliseconds that code may take to answer. */
  readonly limitMs: number;
}

/** A request on its way through the chain. */
interface Passage {
  readonly ctx: Context;
  /** Undefined: the server answers. */
  readonly endpoint: FrontRoute["endpoint"];
  /** Undefined for routes that the server alone knows. */
  readonly route: FrontRoute | undefined;
  /** How many entries of the list of middlewares were reached. */
  reached: number;
  hasBody: boolean;
}

/** Path and query string. */
const targetOf = (url: string): string => url.slice(url.indexOf("/", url.indexOf("//") + 2));

const pathOf = (url: string): string => {
  const begin = url.indexOf("/", url.indexOf("//") + 2);
  const mark = url.indexOf("?", begin);
  return mark < 0 ? url.slice(begin) : url.slice(begin, mark);
};

export class Front {
  readonly #parts: FrontParts;
  readonly #deadlines: Deadlines;
  /** The middlewares that do something for a request; undefined for none of the project's. */
  readonly #chain: ((passage: Passage, last: Next) => Promise<unknown>) | undefined;

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#deadlines = new Deadlines(parts.limitMs);
    if (parts.middlewares.some((entry) => "run" in entry)) this.#chain = compose([...this.#links(parts.middlewares)]);
  }

  /** Never throws what code throws. */
  async handle(request: Request): Promise<Response> {
    const { router, runtime } = this.#parts;
    const { tools } = runtime;
    const path = pathOf(request.url);
    const found = router.find(request.method, path);
    const taken = found ? undefined : this.#attached(request, path);
    const response = taken && (await taken);
    if (response) return response;
    const endpoint = found?.route.endpoint;
    const isSeen = this.#chain !== undefined || runtime.usesRequestContext;
    if (!endpoint && !isSeen) return this.#native(found?.route, request, request);
    const ctx = new Context(request, tools);
    if (found) {
      ctx.params = found.route.isContentApi ? { 0: path.slice(1), ...found.params } : { ...found.params };
      ctx._matchedRoute = found.route.path;
      ctx.routerPath = found.route.path;
    }
    return await this.#pass({ ctx, endpoint, route: found?.route, reached: 0, hasBody: false });
  }

  /** The server's own response. What it says of the methods of a path includes those of the project's routes. */
  async #native(route: FrontRoute | undefined, request: Request, sent: Request): Promise<Response> {
    const { router, runtime } = this.#parts;
    const response = await runtime.tools.native(route?.isRemoved ? elsewhere(request) : request, sent);
    const allowed = response.headers.get("allow");
    if (route || allowed === null) return response;
    const own = router.methodsOf(pathOf(sent.url));
    response.headers.set("allow", [...new Set(["HEAD", "GET", ...own, ...allowed.split(", ")])].join(", "));
    return response;
  }

  /** The response of the code, or of the server behind it; one about the limit for code that takes too long. */
  #pass(passage: Passage): Promise<Response> {
    const { ctx } = passage;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const respond = (): void => {
      try {
        resolve(this.#respond(passage));
      } catch (error) {
        this.#parts.runtime.log.error(error);
        resolve(unsendable());
      }
    };
    const deadline = this.#deadlines.begin(() => {
      this.#answerLate(ctx);
      respond();
    });
    this.#parts.runtime.requestContext
      .run(ctx, () => this.#run(passage))
      .then(() => {
        if (this.#deadlines.end(deadline)) respond();
      }, reject);
    return promise;
  }

  #respond({ ctx, reached }: Passage): Response {
    const { runtime, middlewares } = this.#parts;
    return responseOf(ctx, () => {
      const headers = runtime.tools.headers(ctx.request.original);
      if (this.#chain) for (const entry of middlewares.slice(reached)) dropHeaders(headers, entry);
      return headers;
    });
  }

  /** The response of listeners on Node's server, which come before middlewares; undefined where none takes the request. */
  #attached(request: Request, path: string): Promise<Response | undefined> | undefined {
    const { attached } = this.#parts;
    const isSocket = attached.takesSockets && request.headers.get("upgrade")?.toLowerCase() === "websocket";
    if (isSocket) return this.#relay(request);
    if (!attached.takesRequests || this.#isOwn(path)) return undefined;
    return this.#forward(request);
  }

  /** Undefined where nothing attached takes the request. Throws BodyTooLargeError where its body is gone by then. */
  async #forward(request: Request): Promise<Response | undefined> {
    const { attached, runtime } = this.#parts;
    const { tools, ended, settings } = runtime;
    // a copy of the body is kept in memory, for whoever answers what nothing attached takes
    const isKept = Number(request.headers.get("content-length") ?? Number.NaN) <= settings.http.limits.json;
    const sent = request.body === null || !isKept ? request : (request.clone() as Request);
    const response = await attached
      .forward(sent, targetOf(request.url), tools.clientIp(request), ended.signal)
      .catch(() => new Response(null, { status: 502 }));
    if (!response && request.bodyUsed) throw new ApiError("BodyTooLargeError", "request entity too large");
    return response;
  }

  async #relay(request: Request): Promise<Response> {
    const { attached, runtime } = this.#parts;
    const url = `ws://${await attached.address()}${targetOf(request.url)}`;
    const headers = attached.headersOf(request, runtime.tools.clientIp(request));
    const isRelayed = await runtime.tools.relaySocket(request, url, headers);
    // after an upgrade the response is ignored
    return new Response(null, { status: isRelayed ? 204 : 400 });
  }

  /** Whether a path belongs to the server, and is never forwarded. */
  #isOwn(path: string): boolean {
    const { rest, graphql } = this.#parts.runtime.settings;
    return [rest.prefix, graphql.endpoint, "/uploads", "/admin", "/_health"].some(
      (own) => path === own || path.startsWith(`${own}/`),
    );
  }

  /** The server's own middlewares are reached once one of the project's behind them is, or what answers. */
  *#links(middlewares: readonly GlobalMiddleware[]): Generator<Link<Passage>> {
    const last = middlewares.findLastIndex((entry) => "run" in entry);
    for (const [index, entry] of middlewares.entries()) {
      if ("run" in entry) {
        const { run } = entry;
        yield (passage, next) => {
          passage.reached = index;
          return run(passage.ctx, next);
        };
      } else if (entry.builtin === "errors") yield ({ ctx }, next) => this.#guarded(ctx, next);
      else if (entry.builtin === "body")
        yield async (passage, next) => {
          passage.reached = index;
          // what the server answers by itself is the server's to read, unless middlewares look at it before
          const isRead = passage.endpoint || (index < last && !this.#isGraphql(passage.ctx));
          const reading = isRead ? this.#readBody(passage) : undefined;
          if (reading) await reading;
          return next();
        };
    }
  }

  #isGraphql(ctx: Context): boolean {
    return ctx.path === this.#parts.runtime.settings.graphql.endpoint;
  }

  #readBody(passage: Passage): Promise<void> | undefined {
    if (passage.hasBody) return undefined;
    passage.hasBody = true;
    return readRequestBody(passage.ctx, this.#parts.runtime);
  }

  #answer(passage: Passage): Promise<void> {
    const { ctx, route } = passage;
    const endpoint = passage.endpoint ?? (ctx.request.isQueryChanged ? route?.byCode?.() : undefined);
    passage.reached = this.#parts.middlewares.length;
    if (!endpoint) return this.#answerNatively(passage);
    const reading = this.#readBody(passage);
    return reading ? reading.then(() => endpoint(ctx)) : endpoint(ctx);
  }

  /** What middlewares and hooks find in `ctx.state` of a request that the server answers by itself. */
  async #setState({ ctx, route }: Passage): Promise<void> {
    const { runtime } = this.#parts;
    if (!route?.route && !this.#isGraphql(ctx)) return;
    if (route?.route) ctx.state.route = route.route;
    try {
      await identify(runtime, ctx);
    } catch (error) {
      // the server refuses invalid credentials by itself
      if (!(error instanceof ApiError)) throw error;
    }
  }

  async #answerNatively(passage: Passage): Promise<void> {
    const { tools, usesRequestContext } = this.#parts.runtime;
    await this.#setState(passage);
    // hooks look at bodies, too, but not at those of uploads
    if (usesRequestContext && /json/i.test(passage.ctx.get("content-type")) && !this.#isGraphql(passage.ctx))
      await this.#readBody(passage);
    const { ctx, hasBody } = passage;
    const { original } = ctx.request;
    const own = nativeRequest(ctx, hasBody, tools);
    const response = await this.#native(passage.route, own, original);
    // middlewares of the project around it see what the reference's action would throw
    const error = this.#chain && (await errorThrownBy(response));
    if (error) throw error;
    return takeResponse(ctx, response);
  }

  #run(passage: Passage): Promise<void> {
    const answer = () => this.#answer(passage);
    return this.#guarded(passage.ctx, () => (this.#chain ? this.#chain(passage, answer) : answer()));
  }

  /** Turns errors, and requests without a response, into error responses, as the reference's middleware does. */
  async #guarded(ctx: Context, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      if (!ctx.response.isStatusSet) ctx.refuse(404, "NotFoundError", "Not Found", {});
    } catch (error) {
      this.#answerError(ctx, error);
    }
  }

  #answerError(ctx: Context, error: unknown): void {
    const refusal = diskFull(error);
    const problem = problemOfError(refusal ?? error);
    if (!problem && !refusal) this.#parts.runtime.log.error(error);
    const { status, ...rest } = problem ?? hiddenProblem(refusal ?? error);
    ctx.response.type = "";
    ctx.response.status = status;
    ctx.response.body = { data: null, error: { status, ...rest } };
  }

  #answerLate(ctx: Context): void {
    const { limitMs, runtime } = this.#parts;
    const message = `The project's code did not answer within ${limitMs} ms`;
    runtime.log.error(`${ctx.method} ${ctx.path}: ${message}`);
    this.#answerError(ctx, new ApiError("ServiceUnavailableError", message));
  }
}

/** A request for a path that does not exist, to get the usual 404. */
const elsewhere = (request: Request): Request =>
  new Request(new URL(`/${crypto.randomUUID()}/removed`, request.url).href, request);
