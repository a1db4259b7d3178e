/**
 * `conditions.visible` of an attribute: JSON logic over the values beside it. Fields that are not visible are neither shown nor
 * sent. They keep their values.
 */
import type { RulesLogic } from "json-logic-js";
import type { Attribute } from "../../model.ts";
import { start } from "../../model.ts";

type Attributes = Readonly<Record<string, Attribute>>;
type Logic = typeof import("json-logic-js");

let logic: Logic | undefined;

const conditionOf = ({ conditions }: Attribute): object | undefined => {
  const visible = (conditions as { readonly visible?: unknown } | undefined)?.visible;
  return typeof visible === "object" && visible !== null ? visible : undefined;
};

export const isConditional = (attribute: Attribute): boolean => conditionOf(attribute) !== undefined;

const hasConditions = (attributes: Attributes): boolean => Object.values(attributes).some(isConditional);

/** Loads what evaluates conditions, if the type or a component has any. To be awaited before a form is shown. */
export async function loadConditions(attributes: Attributes): Promise<void> {
  const isNeeded =
    hasConditions(attributes) ||
    (start.peek()?.components ?? []).some((component) => hasConditions(component.attributes));
  if (isNeeded) logic ??= (await import("json-logic-js")).default;
}

/** The names of the attributes that decide whether this one is visible. */
export function decidingNames(attribute: Attribute): readonly string[] {
  const condition = conditionOf(attribute);
  const paths: readonly unknown[] = condition && logic ? logic.uses_data(condition) : [];
  return paths.map((path) => String(path).split(".")[0]!);
}

/** A value of the form as a condition finds it: what is linked is a list, empty or not. */
function conditionValue(value: unknown): unknown {
  const relation = value as { readonly count?: number; readonly items?: readonly unknown[]; readonly placed?: unknown };
  const isRelation = typeof value === "object" && value !== null && "placed" in value;
  if (!isRelation) return value;
  return relation.items ?? Array.from({ length: relation.count ?? 0 });
}

/**
 * Whether an attribute is visible beside the values that `read` returns. As on the server, it is if its condition cannot be
 * evaluated.
 */
export function isVisible(attribute: Attribute, read: (name: string) => unknown): boolean {
  const condition = conditionOf(attribute);
  if (!condition || !logic) return true;
  const data = Object.fromEntries(decidingNames(attribute).map((name) => [name, conditionValue(read(name))]));
  try {
    return Boolean(logic.apply(condition as RulesLogic, data));
  } catch {
    return true;
  }
}
