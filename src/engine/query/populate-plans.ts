/** What values of `populate` ask for, read and checked: kept by caller and type for values that cannot change. */
import type { Budget, LimitName } from "../../lib/budget.ts";
import type { Schema } from "../schema/model.ts";
import type { CanRead, Populate } from "./tree.ts";

interface Plan {
  readonly populate: readonly Populate[];
  /** What the check has taken from the budget. */
  readonly cost: readonly (readonly [LimitName, number])[];
}

const CHECKED: readonly LimitName[] = ["conditions", "joins", "populates"];

/** Of texts that are kept, in characters, and their number. */
const MAX_LENGTH = 200;
const MAX_TEXTS = 100;

/** Objects that nobody changes, nor anything in them. */
const shared = new WeakSet<object>();

export function share(value: unknown): void {
  if (typeof value === "object" && value !== null) shared.add(value);
}

class Plans {
  readonly #byText = new Map<string, Plan>();
  readonly #byValue = new WeakMap<object, Plan>();

  find(value: unknown): Plan | undefined {
    if (typeof value === "string") return this.#byText.get(value);
    return typeof value === "object" && value !== null ? this.#byValue.get(value) : undefined;
  }

  add(value: unknown, plan: Plan): void {
    if (typeof value === "string" && value.length <= MAX_LENGTH) {
      if (this.#byText.size >= MAX_TEXTS) this.#byText.clear();
      this.#byText.set(value, plan);
    } else if (typeof value === "object" && value !== null && shared.has(value)) this.#byValue.set(value, plan);
  }
}

type PlansByCaller = WeakMap<CanRead, WeakMap<Schema, Plans>>;

const plansByCaller: PlansByCaller = new WeakMap();
const plansWithoutMembers: PlansByCaller = new WeakMap();

interface Reader {
  readonly canRead: CanRead;
  /** Reads private attributes, too: nothing is kept. */
  readonly readsAll?: boolean | undefined;
  readonly omitsMembers?: boolean | undefined;
}

interface BudgetedReader extends Reader {
  readonly budget: Budget;
}

const plansFor = ({ omitsMembers }: Reader): PlansByCaller => (omitsMembers ? plansWithoutMembers : plansByCaller);

const findPlan = (schema: Schema, value: unknown, reader: Reader): Plan | undefined =>
  reader.readsAll ? undefined : plansFor(reader).get(reader.canRead)?.get(schema)?.find(value);

export const isPlanned = (schema: Schema, value: unknown, caller: Reader): boolean =>
  findPlan(schema, value, caller) !== undefined;

/** The populated attributes of a value that was planned before. Throws a ValidationError beyond the budget. */
export function plannedPopulate(
  schema: Schema,
  value: unknown,
  caller: BudgetedReader,
): readonly Populate[] | undefined {
  const plan = findPlan(schema, value, caller);
  if (!plan) return undefined;
  for (const [name, amount] of plan.cost) caller.budget.take(name, amount);
  return plan.populate;
}

/** Checks what was read of a value whose keys are checked, and keeps it. */
export function planPopulate(
  schema: Schema,
  value: unknown,
  reader: BudgetedReader,
  check: () => readonly Populate[],
): readonly Populate[] {
  const { canRead, budget, readsAll } = reader;
  const before = budget.mark();
  const populate = check();
  if (readsAll) return populate;
  const cost = CHECKED.map((name) => [name, budget.spent(name) - before[name]] as const);
  const plans = plansFor(reader).getOrInsertComputed(canRead, () => new WeakMap());
  plans.getOrInsertComputed(schema, () => new Plans()).add(value, { populate, cost });
  return populate;
}
