/** Requests that the server handles, in a project with code: as a whole, or within the global middlewares. */
import { ApiError } from "../../lib/errors.ts";
import { hasBody, takeResponse } from "../koa/koa.ts";
import { parsePath, withMissingPath } from "../koa/request-path.ts";
import type { Runtime } from "../runtime.ts";
import { identify } from "./authentication.ts";
import { type Exchange, type FrontRoute, isGraphql, readBodyOnce } from "./exchange.ts";
import { setContext } from "./graphql-context.ts";
import { nativeRequest } from "./native-request.ts";
import type { Router } from "./router.ts";
import { sanitizedResponse } from "./sanitized-response.ts";
import { readFailure } from "./thrown-error.ts";

const CREATED = 201;

/** `isWrapped`: the project has global middlewares of its own. */
export function serverRoutes(runtime: Runtime, router: () => Router<FrontRoute>, isWrapped: boolean) {
  /** The server's response. Methods of the code's routes are added to its `Allow` header. */
  async function respond(route: FrontRoute | undefined, request: Request, sent: Request): Promise<Response> {
    const response = await runtime.tools.native(route?.isRemoved ? withMissingPath(request) : request, sent);
    const allowed = response.headers.get("allow");
    if (route || allowed === null) return response;
    const own = router().listMethods(parsePath(sent.url));
    response.headers.set("allow", [...new Set(["HEAD", "GET", ...own, ...allowed.split(", ")])].join(", "));
    return response;
  }

  /** Puts the response of the server into `ctx`. Rejects with the error of a core action, for the middlewares. */
  async function handle(exchange: Exchange): Promise<void> {
    const { tools, usesRequestContext } = runtime;
    await setState(exchange);
    // hooks may use the body, but not that of uploads
    if (usesRequestContext && /json/i.test(exchange.ctx.get("content-type")) && !isGraphql(exchange.ctx, runtime))
      await readBodyOnce(exchange, runtime);
    const { ctx, hasBody: isBodyRead } = exchange;
    const { original, isRetargeted, method = "GET", url = "/" } = ctx.req;
    const target = isRetargeted ? { method, url: new URL(url, original.url) } : undefined;
    const own = nativeRequest(ctx, isBodyRead, tools, target);
    if (isGraphql(ctx, runtime)) setContext(own, ctx);
    const response = await respond(exchange.route, own, original);
    // middlewares must see what Strapi's action would do
    const outcome = isWrapped ? readFailure(tools, response) : undefined;
    if (outcome?.error) throw outcome.error;
    if (outcome?.isMissing) return;
    // as in Strapi, what a core action returns is ignored if code has set a body
    const isCore = exchange.route?.codeEndpoint !== undefined;
    if (isCore && hasBody(ctx) && response.ok) {
      if (response.status === CREATED) ctx.status = CREATED;
      return;
    }
    // as in Strapi, the body of GraphQL is text
    ctx.res.isText = isGraphql(ctx, runtime);
    const answer = await sanitizedResponse(runtime, exchange.route?.action, response);
    return takeResponse(ctx, answer, tools.headers(original));
  }

  /** Sets `ctx.state` for middlewares and hooks, if the server handles the request. */
  async function setState({ ctx, route }: Exchange): Promise<void> {
    if (!route?.route && !isGraphql(ctx, runtime)) return;
    if (route?.route) ctx.state.route = route.route;
    try {
      await identify(runtime, ctx);
    } catch (error) {
      // the server refuses invalid credentials later
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return { respond, handle };
}
