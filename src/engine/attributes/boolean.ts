/** True or false; "true", "false", 1 and 0 are cast. */
import type { ScalarType, SqlValue } from "./attribute-type.ts";

/** A list of one value is cast like the value. */
function cast(value: unknown): unknown {
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof text === "string" || typeof text === "number" || typeof text === "boolean") {
    if (/^(true|1)$/i.test(String(text))) return true;
    if (/^(false|0)$/i.test(String(text))) return false;
  }
  return value;
}

const FALSE_OPERANDS: readonly unknown[] = [false, "false", "f", "0", 0];

/** A boolean operand of a filter: false for a known spelling of false, else JavaScript's truth value. */
export const isTrue = (value: unknown): boolean => !FALSE_OPERANDS.includes(value) && Boolean(value);

export const boolean: ScalarType = {
  name: "boolean",
  ignoresUnique: true,
  column: { affinity: "INTEGER" },
  expects: { name: "boolean", is: (value) => typeof value === "boolean", nullable: true },
  cast,
  store: (value) => (value === null ? null : Number(value)),
  load: (stored) => {
    if (stored === 1) return true;
    if (stored === 0) return false;
    if (stored === null) return null;
    throw new Error("a boolean is stored as 1 or 0");
  },
  operand: (value): SqlValue => (value === null ? null : Number(isTrue(value))),
  graphqlName: "Boolean",
  options: (t) => ({ default: t.Optional(t.Union([t.Boolean(), t.Null()])) }),
};
