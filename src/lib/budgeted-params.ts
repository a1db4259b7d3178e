/** Parameters that carry the budget of their request through code that passes them on. */
import { type Budget, unlimited } from "./budget.ts";

const OF_REQUEST = Symbol("budget of the request");

/** A function, since code may copy the parameters deeply. */
interface OfRequest {
  readonly [OF_REQUEST]?: () => Budget;
}

/** The parameters of a request for code that passes them on, so that its limits hold for what is read with them. */
export const withBudget = <T extends object>(params: T, budget: Budget): T =>
  budget === unlimited ? params : { ...params, [OF_REQUEST]: () => budget };

/**
 * The parameters without the budget, and a full one: code may read several times, and in ways that do not pause. `unlimited` for those of no
 * request.
 */
export function splitBudget<T extends object>(params: T): { readonly budget: Budget; readonly own: T } {
  // code may pass null
  const { [OF_REQUEST]: find, ...own } = { ...(params as T & OfRequest) };
  const budget = find?.().restart();
  budget?.allowLongTurn();
  return { budget: budget ?? unlimited, own: own as unknown as T };
}
