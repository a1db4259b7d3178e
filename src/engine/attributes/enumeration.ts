/** One of the strings that the schema lists; numbers and booleans are cast to strings. */
import type { Rule, ScalarType } from "./attribute-type.ts";
import { textOperand, textType } from "./text-rules.ts";

const oneOf: Rule = (value: unknown, definition, { path }) => {
  const allowed = definition.enum as readonly string[];
  if (value === null || allowed.includes(value as string)) return undefined;
  // Strapi's list ends with null, which is printed as an empty string
  return `${path} must be one of the following values: ${allowed.join(", ")}, `;
};

function cast(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

export const enumeration: ScalarType = {
  name: "enumeration",
  ignoresUnique: true,
  column: { affinity: "TEXT" },
  expects: textType().expects!,
  cast,
  membership: oneOf,
  store: (value) => value as string | null,
  operand: textOperand,
  search: "text",
  graphqlName: "String",
  options: (t) => ({
    enum: t.Array(t.String()),
    enumName: t.Optional(t.String()),
    default: t.Optional(t.Union([t.String(), t.Null()])),
  }),
};
