/** True or false; the words and digits for them are understood. */
import type { ScalarType, SqlValue } from "./attribute-type.ts";

/** A list of one counts as what it holds. */
function cast(value: unknown): unknown {
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof text === "string" || typeof text === "number" || typeof text === "boolean") {
    if (/^(true|1)$/i.test(String(text))) return true;
    if (/^(false|0)$/i.test(String(text))) return false;
  }
  return value;
}

const FALSE_OPERANDS: readonly unknown[] = [false, "false", "f", "0", 0];

/** A filter's word for a boolean: false by name, else whether there is anything at all. */
export const isTrue = (value: unknown): boolean => !FALSE_OPERANDS.includes(value) && Boolean(value);

export const boolean: ScalarType = {
  name: "boolean",
  column: { affinity: "INTEGER" },
  expects: { name: "boolean", is: (value) => typeof value === "boolean", nullable: true },
  cast,
  store: (value) => (value === null ? null : Number(value)),
  load: (stored) => (stored === null ? null : stored === 1),
  operand: (value): SqlValue => (value === null ? null : Number(isTrue(value))),
  names: { graphql: "Boolean", openapi: { type: "boolean" }, typescript: "boolean" },
  options: (t) => ({ default: t.Optional(t.Union([t.Boolean(), t.Null()])) }),
};
