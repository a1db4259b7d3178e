/** Finds the caller of a request to a route of the code. */

import { type Ability, createAbility } from "../../engine/access/access.ts";
import { actionNames } from "../../engine/access/action-names.ts";
import type { CanRead } from "../../engine/query/tree.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { ApiError, invalidCredentials } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import type { Context } from "../koa/koa.ts";
import { strapiError } from "../packages/utils.ts";
import type { Runtime } from "../runtime.ts";
import { findAbility, nobody, withUser } from "./caller.ts";
import { checkStrategy, type ListedStrategy, markServerStrategy, type Strategy, strategyNames } from "./strategies.ts";

interface Auth {
  readonly credentials?: unknown;
  readonly ability?: { readonly can: (action: string) => boolean } | null;
}

/** The server's strategies as code sees them, for `strapi.auth.verify`. */
const serverStrategies = Object.fromEntries(
  Object.values(strategyNames).map((name) => [
    name,
    {
      name,
      verify: ({ credentials, ability }: Auth, { scope }: { readonly scope?: unknown } = {}): void => {
        if (scope === undefined || scope === null) {
          if (!credentials) throw strapiError("UnauthorizedError");
          return;
        }
        if (![scope].flat().every((action) => ability?.can(String(action)))) throw strapiError("ForbiddenError");
      },
    },
  ]),
);

const ofServer: ReadonlySet<object> = new Set(Object.values(serverStrategies));

/** Sets `ctx.state.user`: as in Strapi, the whole row with its role. */
async function setUser(runtime: Runtime, ctx: Context, { userId, user: found }: Ability): Promise<void> {
  const user = found ?? (await runtime.query(USER).findOne({ where: { id: userId }, populate: ["role"] }));
  if (!user) return;
  ctx.state.user = user;
  ctx.state.auth = { ...ctx.state.auth, credentials: user };
}

/** As in Strapi, the row of the token without its key. A copy, since code may change it. */
export function tokenCredentials({ token, key }: Ability): object {
  // the key of a site's build is not stored
  if (!token) return { type: key };
  const { id, name, description, lastUsedAt, lifespan, expiresAt, createdAt, updatedAt, type, permissions } = token;
  const row = {
    id,
    kind: "content-api",
    name,
    description,
    lastUsedAt,
    lifespan,
    expiresAt,
    createdAt,
    updatedAt,
    type,
  };
  return { ...row, permissions: [...permissions] };
}

/** `ctx.state.auth`, for users without their row. */
export const describeAuth = (ability: Ability) => ({
  strategy: serverStrategies[strategyNames[ability.kind]],
  credentials: ability.kind === "token" ? tokenCredentials(ability) : null,
  ability: { can: (action: string) => ability.can(action) },
});

/** Returns a promise only if needed, so that a request reads from one snapshot. */
function setAbility(runtime: Runtime, ctx: Context, ability: Ability): MaybePromise<void> {
  ctx.state.isAuthenticated = true;
  ctx.state.auth = describeAuth(ability);
  Object.assign(ctx.req, { ability, strategy: ctx.state.auth.strategy });
  return ability.userId === undefined ? undefined : setUser(runtime, ctx, ability);
}

function findOnServer({ access, findClaims }: Runtime, ctx: Context): MaybePromise<Ability> {
  const find = findClaims();
  return access.access.identify(ctx.get("authorization") || null, find && (() => find(ctx)));
}

/**
 * Sets the caller's permissions, and the caller in `ctx.state`. `strategies`: the names of those that apply; undefined: all of the
 * server. Throws an ApiError for credentials that are invalid or not accepted.
 */
export const identify = (runtime: Runtime, ctx: Context, strategies?: readonly ListedStrategy[]): MaybePromise<void> =>
  whenReady(findOnServer(runtime, ctx), (ability) => {
    if (strategies && !strategies.includes(strategyNames[ability.kind])) throw invalidCredentials();
    return setAbility(runtime, ctx, ability);
  });

/** Runs a strategy of the server. Resolves with false if the caller has no such credentials. */
async function isIdentified(runtime: Runtime, ctx: Context, name: string): Promise<boolean> {
  try {
    await identify(runtime, ctx, [name]);
    return true;
  } catch (error) {
    // users who are blocked are refused by the strategy itself
    if (error instanceof ApiError && error.message === invalidCredentials().message) return false;
    throw error;
  }
}

const { verify: verifyOfServer } = serverStrategies[strategyNames.user]!;

