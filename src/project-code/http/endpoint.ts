/** A route of the code: authentication, authorization, policies, middlewares, action. */
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
  /** No authentication strategy applies, so that all requests are refused unless it is open. */
  readonly isUnreachable: boolean;
  /** The names of the authentication strategies that apply; undefined: all. */
  readonly strategies: ReadonlySet<string> | undefined;
  /** The permissions that a caller needs. Empty: any user or token. */
  readonly scope: readonly string[];
  readonly policies: readonly { readonly policy: Policy; readonly config: unknown }[];
  readonly middlewares: readonly Middleware[];
  readonly actions: readonly Middleware[];
}

/** The names of the authentication strategies, by the kind of caller. */
export const strategyNames: Readonly<Record<Ability["kind"], string>> = {
  public: "users-permissions",
  user: "users-permissions",
  token: "content-api-token",
};

/** Sets `ctx.state.user`: as in the reference, the whole row with its role. */
async function setUser(runtime: Runtime, ctx: Context, userId: number): Promise<void> {
  const user = await runtime.query(USER).findOne({ where: { id: userId }, populate: ["role"] });
  if (!user) return;
  ctx.state.user = user;
  ctx.state.auth = { ...ctx.state.auth, credentials: user };
}

/** Returns a promise only if needed, so that a request reads from one snapshot. */
function setAbility(runtime: Runtime, ctx: Context, ability: Ability): MaybePromise<void> {
  ctx.ability = ability;
  const isToken = ability.kind === "token";
  ctx.state.isAuthenticated = true;
  ctx.state.auth = {
    strategy: { name: strategyNames[ability.kind] },
    credentials: isToken ? { type: ability.key } : null,
    ability: { can: (action: string) => ability.can(action) },
  };
  return ability.userId === undefined ? undefined : setUser(runtime, ctx, ability.userId);
}

/** Sets the caller's permissions, and the caller in `ctx.state`. Throws an ApiError for credentials that are invalid or not accepted. */
export const identify = (
  runtime: Runtime,
  ctx: Context,
  strategies?: EndpointParts["strategies"],
): MaybePromise<void> =>
  whenReady(runtime.access.access.identify(ctx.get("authorization") || null), (ability) => {
    if (strategies && !strategies.has(strategyNames[ability.kind])) throw unauthorized(NO_CREDENTIALS);
    return setAbility(runtime, ctx, ability);
  });

/** The error for a caller without the permissions; undefined for others. */
function refusalOf({ ability }: Context, scope: readonly string[]): ApiError | undefined {
  if (!ability) return undefined;
  if (scope.length === 0 && ability.kind === "public") return unauthorized();
  return scope.every((action) => ability.can(action)) ? undefined : forbidden();
}

const NO_CREDENTIALS = "Missing or invalid credentials";
const unauthorized = (message = "Unauthorized"): ApiError => new ApiError("UnauthorizedError", message);
const forbidden = (): ApiError => new ApiError("ForbiddenError", "Forbidden");

/** As in the reference, authorization errors are not thrown, so that middlewares around the route cannot catch them. */
const refuse = (ctx: Context, { status, name, message }: ApiError): void => ctx.refuse(status, name, message, {});

/** The context for policies. It shares `state` with the action. */
const policyContext = (ctx: Context): object => ({
  is: (type: string) => type === "koa",
  type: "koa",
  ctx,
  get app() {
    return ctx.request.app;
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
  if (error instanceof PolicyError || error instanceof ApiError) return undefined;
  if (error instanceof UnauthorizedError) return unauthorized();
  return error instanceof ForbiddenError ? forbidden() : undefined;
}

export function createEndpoint(runtime: Runtime, parts: EndpointParts): (ctx: Context) => Promise<void> {
  const { route, isOpen, isUnreachable, strategies, scope, policies, middlewares, actions } = parts;
  const handle = compose([
    ...middlewares,
    async (ctx, next) => {
      const value = await next();
      if (!ctx.response.hasBody && value !== undefined && value !== null) ctx.body = value;
    },
    ...actions,
  ]);
  const run = async (ctx: Context): Promise<void> => {
    const isRefused = isUnreachable && !isOpen ? unauthorized(NO_CREDENTIALS) : undefined;
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
      await handle(ctx, async () => undefined);
    } catch (error) {
      const caught = refusalFrom(error);
      if (!caught) throw error;
      refuse(ctx, caught);
    }
  };
  const refuseUnauthorized = (ctx: Context, error: unknown): void => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    refuse(ctx, error);
  };
  return async (ctx) => {
    ctx.state.route = route;
    if (isOpen || isUnreachable) return run(ctx);
    try {
      const identified = identify(runtime, ctx, strategies);
      // only promises are awaited, so that a request reads from one snapshot
      if (identified) await identified;
    } catch (error) {
      return refuseUnauthorized(ctx, error);
    }
    return run(ctx);
  };
}
