/** When an attribute is shown: `conditions.visible`, JSON logic over the attributes beside it. */
import type { Attribute } from "../../model.ts";

/** `attribute` is, or is not, this value. */
export interface Visibility {
  readonly attribute: string;
  readonly operator: "==" | "!=";
  readonly value: unknown;
}

/** Values that a condition can name, by the types of attributes that have them. */
const valuesByType: Readonly<Record<string, (attribute: Attribute) => readonly unknown[]>> = {
  boolean: () => [true, false],
  enumeration: ({ enum: values }) => (Array.isArray(values) ? values : []),
};

export const listValues = (attribute: Attribute | undefined): readonly unknown[] =>
  (attribute && valuesByType[attribute.type]?.(attribute)) ?? [];

const ruleOf = ({ conditions }: Attribute): unknown => (conditions as { visible?: unknown } | undefined)?.visible;

/** "always", or "other" for a rule that the form cannot show. */
export function readVisibility(definition: Attribute): Visibility | "always" | "other" {
  const rule = ruleOf(definition);
  if (rule === undefined || rule === null) return "always";
  const [entry, ...more] = Object.entries(rule as object);
  const [operator, operands] = entry ?? [];
  if ((operator !== "==" && operator !== "!=") || more.length > 0) return "other";
  const [left, value, ...rest] = Array.isArray(operands) ? operands : [];
  const attribute = (left as { var?: unknown } | undefined)?.var;
  if (typeof attribute !== "string" || rest.length > 0 || typeof value === "object") return "other";
  return { attribute, operator, value };
}

/** Undefined: always. */
export const createConditions = (visibility: Visibility | undefined): object | undefined =>
  visibility && { visible: { [visibility.operator]: [{ var: visibility.attribute }, visibility.value] } };

function renamed(rule: unknown, from: string, to: string): unknown {
  if (Array.isArray(rule)) return rule.map((item) => renamed(item, from, to));
  if (typeof rule !== "object" || rule === null) return rule;
  return Object.fromEntries(
    Object.entries(rule).map(([key, value]) => [key, key === "var" && value === from ? to : renamed(value, from, to)]),
  );
}

/** The definition, whose condition follows an attribute to its new name. */
export function withRenamedCondition(definition: Attribute, from: string, to: string): Attribute {
  const { conditions } = definition;
  return conditions === undefined ? definition : { ...definition, conditions: renamed(conditions, from, to) };
}
