/** A whole number. */
import type { Rule, ScalarType } from "./attribute-type.ts";
import { castNumber, loadNumber, maximum, minimum, numberOperand, numberOptions, numberType } from "./number-rules.ts";

const integerRule: Rule = (value: number, _definition, { path }) =>
  Number.isInteger(value) ? undefined : `${path} must be an integer`;

export const integer: ScalarType = {
  name: "integer",
  column: { affinity: "INTEGER" },
  expects: numberType,
  cast: castNumber,
  rules: [integerRule, minimum(Math.trunc), maximum(Math.trunc)],
  store: (value) => value as number | null,
  load: loadNumber,
  operand: numberOperand,
  search: "number",
  graphqlName: "Int",
  options: numberOptions,
};
