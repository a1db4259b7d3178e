/** Who a request of code's own routes is from, and what it may cost. */
import { type Ability, createAbility } from "../../access/ability.ts";
import { Budget } from "../../budget.ts";
import type { Caller } from "../../query/check-query.ts";
import type { CanRead } from "../../query/tree.ts";
import type { Runtime } from "../runtime.ts";
import type { Context } from "./context.ts";

/** Nobody in particular: an own route without authentication decides by itself who may call it. */
const nobody = createAbility("public", "code", () => false);

export const abilityOf = (ctx: Context): Ability => ctx.ability ?? nobody;

export const canReadOf = (ctx: Context): CanRead => {
  const ability = abilityOf(ctx);
  return (uid) => ability.canRead(uid);
};

/** Each read of a request takes from a budget of its own: code may read more than one list. */
export const callerOf = ({ settings }: Runtime, ctx: Context): Caller => ({
  canRead: canReadOf(ctx),
  budget: new Budget(settings.limits, ctx.request.original),
});
