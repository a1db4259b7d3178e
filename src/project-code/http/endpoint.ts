/** One own route: authentication, authorization, policies, middlewares, action. */
import type { Ability } from "../../access/ability.ts";
import { ApiError } from "../../errors.ts";
import { USER } from "../../schema/builtin/index.ts";
import { type MaybePromise, whenReady } from "../../when-ready.ts";
import { ForbiddenError, PolicyError, UnauthorizedError } from "../packages/errors.ts";
import type { Runtime } from "../runtime.ts";
import { compose, type Middleware } from "./compose.ts";
import type { Context, RouteState } from "./context.ts";

export type Policy = (context: object, config: unknown, options: { readonly strapi: object }) => unknown;

export interface EndpointParts {
  readonly route: RouteState;
  /** Without authentication. */
  readonly isOpen: boolean;
  /** No way of authentication applies to it, so that it answers only when it is open. */
  readonly isUnreachable: boolean;
  /** The permissions that a caller needs; none: to be signed in is enough. */
  readonly scope: readonly string[];
  readonly policies: readonly { readonly policy: Policy; readonly config: unknown }[];
  readonly middlewares: readonly Middleware[];
  readonly actions: readonly Middleware[];
}

const strategies: Readonly<Record<Ability["kind"], string>> = {
  public: "users-permissions",
  user: "users-permissions",
  token: "content-api-token",
};

/** The signed-in user as the reference hands it to code: with the role, and everything that the row holds. */
async function setUser(runtime: Runtime, ctx: Context, userId: number): Promise<void> {
  const user = await runtime.query(USER).findOne({ where: { id: userId }, populate: ["role"] });
  if (!user) return;
  ctx.state.user = user;
  ctx.state.auth = { ...ctx.state.auth, credentials: user };
}

/** Returns a promise only where it must, so that a request reads from one snapshot. */
function setAbility(runtime: Runtime, ctx: Context, ability: Ability): MaybePromise<void> {
  ctx.ability = ability;
  const isToken = ability.kind === "token";
  ctx.state.isAuthenticated = true;
  ctx.state.auth = {
    strategy: { name: strategies[ability.kind] },
    credentials: isToken ? { type: ability.key } : null,
    ability: { can: (action: string) => ability.can(action) },
  };
  return ability.userId === undefined ? undefined : setUser(runtime, ctx, ability.userId);
}

/** Sets the caller's rights, and what `ctx.state` shows of the caller. Throws an ApiError for invalid credentials. */
export const identify = (runtime: Runtime, ctx: Context): MaybePromise<void> =>
  whenReady(runtime.access.access.identify(ctx.get("authorization") || null), (ability) =>
    setAbility(runtime, ctx, ability),
  );

/** The error that a caller without the right gets; undefined for those who have it. */
function refusalOf({ ability }: Context, scope: readonly string[]): ApiError | undefined {
  if (!ability) return undefined;
  if (scope.length === 0 && ability.kind === "public") return unauthorized();
  return scope.every((action) => ability.can(action)) ? undefined : forbidden();
}

const unauthorized = (message = "Unauthorized"): ApiError => new ApiError("UnauthorizedError", message);
const forbidden = (): ApiError => new ApiError("ForbiddenError", "Forbidden");

/** Refusals about rights are answers: nothing is thrown that middlewares around the route could catch, as in the reference. */
const refuse = (ctx: Context, { status, name, message }: ApiError): void => ctx.refuse(status, name, message, {});

/** The context of policies. It shares `state` with the action. */
const policyContext = (ctx: Context): object => ({
  is: (type: string) => type === "koa",
  type: "koa",
  ctx,
  get app() {
    return ctx.request.app;
  },
  routerPath: ctx.routerPath,
  _matchedRoute: ctx._matchedRoute,
  // rarely used, so made on demand
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

/** Errors about rights are refusals and lose their words, but for those of policies. */
function refusalBy(error: unknown): ApiError | undefined {
  if (error instanceof PolicyError || error instanceof ApiError) return undefined;
  if (error instanceof UnauthorizedError) return unauthorized();
  return error instanceof ForbiddenError ? forbidden() : undefined;
}

export function createEndpoint(runtime: Runtime, parts: EndpointParts): (ctx: Context) => Promise<void> {
  const { route, isOpen, isUnreachable, scope, policies, middlewares, actions } = parts;
  const act = compose([
    ...middlewares,
    async (ctx, next) => {
      const value = await next();
      if (!ctx.response.hasBody && value !== undefined && value !== null) ctx.body = value;
    },
    ...actions,
  ]);
  const run = async (ctx: Context): Promise<void> => {
    const isRefused = isUnreachable && !isOpen ? unauthorized("Missing or invalid credentials") : undefined;
    const refusal = isRefused ?? (isOpen ? undefined : refusalOf(ctx, scope));
    if (refusal) return refuse(ctx, refusal);
    try {
      if (policies.length > 0) {
        const context = policyContext(ctx);
        for (const { policy, config } of policies) {
          const returned = policy(context, config, { strapi: runtime.strapi });
          const result = isThenable(returned) ? await returned : returned;
          if (result !== true && result !== undefined) throw new PolicyError();
        }
      }
      await act(ctx, async () => undefined);
    } catch (error) {
      const caught = refusalBy(error);
      if (!caught) throw error;
      refuse(ctx, caught);
    }
  };
  const refuseStranger = (ctx: Context, error: unknown): void => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    refuse(ctx, error);
  };
  return async (ctx) => {
    ctx.state.route = route;
    if (isOpen || isUnreachable) return run(ctx);
    try {
      const identified = identify(runtime, ctx);
      // nothing is awaited that is no promise, so that a request reads from one snapshot
      if (identified) await identified;
    } catch (error) {
      return refuseStranger(ctx, error);
    }
    return run(ctx);
  };
}
