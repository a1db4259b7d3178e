/** A route of the code: authentication, authorization, policies, middlewares, action. */

import compose from "koa-compose";
import { ApiError, forbidden, invalidCredentials } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { type Context, hasBody, type Middleware, type RouteState, refuse } from "../koa/koa.ts";
import { isStrapiError, strapiError } from "../packages/utils.ts";
import type { Runtime } from "../runtime.ts";
import { type Authentication, authenticate, identify } from "./authentication.ts";
import type { ListedStrategy } from "./strategies.ts";

export type Policy = (context: object, config: unknown, options: { readonly strapi: object }) => unknown;

export interface EndpointParts {
  readonly route: RouteState;
  /** Without authentication. */
  readonly isOpen: boolean;
  /** No authentication strategy applies, so that all requests are refused unless it is open. */
  readonly isUnreachable: boolean;
  /** The authentication strategies that apply; undefined: those of the server. */
  readonly strategies: readonly ListedStrategy[] | undefined;
  /** The permissions that a caller needs; undefined: any user or token. */
  readonly scope: readonly string[] | undefined;
  readonly policies: readonly { readonly policy: Policy; readonly config: unknown }[];
  readonly middlewares: readonly Middleware[];
  readonly actions: readonly Middleware[];
}

/** The error for a caller without the permissions; undefined for others. */
function findRefusal({ req: { ability } }: Context, scope: EndpointParts["scope"]): ApiError | undefined {
  if (!ability) return undefined;
  if (!scope) return ability.kind === "public" ? unauthorized() : undefined;
  return scope.every((action) => ability.can(action)) ? undefined : forbidden();
}

const unauthorized = (): ApiError => new ApiError("UnauthorizedError", "Unauthorized");

/** As in Strapi, authorization errors are not thrown, so that middlewares around the route cannot catch them. */
const refuseWith = (ctx: Context, { httpStatus: status, name, message }: ApiError): void =>
  refuse(ctx, status, name, message, {});

/** The context for policies. It shares `state` with the action. */
const policyContext = (ctx: Context): object => ({
  is: (type: string) => type === "koa",
  type: "koa",
  ctx,
  get app() {
    return ctx.app;
  },
  routerPath: ctx.routerPath,
  _matchedRoute: ctx._matchedRoute,
  // created on demand, since they are rarely used
  get req() {
    return ctx.req;
  },
  get res() {
    return ctx.res;
  },
  request: ctx.request,
  response: ctx.response,
  state: ctx.state,
  params: ctx.params,
  get originalUrl() {
    return ctx.request.originalUrl;
  },
});

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value;

/** Replaces authorization errors by ones with the default message, except for those of policies. */
function refusalFrom(error: unknown): ApiError | undefined {
  if (isStrapiError(error, "PolicyError") || error instanceof ApiError) return undefined;
  if (isStrapiError(error, "UnauthorizedError")) return unauthorized();
  return isStrapiError(error, "ForbiddenError") ? forbidden() : undefined;
}

export function createEndpoint(runtime: Runtime, parts: EndpointParts): (ctx: Context) => Promise<void> {
  const { route, isOpen, isUnreachable, strategies, scope, policies, middlewares, actions } = parts;
  const hasOwnStrategies = strategies?.some((strategy) => typeof strategy !== "string") === true;
  const handle = compose<Context>([
    ...middlewares,
    async (ctx, next) => {
      const value = await next();
      if (!hasBody(ctx) && value !== undefined && value !== null) ctx.body = value;
    },
    ...actions,
  ]);
  const run = async (ctx: Context, isVerified = isOpen): Promise<void> => {
    const isRefused = isUnreachable && !isOpen ? invalidCredentials() : undefined;
    const refusal = isRefused ?? (isVerified ? undefined : findRefusal(ctx, scope));
    if (refusal) return refuseWith(ctx, refusal);
    try {
      if (policies.length > 0) {
        const context = policyContext(ctx);
        for (const { policy, config } of policies) {
          const returned = policy(context, config, { strapi: runtime.strapi });
          const result = isThenable(returned) ? await returned : returned;
          if (result !== true && result !== undefined) throw strapiError("PolicyError");
        }
      }
      await handle(ctx, async () => undefined);
    } catch (error) {
      const caught = refusalFrom(error);
      if (!caught) throw error;
      refuseWith(ctx, caught);
    }
  };
  const refuseUnauthorized = (ctx: Context, error: unknown): void => {
    if (!(error instanceof ApiError) || error.httpStatus !== 401) throw error;
    refuseWith(ctx, error);
  };
  const authConfig = isRecord(route.config) ? route.config.auth : undefined;
  const runAfterStrategies = async (ctx: Context): Promise<void> => {
    let authentication: Authentication;
    try {
      authentication = await authenticate(runtime, ctx, strategies ?? []);
      if (typeof authentication === "object") await authentication.verify?.(ctx.state.auth, authConfig);
    } catch (error) {
      const caught = refusalFrom(error) ?? (error instanceof ApiError && error.httpStatus === 401 ? error : undefined);
      if (!caught) throw error;
      return refuseWith(ctx, caught);
    }
    if (authentication !== "refused") await run(ctx, authentication !== "server");
  };
  const runIdentified = async (ctx: Context): Promise<void> => {
    try {
      const identified = identify(runtime, ctx, strategies);
      // only promises are awaited, so that a request reads from one snapshot
      if (identified) await identified;
    } catch (error) {
      return refuseUnauthorized(ctx, error);
    }
    await run(ctx);
  };
  return (ctx) => {
    ctx.state.route = route;
    if (isOpen || isUnreachable) return run(ctx);
    return hasOwnStrategies ? runAfterStrategies(ctx) : runIdentified(ctx);
  };
}