/** The strategy that the plugin users-permissions registers. Code may register another one instead, which calls it. */
export const userStrategy = (runtime: () => Runtime): Strategy =>
  markServerStrategy({
    name: strategyNames.user,
    authenticate: async (ctx) => {
      if (!(await isIdentified(runtime(), ctx, strategyNames.user))) return { authenticated: false };
      const { credentials, ability } = ctx.state.auth as Auth;
      return { authenticated: true, credentials, ability };
    },
    verify: verifyOfServer as NonNullable<Strategy["verify"]>,
  });

interface Outcome {
  readonly authenticated?: unknown;
  readonly credentials?: unknown;
  readonly ability?: unknown;
  readonly error?: unknown;
}

/** Everything, unless the strategy verifies scopes: then those of the actions that it accepts. */
async function abilityFor(auth: unknown, actions: Iterable<string>): Promise<Ability> {
  const { strategy } = auth as { readonly strategy: Pick<Strategy, "verify"> };
  if (typeof strategy.verify !== "function") return createAbility("token", "strategy", () => true);
  const accepted = new Set<string>();
  for (const scope of actions) {
    try {
      await strategy.verify(auth, { scope });
      accepted.add(scope);
    } catch {
      // as in Strapi, any error refuses
    }
  }
  return createAbility("token", `strategy ${[...accepted].join(" ")}`, (action) => accepted.has(action));
}

/** Whether what relations show is that of another strategy: one of the code, which may have been set in `ctx.state.auth` only. */
export const hasOwnStrategy = ({ state, req }: Context): boolean =>
  state?.auth?.strategy !== undefined && state.auth.strategy !== req.strategy;

const readAbility = ({ context }: Runtime, auth: unknown): Promise<Ability> =>
  abilityFor(
    auth,
    context.model.types.keys().map((uid) => `${uid}.find`),
  );

/** Finds what relations show to a caller of such a strategy. */
export async function setOwnAbility(runtime: Runtime, ctx: Context): Promise<void> {
  const { auth } = ctx.state;
  Object.assign(ctx.req, { ability: await readAbility(runtime, auth), strategy: auth?.strategy });
}

/** What relations show to the caller in `auth`, which is `ctx.state.auth`; without one, everything. */
export async function findCanRead(runtime: Runtime, auth: unknown): Promise<CanRead> {
  if (!auth) return () => true;
  const { ability, strategy } = toRecord(auth);
  if (isRecord(strategy) && !ofServer.has(strategy)) return (await readAbility(runtime, auth)).canRead;
  const { can } = toRecord(ability) as { readonly can?: (action: string) => boolean };
  return can ? (uid) => can(`${uid}.find`) : nobody.canRead;
}

/** A strategy of the code is the one that has found the caller, whose permissions it verifies; otherwise, those of the server apply. */
export type Authentication = "server" | "refused" | Strategy;

/** Runs strategies in order until one identifies the caller. Rejects with the errors of the code. */
export async function authenticate(
  runtime: Runtime,
  ctx: Context,
  strategies: readonly ListedStrategy[],
): Promise<Authentication> {
  for (const strategy of strategies) {
    if (typeof strategy === "string") {
      if (await isIdentified(runtime, ctx, strategy)) return "server";
      continue;
    }
    checkStrategy(strategy);
    const outcome = ((await strategy.authenticate(ctx)) ?? {}) as Outcome;
    const { authenticated, credentials, ability = null, error = null } = outcome;
    if (error !== null) {
      ctx.unauthorized(error);
      return "refused";
    }
    if (!authenticated) continue;
    // the caller is the one that the server has found
    if (strategy.verify === verifyOfServer) return "server";
    ctx.state.isAuthenticated = true;
    ctx.state.auth = { strategy, credentials, ability };
    return strategy;
  }
  throw invalidCredentials();
}

/** The caller of a request to GraphQL, by strategies of which some are the code's. Rejects with an ApiError for one that is refused. */
export async function findCaller(
  runtime: Runtime,
  ctx: Context,
  strategies: readonly ListedStrategy[],
): Promise<Ability> {
  const authentication = await authenticate(runtime, ctx, strategies);
  if (authentication === "refused")
    throw new ApiError("UnauthorizedError", (ctx.body as { readonly error: Error }).error.message);
  if (authentication === "server") return findAbility(ctx);
  return withUser(await abilityFor(ctx.state.auth, actionNames(runtime.context.model)), ctx);
}
