/** True or false; the words and digits for them are understood. */
import type { ScalarType, SqlValue } from "./attribute-type.ts";

function cast(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "number") {
    if (/^(true|1)$/i.test(String(value))) return true;
    if (/^(false|0)$/i.test(String(value))) return false;
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
