/** The caller of a request to a route of the code: permissions and query budget. */

import { type Ability, createAbility } from "../../engine/access/access.ts";
import type { Caller } from "../../engine/query/check-query.ts";
import type { CanRead } from "../../engine/query/tree.ts";
import { Budget } from "../../lib/budget.ts";
import { toRecord } from "../../lib/is-record.ts";
import type { Context } from "../koa/koa.ts";
import type { Runtime } from "../runtime.ts";

/** For routes without authentication: no permissions. */
export const nobody = createAbility("public", "code", () => false);

/** For actions of plugins on such routes: as in Strapi, they restrict no relations then. */
const unrestricted: Ability = { ...nobody, key: "open", canRead: () => true };

export const findAbility = (ctx: Context): Ability => (ctx as Partial<Context>).req?.ability ?? nobody;

export const createCanRead = (ctx: Context): CanRead => {
  const ability = findAbility(ctx);
  return (uid) => ability.canRead(uid);
};

export function createBudget({ settings }: Runtime, ctx: Context): Budget {
  // a context that code has made may have only a query
  const request = (ctx as Partial<Context>).req?.original;
  return new Budget(settings.limits, { request, isPublic: findAbility(ctx).kind === "public" });
}

/** With a new budget for each read, since code may read several lists in one request. */
export const createCaller = (runtime: Runtime, ctx: Context): Caller => ({
  canRead: createCanRead(ctx),
  budget: createBudget(runtime, ctx),
  omitsMembers: true,
});

/** The callers of actions that the server runs within a route of the code. */
const actionCallers = new WeakMap<Request, Ability>();

export const actionCaller = (request: Request): Ability | undefined => actionCallers.get(request);

/** With the user in `ctx.state`, whom code may have set or removed. */
export function withUser(ability: Ability, { state }: Context): Ability {
  const { id } = toRecord(state.user);
  return { ...ability, userId: typeof id === "number" ? id : undefined };
}

/** Has the server run `action` for the caller whom the route of the code has accepted. */
export function setActionCaller(request: Request, ctx: Context, action: string | undefined): void {
  const { ability = unrestricted } = ctx.req;
  actionCallers.set(request, { ...withUser(ability, ctx), can: (name) => name === action || ability.can(name) });
}
