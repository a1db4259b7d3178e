/**
 * Requests of a project with code: its global middlewares around everything, its routes before those of the server. What
 * neither concerns goes to the server as it came.
 */
import { ApiError } from "../../errors.ts";
import { hiddenProblem, problemOfError } from "../packages/errors.ts";
import type { HttpTools, Runtime } from "../runtime.ts";
import { compose, type Middleware } from "./compose.ts";
import { Context } from "./context.ts";
import { readRequestBody } from "./request-body.ts";
import { responseOf, takeResponse } from "./respond.ts";
import type { Router } from "./router.ts";

/** A route of the project's code, ready to answer; `endpoint` undefined: the server answers as it does without code. */
export interface FrontRoute {
  readonly method: string;
  readonly path: string;
  readonly endpoint: ((ctx: Context) => Promise<void>) | undefined;
  /** The server would answer, but is not to: code has taken the route away. */
  readonly isRemoved?: boolean;
}

/** An entry of `config/middlewares`: one of the server's own, or the project's. */
export type GlobalMiddleware = { readonly builtin: string } | { readonly name: string; readonly run: Middleware };

export interface FrontParts {
  readonly runtime: Runtime;
  readonly router: Router<FrontRoute>;
  readonly middlewares: readonly GlobalMiddleware[];
  /** Milliseconds that code may take to answer. */
  readonly limitMs: number;
}

/** What is known of a request on its way through the chain. */
interface Progress {
  /** The server's own middlewares that were reached. */
  readonly reached: Set<string>;
  hasBody: boolean;
  readonly isRemoved: boolean;
}

/** The headers that each of the server's own middlewares sets: none where the chain ended before it. */
const headersOf: Readonly<Record<string, RegExp>> = {
  cors: /^(access-control-|vary$)/,
  poweredBy: /^x-powered-by$/,
  security:
    /^(content-security-policy|referrer-policy|strict-transport-security|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies))$/,
};

const pathOf = (url: string): string => {
  const begin = url.indexOf("/", url.indexOf("//") + 2);
  const mark = url.indexOf("?", begin);
  return mark < 0 ? url.slice(begin) : url.slice(begin, mark);
};

export class Front {
  readonly #parts: FrontParts;
  readonly #hasGlobals: boolean;

  constructor(parts: FrontParts) {
    this.#parts = parts;
    this.#hasGlobals = parts.middlewares.some((entry) => "run" in entry);
  }

  /** Never throws what code throws. */
  async handle(request: Request): Promise<Response> {
    const { router, runtime } = this.#parts;
    const found = router.find(request.method, pathOf(request.url));
    const route = found?.route.endpoint ? found : undefined;
    const isRemoved = found?.route.isRemoved === true;
    if (!route && !this.#hasGlobals) return runtime.tools.native(isRemoved ? elsewhere(request) : request);
    const { tools } = runtime;
    const { parseQuery, stringifyQuery } = tools;
    const ctx = new Context({ request, parseQuery, stringifyQuery, ip: tools.clientIp(request) });
    if (found) {
      ctx.params = { 0: pathOf(request.url).slice(1), ...found.params };
      ctx._matchedRoute = found.route.path;
    }
    const endpoint = route?.route.endpoint;
    const progress: Progress = { reached: new Set(), hasBody: false, isRemoved };
    await runtime.requestContext.run(ctx, () => this.#limited(ctx, () => this.#run(ctx, endpoint, progress)));
    const headers = tools.headers(request);
    if (this.#hasGlobals) this.#dropUnreached(headers, progress);
    return responseOf(ctx, headers);
  }

  #dropUnreached(headers: Headers, { reached }: Progress): void {
    for (const entry of this.#parts.middlewares) {
      const own = "builtin" in entry && !reached.has(entry.builtin) ? headersOf[entry.builtin] : undefined;
      if (!own) continue;
      for (const name of [...headers.keys()]) if (own.test(name)) headers.delete(name);
    }
  }

  async #run(ctx: Context, endpoint: FrontRoute["endpoint"], progress: Progress): Promise<void> {
    const { runtime, middlewares } = this.#parts;
    const readBody = async (): Promise<void> => {
      if (progress.hasBody) return;
      progress.hasBody = true;
      await readRequestBody(ctx, runtime);
    };
    const last = async (): Promise<void> => {
      if (!endpoint) {
        const own = nativeRequest(ctx, progress, runtime.tools);
        return takeResponse(ctx, await runtime.tools.native(progress.isRemoved ? elsewhere(own) : own));
      }
      await readBody();
      await endpoint(ctx);
    };
    const chain = this.#hasGlobals
      ? middlewares.map((entry): Middleware => {
          if ("run" in entry) return entry.run;
          if (entry.builtin === "errors") return (_ctx, next) => this.#guarded(ctx, next);
          return async (_ctx, next) => {
            progress.reached.add(entry.builtin);
            // the body of what the server answers by itself is the server's to read
            if (entry.builtin === "body" && endpoint) await readBody();
            return next();
          };
        })
      : [];
    await this.#guarded(ctx, async () => compose(chain)(ctx, last));
  }

  /** Errors and what nobody has answered become answers, as the reference's own middleware does it. */
  async #guarded(ctx: Context, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      if (!ctx.response.isStatusSet) ctx.refuse(404, "NotFoundError", "Not Found", {});
    } catch (error) {
      this.#answerError(ctx, error);
    }
  }

  #answerError(ctx: Context, error: unknown): void {
    const problem = problemOfError(error);
    if (!problem) this.#parts.runtime.log.error(error);
    const { status, ...rest } = problem ?? hiddenProblem(error);
    ctx.response.header.delete("content-type");
    ctx.response.status = status;
    ctx.response.body = { data: null, error: { status, ...rest } };
  }

  async #limited(ctx: Context, work: () => Promise<void>): Promise<void> {
    const { limitMs } = this.#parts;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        const message = `The project's code did not answer within ${limitMs} ms`;
        this.#parts.runtime.log.error(`${ctx.method} ${ctx.path}: ${message}`);
        this.#answerError(ctx, new ApiError("ServiceUnavailableError", message));
        resolve();
      }, limitMs);
    });
    try {
      await Promise.race([work(), limit]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A request for what nobody has, answered as any other. */
const elsewhere = (request: Request): Request =>
  new Request(new URL(`/${crypto.randomUUID()}/removed`, request.url).href, request);

/** The request as middlewares have left it: they may have changed its query, and have read its body. */
function nativeRequest(ctx: Context, { hasBody }: Progress, tools: HttpTools): Request {
  const { original, isQueryChanged } = ctx.request;
  if (!isQueryChanged && !hasBody) return original;
  const target = new URL(original.url);
  if (isQueryChanged) target.search = tools.stringifyQuery(ctx.query);
  const body = hasBody ? JSON.stringify(ctx.request.body) : original.body;
  return new Request(target.href, { method: original.method, headers: original.headers, body: body ?? null });
}
